#pragma once

#include "instructor/class_commands.hpp"

#include "classroom/compared.hpp"
#include "gradebook/marks.hpp"

#include <string>
#include <vector>

/// Looking for copies: what the class is compared with, here and by JPlag.
namespace headway::cli {

/// The programs in folders of hand-ins; says how many were read, and which could not be.
/// @throws UsageError if a folder cannot be read
classroom::Elsewhere read_elsewhere(const Course& course, const std::vector<std::string>& folders);

/// Writes the sources that count for JPlag, and prints its commands. @return the exit status
/// @throws UsageError if the folder is not new, or cannot be written
int export_jplag(const Course& course, const ClassArguments& arguments, const gradebook::Gradebook& gradebook,
                 const std::vector<gradebook::Mark>& marks);

}  // namespace headway::cli
