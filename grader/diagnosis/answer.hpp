#pragma once

#include "reference/array.hpp"
#include "student/student.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headway::diagnosis {

using reference::Array;

/// What a function gives, or would give: named arrays (a mask counts as zeros and ones), or that there is no value.
struct Answer {
    enum class Kind {
        value,
        done,       ///< what it was asked for gives no value
        undefined,  ///< a tensor without numbers
        refused,
        threw,
        // Seen alone
        lost,         ///< the worker, in whatever way
        not_written,  ///< the function
        not_judged,   ///< something earlier is in the way: it agrees with every prediction
        // Predicted alone
        accepted,    ///< anything but a refusal
        impossible,  ///< no value, in whatever way
        unpredicted  ///< anything may come back
    };
    Kind kind = Kind::value;
    /// One, without a name, for a single result. Facts that are words, such as "shares storage", are names without
    /// numbers.
    std::vector<std::pair<std::string, Array>> parts;

    bool is_value() const { return kind == Kind::value; }

    static Answer of(Array array) { return {Kind::value, {{"", std::move(array)}}}; }
    static Answer without_value(Kind why) { return {why, {}}; }
};

Answer answer_of(const judge::Outcome& outcome);
Answer answer_of(const wire::Value& value);
Array array_of(const Mask& mask);

/// How well a prediction fits what was seen.
struct Fit {
    /// The largest |seen - predicted| / tolerance over all finite elements; at most 1.
    double closeness = 0;
    /// Finite numbers, or words, that were compared. Agreement on NaN says nothing.
    std::size_t compared = 0;
    /// Finite numbers that were seen and not predicted.
    std::size_t unpredicted = 0;
    /// Numbers that are not finite, predicted and seen.
    std::size_t not_finite = 0;
};

/// Nothing if they differ: in word, shape, where NaN stands, or beyond the forward error bound of the prediction.
std::optional<Fit> fit(const Answer& predicted, const Answer& seen);

/// Whether a prediction that fits says something of at least half of what was seen, finite, and a right program would
/// have answered otherwise. One that leaves open what is wrong explains nothing.
bool tells_what_is_wrong(const Answer& predicted, const Answer& right, const Answer& seen);

/// How far two predictions are apart, in tolerances; infinite where they differ in kind.
double distance(const Answer& a, const Answer& b);

/// The same as far as an answer could tell: an element that one of them does not predict refutes neither.
double tellable_distance(const Answer& a, const Answer& b);

}  // namespace headway::diagnosis
