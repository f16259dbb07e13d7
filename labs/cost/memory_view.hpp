#pragma once

#include "labs/cost/caches.hpp"
#include "labs/cost/stacks.hpp"

#include "report/xml.hpp"
#include "terminal/page.hpp"

#include <nlohmann/json.hpp>

// What is saved of memory, and what that costs: caches of small numbers, and stacks that compute twice.
namespace headway::lab {

void write_caches(report::Xml& page, const CacheCosts& costs);
void show_caches(report::Page& page, const CacheCosts& costs);
nlohmann::json to_json(const CacheCosts& costs);

void write_stacks(report::Xml& page, const StackCosts& costs);
void show_stacks(report::Page& page, const StackCosts& costs);
nlohmann::json to_json(const StackCosts& costs);

}  // namespace headway::lab
