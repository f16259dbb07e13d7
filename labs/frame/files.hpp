#pragma once

#include <stdexcept>
#include <string>

namespace headway::lab {

/// The command line asks for what there is not: exit status 2.
struct WrongUsage : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A path as one would type it here.
std::string shown(const std::string& path);

/// All its bytes.   @throws WrongUsage if it cannot be read
std::string read_file(const std::string& file);

/// Replaces the file in one step; makes its folder first. @throws std::runtime_error if it cannot be written
void write_file(const std::string& file, const std::string& text);

}  // namespace headway::lab
