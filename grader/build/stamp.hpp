#pragma once

#include <filesystem>
#include <string>

namespace headway::build {

/// Whether `product` was made from what has this digest, to its end: a stamp beside it says so.
bool is_up_to_date(const std::filesystem::path& product, const std::string& digest);
/// Says so, once it is.
void stamp(const std::filesystem::path& product, const std::string& digest);

}  // namespace headway::build
