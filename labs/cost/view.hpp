#pragma once

#include "labs/cost/measure.hpp"

#include "terminal/page.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace headway::lab {

std::string cost_page(const std::vector<Cost>& costs);
void show_costs(report::Page& page, const std::vector<Cost>& costs);
nlohmann::json to_json(const std::vector<Cost>& costs);

}  // namespace headway::lab
