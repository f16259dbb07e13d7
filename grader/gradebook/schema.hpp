#pragma once

#include "gradebook/database.hpp"

namespace headway::gradebook {

/// What this program writes into PRAGMA user_version.
extern const int newest_version;

/// Brings a gradebook of any earlier version, or an empty file, to `version`, in one transaction.
/// @throws DatabaseError if it is of a newer version than this program knows
void migrate(Database& database, int version = newest_version);

}  // namespace headway::gradebook
