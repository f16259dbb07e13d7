#pragma once

#include "diagnosis/choices.hpp"

#include <map>
#include <string>
#include <vector>

namespace headway::diagnosis {

/// Somewhere in attention where people decide; of its choices one is right.
struct Decision {
    std::string id;     ///< "scale"
    std::string stage;  ///< project, split, scores, scale, mask, softmax, weigh, merge, output; or empty
    /// Exercise number to the section of its lesson that settles it: {"03", "Which width is being summed?"}.
    std::map<std::string, std::string> lesson;
    std::string pseudocode;  ///< with shapes; the last hint
};

/// A wrong choice.
struct Mistake {
    std::string id;             ///< stable: "scale_sqrt_model_width"
    std::string decision;       ///< no two mistakes of one decision are made together
    std::string title;          ///< from the student's view: "scores are divided by √D, the model width"
    std::string right = {};     ///< "they should be divided by √head_dim, the width that q·k sums over"
    std::string symptom = {};   ///< why it matters: does it crash, does it train?
    std::string question = {};  ///< the first hint: makes one look at the right place
    /// Changes the decision in the model; nullptr for what shows in its own evidence only (see evidence.hpp).
    void (*make)(Choices&) = nullptr;
    /// Another way to compute the same: never reported.
    bool equivalent = false;
};

/// Adds to the catalogue before main.
struct CatalogueEntry {
    explicit CatalogueEntry(Decision decision);
    explicit CatalogueEntry(Mistake mistake);
};

const std::vector<Mistake>& mistakes();
const Decision& decision(const std::string& id);
/// @throws std::out_of_range
const Mistake& mistake(const std::string& id);

}  // namespace headway::diagnosis

#define HEADWAY_CATALOGUE_NAME2(number) catalogue_entry_##number
#define HEADWAY_CATALOGUE_NAME(number) HEADWAY_CATALOGUE_NAME2(number)
/// DECISION(...), MISTAKE(...) and EQUIVALENT(...): the designated initialisers of an entry, at namespace scope.
#define DECISION(...)                                          \
    const CatalogueEntry HEADWAY_CATALOGUE_NAME(__COUNTER__) { \
        Decision { __VA_ARGS__ }                               \
    }
#define MISTAKE(...)                                           \
    const CatalogueEntry HEADWAY_CATALOGUE_NAME(__COUNTER__) { \
        Mistake { __VA_ARGS__ }                                \
    }
#define EQUIVALENT(...)                                        \
    const CatalogueEntry HEADWAY_CATALOGUE_NAME(__COUNTER__) { \
        Mistake { __VA_ARGS__, .equivalent = true }            \
    }
