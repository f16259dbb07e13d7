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
        lost,         ///< the worker crashed, hung, or was stopped
        not_written,  ///< the function is still a stub
        not_judged,   ///< an earlier function is wrong: this agrees with every prediction
        // Predicted alone
        accepted,    ///< anything but a refusal
        impossible,  ///< no value: a refusal, a crash, ...
        unpredicted  ///< anything may come back
    };
    Kind kind = Kind::value;
    /// A single result is one part without a name. Facts in words, such as "shares storage", are parts with a name and
    /// without numbers.
    std::vector<std::pair<std::string, Array>> parts;
    /// Seen alone: it threw what neither a library nor the language throws, so it looked at what it was given.
    bool threw_of_itself = false;
    /// It was refused by the library's as_strided: seen by the words that it throws, predicted by exercise 02 alone.
    bool refused_by_as_strided = false;

    bool is_value() const { return kind == Kind::value; }

    static Answer of(Array array) { return {Kind::value, {{"", std::move(array)}}}; }
    static Answer without_value(Kind why) { return {why, {}}; }
};

/// Whether each number of one has its place in the other. A fact in words has the shape of a single number, and none.
bool have_one_shape(const Array& a, const Array& b);

/// Whether a part of the answer says that it was refused (see is_answer_due): the numbers beside it are those from
/// before.
bool says_it_refused(const Answer& answer);

/// Whether a right program answers. Some say in a part of the answer that they refuse: what they hold is still there.
bool is_answer_due(const Answer& due);

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

/// Nothing if they differ: in kind, in shape, in the places of NaN, or by more than the prediction's error bound.
std::optional<Fit> fit(const Answer& predicted, const Answer& seen);

/// Whether a prediction that fits covers at least half of the finite numbers that were seen, and a right program would
/// have answered differently. A prediction that leaves open what is wrong explains nothing.
bool tells_what_is_wrong(const Answer& predicted, const Answer& right, const Answer& seen);

/// Whether a prediction is otherwise in numbers that were seen to be right.
bool disturbs(const Answer& predicted, const Answer& right, const Answer& seen);

/// How far two predictions are apart, in tolerances; infinite where they differ in kind.
double distance(const Answer& a, const Answer& b);

/// The distance that an answer could show: an element that one of the two does not predict refutes neither.
double tellable_distance(const Answer& a, const Answer& b);

}  // namespace headway::diagnosis
