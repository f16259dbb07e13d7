#pragma once

#include "labs/frame/arguments.hpp"

#include "terminal/page.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>

namespace headway::lab {

/// What a lab found out, as it is shown.
struct Results {
    std::string picture;  ///< an HTML page
    std::function<void(report::Page&)> show_in_terminal;
    std::function<nlohmann::json()> numbers;  ///< behind the picture
};

/// Writes OUTPUT/LAB.html, and the numbers if they were asked for; shows the rest in the terminal, unless that is where
/// the numbers go.
/// @throws std::runtime_error if a file cannot be written
void deliver(const CommonArguments& arguments, const std::string& lab, const Results& results);

}  // namespace headway::lab
