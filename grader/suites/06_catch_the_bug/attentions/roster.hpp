#pragma once

#include <string>
#include <vector>

/// The attentions that submitted tests are run against. The judge knows this list, and no attention; the process that
/// computes them (attentions/main.cpp) knows them by `id`.
namespace headway::roster {

struct Entry {
    std::string id;        ///< "scaled_by_model_width"
    std::string property;  ///< the hidden test that it belongs to: "Scale"; empty: a right one
    std::string project;   ///< whose released software had this mistake, and where that is told
    std::string link;
    std::string mistake = {};  ///< what the catalogue calls it, if it has that

    bool is_right() const { return property.empty(); }
};

/// In no order that means anything.
const std::vector<Entry>& entries();

/// The right one whose lines are counted: what the wrong ones change in one place.
inline const std::string reference = "stage_by_stage";
/// A wrong one whose every answer is wrong.
inline const std::string wrong_everywhere = "scaled_by_model_width";

}  // namespace headway::roster
