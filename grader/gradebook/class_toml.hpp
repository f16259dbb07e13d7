#pragma once

#include <toml++/toml.h>

#include <stdexcept>
#include <string_view>

namespace headway::gradebook {

/// class.toml as a table. What has letters other than A to Z must stand in quotes, on one line.
/// @throws MarkingPolicyError, with the line
toml::table parse_class_toml(std::string_view text);

}  // namespace headway::gradebook
