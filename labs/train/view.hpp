#pragma once

#include "labs/train/training.hpp"

#include "labs/frame/heads.hpp"
#include "terminal/page.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace headway::lab {

/// A trained model, as far as it is shown.
struct Outcome {
    Variant variant;
    Index parameters = 0;
    std::vector<Look> looks;
    std::vector<HeadScore> scores;
    std::vector<Heads> maps;  ///< one a block
};
Outcome outcome_of(Training& training, const Text& text, const std::vector<Index>& sentence);

std::string train_page(const std::vector<Outcome>& outcomes, const std::string& text);
void show_training(report::Page& page, const std::vector<Outcome>& outcomes);
nlohmann::json to_json(const std::vector<Outcome>& outcomes);

}  // namespace headway::lab
