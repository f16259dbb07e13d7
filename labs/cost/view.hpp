#pragma once

#include "labs/cost/caches.hpp"
#include "labs/cost/measure.hpp"
#include "labs/cost/stacks.hpp"
#include "labs/cost/windows.hpp"

#include "terminal/page.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace headway::lab {

struct AllCosts {
    std::vector<Cost> heads;
    std::optional<WindowCosts> windows = {};  ///< nothing while exercise 11 is not written
    std::optional<CacheCosts> caches = {};    ///< exercise 12
    std::optional<StackCosts> stacks = {};    ///< exercise 14
};

std::string cost_page(const AllCosts& costs);
void show_costs(report::Page& page, const AllCosts& costs);
nlohmann::json to_json(const AllCosts& costs);

}  // namespace headway::lab
