#include "diagnosis/localise.hpp"

#include "diagnosis/call_facts.hpp"
#include "diagnosis/constant_factor.hpp"
#include "diagnosis/copied_rows.hpp"
#include "diagnosis/examination.hpp"
#include "diagnosis/nearly_right.hpp"
#include "diagnosis/other_shape.hpp"
#include "diagnosis/pairs.hpp"
#include "diagnosis/parts_of_result.hpp"
#include "diagnosis/slices.hpp"
#include "diagnosis/where_it_throws.hpp"
#include "diagnosis/where_wrong.hpp"

#include "reference/array.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace headway::diagnosis {
namespace {

/// The names of the parts that are wrong somewhere, and of those that are right wherever something is wrong.
struct Parts {
    std::vector<std::string> wrong, right;
};

Parts parts_of(const std::vector<Pair>& pairs) {
    Parts parts;
    std::vector<std::string> all;
    for (const Pair& pair : pairs)
        if (std::find(all.begin(), all.end(), pair.part) == all.end()) all.push_back(pair.part);
    for (const std::string& part : all) {
        const bool is_wrong = std::any_of(pairs.begin(), pairs.end(),
                                          [&](const Pair& pair) { return pair.part == part && differs(pair); });
        (is_wrong ? parts.wrong : parts.right).push_back(part);
    }
    // Strides are a part of the result, too.
    if (std::ranges::find(parts.wrong, "strides") != parts.wrong.end())
        std::ranges::replace(parts.right, std::string(), std::string("the numbers"));
    return parts;
}

/// Those of a stack's gradients are dozens: of many, the first.
std::string listed_in_short(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8, first = 4;
    if (names.size() <= most) return listed_parts(names);
    std::string list;
    for (std::size_t i = 0; i < first; ++i) list += names[i] + ", ";
    return list + "and " + std::to_string(names.size() - first) + " more";
}

/// The stage that all wrong parts belong to; `otherwise` if there is no such one.
Stage stage_of(const Parts& parts, const Function& function, Stage otherwise) {
    std::set<Stage> stages;
    for (const std::string& part : parts.wrong) {
        const auto found = function.stage_of_part.find(part);
        if (found == function.stage_of_part.end()) return otherwise;
        stages.insert(found->second);
    }
    return stages.size() == 1 ? *stages.begin() : otherwise;
}

/// Whether every row along the last axis sums to 1, or to 0 as a fully masked one does; zeros alone are no weights.
bool has_rows_of_one(const Array& array) {
    if (array.shape.empty() || array.shape.back() < 2) return false;
    if (std::all_of(array.value.begin(), array.value.end(), [](double x) { return x == 0; })) return false;
    const auto width = static_cast<std::size_t>(array.shape.back());
    for (std::size_t begin = 0; begin < array.value.size(); begin += width) {
        const auto row = array.value.begin() + static_cast<std::ptrdiff_t>(begin);
        const double sum = std::accumulate(row, row + array.shape.back(), 0.0);
        if (!(sum == 0 || std::abs(sum - 1) < 1e-3)) return false;
    }
    return !array.value.empty();
}

/// What holds of rows and sequences in what should have come, but not in what did.
std::vector<std::string> broken_in(const std::vector<Pair>& pairs) {
    std::vector<std::string> sentences;
    const bool rows = std::any_of(pairs.begin(), pairs.end(), [](const Pair& pair) {
        return has_rows_of_one(pair.expected) && !has_rows_of_one(pair.seen);
    });
    if (rows) sentences.emplace_back("rows of the weights do not sum to 1");
    const auto repeats = [](const Array& array) {
        const std::size_t half = array.value.size() / static_cast<std::size_t>(array.shape[0]);
        return std::equal(array.value.begin(), array.value.begin() + static_cast<std::ptrdiff_t>(half),
                          array.value.begin() + static_cast<std::ptrdiff_t>(half));
    };
    int batches = 0;
    int copies = 0;
    for (const Pair& pair : pairs) {
        if (pair.expected.shape.size() < 3 || pair.expected.shape[0] < 2 || repeats(pair.expected)) continue;
        if (is_all_zero(pair.seen)) continue;  // said already, and no copy
        ++batches;
        copies += repeats(pair.seen) ? 1 : 0;
    }
    if (batches > 0 && copies == batches)
        sentences.emplace_back("sequence 1 of the batch is a copy of sequence 0, although their inputs differ");
    return sentences;
}

/// What softmax sees of the scores that gave these weights: their differences within the row.
std::vector<double> centred_scores(std::vector<double>::const_iterator row, std::size_t width) {
    std::vector<double> scores(width);
    std::transform(row, row + static_cast<std::ptrdiff_t>(width), scores.begin(), [](double w) { return std::log(w); });
    const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(width);
    for (double& score : scores) score -= mean;
    return scores;
}

/// Whether the weights of each row come from scores that are a factor times the right ones, as far as rows hold no
/// weight that is next to nothing.
bool only_scaled(const Pair& pair) {
    constexpr double slack = 1e-3;
    constexpr double smallest = 1e-6;
    const auto width = static_cast<std::size_t>(pair.expected.shape.back());
    for (std::size_t begin = 0; begin < pair.expected.value.size(); begin += width) {
        const auto offset = static_cast<std::ptrdiff_t>(begin);
        const auto end = offset + static_cast<std::ptrdiff_t>(width);
        const auto least = [&](const std::vector<double>& values) {
            return *std::min_element(values.begin() + offset, values.begin() + end);
        };
        if (least(pair.expected.value) < smallest || least(pair.seen.value) < smallest) continue;
        const auto right = centred_scores(pair.expected.value.begin() + offset, width);
        const auto seen = centred_scores(pair.seen.value.begin() + offset, width);
        const double along = std::inner_product(right.begin(), right.end(), seen.begin(), 0.0);
        const double squares = std::inner_product(right.begin(), right.end(), right.begin(), 0.0);
        for (std::size_t i = 0; i < width; ++i)
            if (!(std::abs(seen[i] * squares - along * right[i]) <= slack * (std::abs(along) + squares))) return false;
    }
    return true;
}

/// Scores and their scale are told apart by what comes after them.
Stage scores_or_scale(Stage stage, const std::vector<Pair>& pairs) {
    if (stage == Stage::scores && !constant_factor(pairs).empty()) return Stage::scale;
    const auto is_more = [](const Pair& pair) {
        return has_rows_of_one(pair.expected) && has_rows_of_one(pair.seen) && !only_scaled(pair);
    };
    return stage == Stage::scale && std::any_of(pairs.begin(), pairs.end(), is_more) ? Stage::scores : stage;
}

/// Whether every row that should sum to 1 is right but for a factor of its own.
bool only_sums_are_wrong(const Pair& pair) {
    if (!has_rows_of_one(pair.expected)) return false;
    const auto width = static_cast<std::size_t>(pair.expected.shape.back());
    for (std::size_t begin = 0; begin < pair.expected.value.size(); begin += width) {
        const auto sum_of = [&](const Array& array) {
            const auto row = array.value.begin() + static_cast<std::ptrdiff_t>(begin);
            return std::accumulate(row, row + array.shape.back(), 0.0);
        };
        const double sum = sum_of(pair.seen);
        if ((sum == 0) != (sum_of(pair.expected) == 0)) return false;
        for (std::size_t i = begin; i < begin + width; ++i)
            if (!(std::abs(pair.seen.value[i] - sum * pair.expected.value[i]) <= 1e-3 * std::abs(sum))) return false;
    }
    return true;
}

/// Whether the numbers are those of the right answer, its last two axes exchanged and then read in their order.
bool is_viewed_for_transposed(const Pair& pair) {
    Pair turned{pair.part, reference::transpose(pair.expected, -2, -1), pair.seen};
    turned.seen.shape = turned.expected.shape;
    return !differs(turned);
}

/// The same of all wrong answers for that part, as far as there are two axes to exchange. That they are wrong tells
/// this from a matrix that is its own transpose.
bool is_viewed_for_transposed(const std::vector<Pair>& pairs, const std::string& part) {
    int telling = 0;
    for (const Pair& pair : pairs) {
        if (pair.part != part) continue;
        const Shape& shape = pair.expected.shape;
        if (shape.size() < 2 || shape.back() < 2 || shape[shape.size() - 2] < 2) continue;
        if (!is_viewed_for_transposed(pair)) return false;
        ++telling;
    }
    return telling > 0;
}

/// Whether in all of these answers rows that should be zeros are wrong, and no others.
bool wrong_where_zeros_are_due(const std::vector<Pair>& pairs) {
    for (const Pair& pair : pairs) {
        if (pair.expected.shape.size() < 2 || pair.expected.shape.back() < 1) return false;
        const auto width = static_cast<std::size_t>(pair.expected.shape.back());
        for (std::size_t begin = 0; begin < pair.expected.value.size(); begin += width) {
            bool is_wrong = false, is_zero = true;
            for (std::size_t i = begin; i < begin + width; ++i) {
                is_wrong |= differs(pair, i);
                is_zero &= pair.expected.value[i] == 0;
            }
            if (is_wrong && !is_zero) return false;
        }
    }
    return !pairs.empty();
}

bool is_all_nan(const Pair& pair) {
    return std::all_of(pair.seen.value.begin(), pair.seen.value.end(), [](double x) { return std::isnan(x); });
}

/// Of answers whose parts are NaN in every number, each that is wrong.
std::string only_nan(const Parts& parts) {
    std::string what = "every number of each wrong answer is NaN";
    if (parts.wrong.size() + parts.right.size() > 1)
        what = std::string("wherever ") + (parts.wrong.size() > 1 ? "one of " : "") + listed_in_short(parts.wrong) +
               " is wrong, all its numbers are NaN";
    return what + ": somewhere you compute 0 / 0, 0 · ∞ or ∞ - ∞";
}

bool is_right(const Observation& observation) {
    return fit(predicted(observation, right()), observation.seen).has_value();
}

/// Whether there is nothing to compare with what is due.
bool gave_no_value(const Observation& observation) {
    const Answer due = predicted(observation, right());
    return due.is_value() &&
           (!observation.seen.is_value() || (says_it_refused(observation.seen) && is_answer_due(due)));
}

/// Whether something may be blocked: by a mask, or by the causal option.
bool has_mask(const Observation& observation) {
    return std::any_of(observation.arguments.begin(), observation.arguments.end(), [](const wire::Field& argument) {
        const auto* mask = std::get_if<Mask>(&argument.value);
        const auto* option = std::get_if<bool>(&argument.value);
        return (mask != nullptr && mask->defined()) || (argument.name == "causal" && option != nullptr && *option);
    });
}

/// Whether all that is asked without a mask is answered right, and something with one is not.
bool goes_wrong_with_masks_alone(const std::vector<Observation>& observations) {
    return !std::ranges::all_of(observations, has_mask) && !std::ranges::all_of(observations, is_right) &&
           std::ranges::all_of(observations, [](const Observation& one) { return has_mask(one) || is_right(one); });
}

}  // namespace

void localise(verdict::FunctionDiagnosis& diagnosis, const Function& function, judge::Student& student,
              const std::vector<Observation>& observations, OwnFunctions& own) {
    auto pairs = wrong_pairs(observations);
    const std::vector<Observation> beside_theirs = own.measured(observations);
    const auto& measured = beside_theirs.empty() ? observations : beside_theirs;
    const std::string right_in_words =
        beside_theirs.empty() ? "right" : "right, or right given your own earlier functions";
    const Parts parts = parts_of(wrong_pairs(measured));
    std::erase_if(pairs, [](const Pair& pair) { return !differs(pair); });
    diagnosis.stage = goes_wrong_with_masks_alone(measured) ? Stage::mask : stage_of(parts, function, function.stage);
    const auto shown = std::ranges::find_if(function.stages, [&](const auto& stage) {
        return std::ranges::any_of(measured,
                                   [&](const Observation& one) { return one.name == stage.second && !is_right(one); });
    });
    if (shown != function.stages.end()) {
        diagnosis.stage = shown->first;
        // What was asked is certain; which stage it blames is a guess as long as what comes later may be wrong too.
        if (!is_wrong_without_mask(measured, shown->second, function, student))
            diagnosis.sentences.push_back(wrong_already + ("where " + shown->second));
    }
    diagnosis.stage = scores_or_scale(diagnosis.stage, pairs);
    // Blocked keys get nothing and open ones their due share of a sum that is not 1.
    if (diagnosis.stage == Stage::mask && !pairs.empty() &&
        std::all_of(pairs.begin(), pairs.end(), only_sums_are_wrong))
        diagnosis.stage = Stage::softmax;
    const auto shapes = other_shape(observations);
    if (std::string words = shapes ? in_words(*shapes, function) : ""; !words.empty())
        diagnosis.sentences.push_back(std::move(words));
    if (!parts.wrong.empty() && !parts.right.empty())
        diagnosis.sentences.push_back("wrong: " + listed_in_short(parts.wrong) + "; " + right_in_words + ": " +
                                      listed_in_short(parts.right));
    const bool refuses = std::ranges::any_of(observations, threw_where_an_answer_is_due);
    // What is said of all wrong answers is known of those alone that came in the right shape.
    const bool all_are_compared = !shapes && std::ranges::none_of(observations, gave_no_value);
    if (all_are_compared && !pairs.empty() && std::all_of(pairs.begin(), pairs.end(), is_all_nan))
        diagnosis.sentences.push_back(only_nan(parts));
    if (const std::string factor = constant_factor(pairs); !factor.empty()) diagnosis.sentences.push_back(factor);
    if (std::string nearly = nearly_right(pairs); all_are_compared && !nearly.empty())
        diagnosis.sentences.push_back(std::move(nearly));
    for (std::string& sentence : zeros_in(pairs)) diagnosis.sentences.push_back(std::move(sentence));
    if (std::string copied = copied_rows(observations); !copied.empty())
        diagnosis.sentences.push_back(std::move(copied));
    for (const std::string& part : parts.wrong)
        if (all_are_compared && is_viewed_for_transposed(pairs, part)) {
            diagnosis.sentences.push_back(
                (parts.wrong.size() + parts.right.size() > 1 ? "in " + part + ", " : "") +
                "the numbers are right and stand in the order of the transposed matrix: is it "
                "viewed where it should be transposed?");
            break;
        }
    if (all_are_compared && wrong_where_zeros_are_due(pairs))
        diagnosis.sentences.emplace_back("wrong only in rows that should be all zeros");
    if (all_are_compared)
        for (std::string& sentence : wrong_slices(pairs, parts.wrong.size() + parts.right.size() > 1))
            diagnosis.sentences.push_back(std::move(sentence));
    for (std::string& sentence : broken_in(pairs)) diagnosis.sentences.push_back(std::move(sentence));
    std::vector<judge::Arguments> questions;
    for (const Observation& observation : observations)
        if (observation.seen.is_value()) questions.push_back(observation.arguments);
    const auto answered = [&](const judge::Arguments& arguments) { return ask(student, function, arguments).answer; };
    for (std::string& sentence : broken_invariants(function.invariants, answered, questions))
        diagnosis.sentences.push_back(std::move(sentence));
    if (refuses) diagnosis.sentences.emplace_back(throws_for_some);
    // A refusal that is due says nothing of how often its answers are right, and rows of padding say nothing.
    std::vector<Observation> answers;
    std::ranges::copy_if(measured, std::back_inserter(answers), [](const Observation& one) {
        const bool shows_nothing = is_right(one) && has_padding_alone(one.arguments);
        return !shows_nothing && is_answer_due(predicted(one, right()));
    });
    const auto& counted = std::ranges::all_of(answers, is_right) ? measured : answers;
    const auto right_ones = std::ranges::count_if(counted, is_right);
    diagnosis.sentences.push_back(fmt::format("of {} call{} with small inputs, {}", counted.size(),
                                              counted.size() == 1 ? "" : "s",
                                              right_ones == 0   ? "none is "
                                              : right_ones == 1 ? "1 is "
                                                                : std::to_string(right_ones) + " are ") +
                                  right_in_words);
}

}  // namespace headway::diagnosis
