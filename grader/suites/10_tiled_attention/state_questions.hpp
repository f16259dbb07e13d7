#pragma once

#include "diagnosis/subject.hpp"

/// What diagnosis asks of the three functions that make, change and end a running state.
namespace headway::judge::tiled {

diagnosis::Function nothing_seen_in_diagnosis();
diagnosis::Function absorb_in_diagnosis();
diagnosis::Function context_in_diagnosis();

}  // namespace headway::judge::tiled
