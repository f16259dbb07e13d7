#pragma once

#include "diagnosis/conditions.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// What tells wrong answers from right ones, if the questions are enough to say so: among many conditions, some hold by
/// chance where little was asked.
namespace headway::diagnosis {

/// The same question, but for one thing.
struct Change {
    std::size_t from, to;  ///< numbers of the two questions
};

/// Questions by what they were asked with, and which were answered wrong.
struct Sorted {
    std::vector<Facts> facts;
    std::vector<bool> wrong;
    std::vector<Change> changes = {};

    /// Right for wrong, and wrong for right.
    Sorted turned() const;
};

/// What holds wherever it is wrong and nowhere else, in words: one condition, or two if one does not do. It is asked of
/// several kinds of questions on both sides; two conditions, of some where only the one holds and of some where only
/// the other does. Nothing where several would do, because nobody knows which of them it depends on; but where all
/// but one compare sizes, and that one says that an argument is not given, it is told.
std::optional<std::string> what_splits(const Sorted& given);

/// An option, or a kind of mask, without which everything is right: what is wrong needs it, and something else besides.
struct NeededOption {
    std::string words;
    std::ptrdiff_t with = 0, without = 0;  ///< how many questions have it
};

/// Of several the one that most questions are without. Told where nearly all that have it are wrong, or where wrong
/// questions from which nothing else was taken are right.
std::optional<NeededOption> needed_option(const Sorted& sorted);

}  // namespace headway::diagnosis
