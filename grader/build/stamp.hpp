#pragma once

#include "build/toolchain.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace headway::build {

/// Whether `product` was made from what has this digest, to its end: a stamp beside it says so.
bool is_up_to_date(const std::filesystem::path& product, const std::string& digest);
/// Says so, once it is.
void stamp(const std::filesystem::path& product, const std::string& digest);

/// Of all files that are there.
std::uint64_t bytes_of(const Words& files);
/// Of what comes to no program, objects are kept for the next time, but not as many as fill a disk.
void forget_large(const Words& objects, std::uint64_t most);

}  // namespace headway::build
