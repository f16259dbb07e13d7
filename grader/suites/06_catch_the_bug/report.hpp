#pragma once

#include "wire/value.hpp"

namespace headway::worker {

/// Runs every TEST that the submission has, silently.
/// @return by "Suite.Name": "" if it passed, else what it said first
wire::Record report_of_all_tests();

}  // namespace headway::worker
