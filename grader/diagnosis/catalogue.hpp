#pragma once

#include "diagnosis/choices.hpp"
#include "diagnosis/up_to.hpp"
#include "verdict/stage.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace headway::diagnosis {

using verdict::Stage;

/// A section of a lesson: {"03", "Which width is being summed?"}.
struct Section {
    std::string_view exercise;  ///< its number
    std::string_view heading;
};

/// The heading where the exercise's header settles it, and no section says more: a check of arguments, say.
inline constexpr std::string_view in_the_header{};

/// The decision of mistakes whose title is what was found, in the first sentence of the function.
inline constexpr std::string_view told_in_words = "told_in_words";
// Three of them, found elsewhere than in numbers.
inline constexpr const char* not_refused = "not_refused";
inline constexpr const char* refused_by_another_type = "refused_by_another_type";
inline constexpr const char* not_as_promised = "not_as_promised";

/// Somewhere in attention where people decide; of its choices one is right.
struct Decision {
    std::string_view id;          ///< "scale"
    Stage stage;                  ///< of attention, or none
    UpTo<Section, 13> lesson;     ///< what settles it, one section an exercise, in their order; none: of C++ alone
    std::string_view pseudocode;  ///< with shapes; the last hint

    /// The section of this exercise's lesson, or nullptr.
    const Section* section_of(std::string_view exercise) const;
};

/// A wrong choice.
struct Mistake {
    std::string_view id;            ///< stable: "scale_sqrt_model_width"
    std::string_view decision;      ///< no two mistakes of one decision are made together
    std::string_view title;         ///< from the student's view: "scores are divided by √D, the model width"
    std::string_view right = {};    ///< "they should be divided by √head_dim, the width that q·k sums over"
    std::string_view symptom = {};  ///< why it matters: does it crash, does it train?
    /// The same of a check, where each call that it would have refused was seen to come back with a value.
    std::string_view symptom_if_answered = {};
    std::string_view question = {};  ///< the first hint: makes one look at the right place
    /// Released software that had it, as "name: https://..."; only where the report describes this mistake, not one
    /// alike.
    UpTo<std::string_view, 3> shipped = {};
    /// Changes the decision in the model; nullptr for what shows in its own evidence only (see examination.hpp).
    void (*make)(Choices&) = nullptr;
    /// Another way to compute the same: never reported.
    bool equivalent = false;
    /// What was found, in the first sentence of the function, ends the title: "… of its block" "of w / 2 queries".
    bool ends_in_words = false;
    /// The exercise before which its words mean nothing, though others of its decision are made there: "03" of masks.
    std::string_view from = {};
};

/// What one file has of the catalogue.
struct Chapter {
    std::span<const Decision> decisions;
    std::span<const Mistake> mistakes;
    /// Of an exercise whose own words are closer to what was seen than those of the model, which may explain it too.
    bool before_the_model = false;
};

/// All mistakes, in order: where no answer tells two of them apart, the first one is named.
const std::vector<Mistake>& mistakes();
/// @throws std::out_of_range
const Decision& decision(std::string_view id);
/// @throws std::out_of_range
const Mistake& mistake(std::string_view id);
/// Where a mistake of mistakes() stands in it.
std::size_t position_in_catalogue(const Mistake& mistake);

}  // namespace headway::diagnosis
