#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace headway::sandbox {

/// Files that came out of a jail, by name: a program that a student wrote may have made any of them.
using Parcel = std::map<std::string, std::string>;

/// What headway-enter has packed: for each file its name and a NUL, then chunks of a 4-byte length and so many bytes,
/// then a length of 0. What is cut off or not of this form is left out; so is a name that is no plain file name, and
/// everything of a parcel of more than `most_bytes`.
Parcel open_parcel(const std::filesystem::path& file, std::uintmax_t most_bytes);

}  // namespace headway::sandbox
