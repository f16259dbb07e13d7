#pragma once

#include "labs/prune/pruning.hpp"

#include "terminal/page.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace headway::lab {

/// Everything that the lab found out.
struct Pruned {
    Removal whole;                     ///< the model as it was trained; its head says nothing
    double choosing_loss = 0;          ///< of the whole model, on the text that heads are chosen by
    std::vector<HeadScore> scores;     ///< in the order of all_heads
    std::vector<double> without_each;  ///< losses on the choosing text, in the same order
    std::vector<Removal> one_by_one;
    std::vector<Removal> by_cost;   ///< in the order of what each costs alone
    std::vector<HeadPlace> chosen;  ///< by the user, to be taken out together
    Removal without_chosen;
};

std::string prune_page(const Pruned& pruned, const std::string& text);
void show_pruning(report::Page& page, const Pruned& pruned);
nlohmann::json to_json(const Pruned& pruned);

}  // namespace headway::lab
