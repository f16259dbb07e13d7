#include "diagnosis/forgotten_check.hpp"

#include "diagnosis/examination.hpp"
#include "diagnosis/only_where.hpp"

#include "student/time_budget.hpp"
#include "verdict/phrases.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

/// What an argument has a size of: "axis 0 of x", "the count of x".
using Sizes = std::map<std::string, Index>;

Index product(const Shape& shape) { return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>()); }

Sizes sizes_of(const Arguments& arguments) {
    Sizes sizes;
    for (const wire::Field& argument : arguments) {
        const std::string name = verdict::name_alone(argument.name);
        if (const auto* tensor = std::get_if<Tensor>(&argument.value)) {
            if (!tensor->defined()) continue;
            for (std::size_t axis = 0; axis < tensor->shape().size(); ++axis)
                sizes[fmt::format("axis {} of {}", axis, name)] = tensor->shape()[axis];
            sizes["the count of " + name] = tensor->numel();
        } else if (const auto* shape = std::get_if<Shape>(&argument.value)) {
            sizes["the product of " + name] = product(*shape);
        }
    }
    return sizes;
}

/// What may be wrong with the arguments of a call.
struct Misfit {
    std::string words;
    std::function<bool(const Arguments&)> holds;
};

bool is_of_one_argument(const std::string& a, const std::string& b) {
    return a.substr(a.rfind(' ')) == b.substr(b.rfind(' '));
}

/// Sizes of two arguments that are equal in every call that fits, and not always the same.
std::vector<std::pair<std::string, std::string>> sizes_that_agree(const std::vector<Sizes>& fitting) {
    std::map<std::pair<std::string, std::string>, bool> agree;
    for (const Sizes& one : fitting)
        for (const auto& [a, size] : one)
            for (const auto& [b, other] : one) {
                if (!(a < b) || is_of_one_argument(a, b)) continue;
                auto [entry, is_new] = agree.try_emplace({a, b}, true);
                entry->second = entry->second && size == other;
            }
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const auto& [pair, always] : agree)
        if (always) pairs.push_back(pair);
    return pairs;
}

Misfit misfit_where(const std::string& a, const std::string& sign, const std::string& b,
                    const std::function<bool(Index, Index)>& compare) {
    return {fmt::format("{} {} {}", a, sign, b), [=](const Arguments& arguments) {
                const Sizes sizes = sizes_of(arguments);
                const auto first = sizes.find(a), second = sizes.find(b);
                return first != sizes.end() && second != sizes.end() && compare(first->second, second->second);
            }};
}

const Mask* mask_in(const Arguments& arguments) {
    for (const wire::Field& argument : arguments)
        if (const auto* mask = std::get_if<Mask>(&argument.value); mask != nullptr && mask->defined()) return mask;
    return nullptr;
}

using PairsOfSizes = std::vector<std::pair<std::string, std::string>>;

PairsOfSizes sizes_that_agree(const std::vector<Observation>& observations) {
    std::vector<Sizes> fitting;
    for (const Observation& one : observations)
        if (predicted(one, right()).is_value()) fitting.push_back(sizes_of(one.arguments));
    return sizes_that_agree(fitting);
}

/// "axis 0 of x" in its parts.
struct Axis {
    Index number;
    std::string argument;
};

std::optional<Axis> axis_in(const std::string& size) {
    constexpr std::string_view begin = "axis ";
    if (!size.starts_with(begin)) return std::nullopt;
    return Axis{std::stoi(size.substr(begin.size())), size.substr(size.rfind(' ') + 1)};
}

/// Where two axes of one argument have to agree with two of another, and only their product does.
std::vector<Misfit> misfits_with_the_same_product(const PairsOfSizes& agreeing) {
    std::vector<Misfit> all;
    for (std::size_t i = 0; i < agreeing.size(); ++i)
        for (std::size_t j = i + 1; j < agreeing.size(); ++j) {
            const auto first = axis_in(agreeing[i].first), second = axis_in(agreeing[j].first);
            const auto other = axis_in(agreeing[i].second), last = axis_in(agreeing[j].second);
            if (!first || !second || !other || !last || first->argument != second->argument ||
                other->argument != last->argument || first->number == second->number || other->number == last->number)
                continue;
            const std::vector<std::string> names{agreeing[i].first, agreeing[j].first, agreeing[i].second,
                                                 agreeing[j].second};
            all.push_back(
                {fmt::format("axes {} and {} of {} differ from axes {} and {} of {} and have the same product",
                             other->number, last->number, other->argument, first->number, second->number,
                             first->argument),
                 [names](const Arguments& arguments) {
                     const Sizes sizes = sizes_of(arguments);
                     const auto has = [&](const std::string& name) { return sizes.contains(name); };
                     if (!std::ranges::all_of(names, has)) return false;
                     const Index a = sizes.at(names[0]), b = sizes.at(names[1]), c = sizes.at(names[2]),
                                 d = sizes.at(names[3]);
                     return a * b == c * d && a != c;
                 }});
        }
    return all;
}

/// Calls that fit but for one axis of one argument, which is longer or shorter by 1.
std::vector<Arguments> with_one_size_changed(const Arguments& fitting, const PairsOfSizes& agreeing) {
    std::vector<Arguments> calls;
    for (const auto& pair : agreeing) {
        const auto axis = axis_in(pair.second);
        const auto changed = [&](const wire::Field& one) {
            return axis && verdict::name_alone(one.name) == axis->argument;
        };
        const auto place = std::ranges::find_if(fitting, changed) - fitting.begin();
        if (static_cast<std::size_t>(place) == fitting.size()) continue;
        const auto& tensor = std::get<Tensor>(fitting[static_cast<std::size_t>(place)].value);
        for (const Index by : {-1, 1}) {
            Shape shape = tensor.shape();
            Index& size = shape.at(static_cast<std::size_t>(axis->number));
            const Index common = std::min(size, size + by);
            size += by;
            if (size < 1) continue;
            const Tensor other = Tensor::zeros(shape);
            other.slice(axis->number, 0, common).copy_from(tensor.slice(axis->number, 0, common));
            calls.push_back(fitting);
            calls.back()[static_cast<std::size_t>(place)].value = other;
        }
    }
    return calls;
}

/// What comes of such calls that should be refused, as far as the function looked at what it was given.
std::vector<Observation> ask_with_one_size_changed(const std::vector<Observation>& observations,
                                                   const PairsOfSizes& agreeing, const Function& function,
                                                   judge::Student& student) {
    constexpr std::size_t most_questions = 24;
    std::vector<Observation> answered;
    const auto fits = [](const Observation& one) { return predicted(one, right()).is_value(); };
    const auto fitting = std::ranges::find_if(observations, fits);
    if (fitting == observations.end()) return answered;
    for (const Arguments& arguments : with_one_size_changed(fitting->arguments, agreeing)) {
        if (answered.size() == most_questions) break;
        Observation one{arguments, {}, known_prediction(function, arguments)};
        if (!one.predict || predicted(one, right()).kind != Answer::Kind::refused) continue;
        const Reply reply = ask(student, function, arguments);
        if (reply.failure || reply.out_of_range) continue;
        one.seen = reply.answer;
        answered.push_back(std::move(one));
    }
    return answered;
}

std::vector<Misfit> misfits_among(const PairsOfSizes& agreeing) {
    std::vector<Misfit> all = misfits_with_the_same_product(agreeing);
    for (const auto& [a, b] : agreeing) {
        all.push_back(misfit_where(b, "is larger than", a, std::greater<>()));
        all.push_back(misfit_where(b, "is smaller than", a, std::less<>()));
    }
    for (const auto& [a, b] : agreeing) all.push_back(misfit_where(a, "differs from", b, std::not_equal_to<>()));
    for (Index rank = 1; rank <= 4; ++rank)
        all.push_back(
            {fmt::format("the mask has {} ax{}s", rank, rank == 1 ? "i" : "e"), [rank](const Arguments& arguments) {
                 const Mask* mask = mask_in(arguments);
                 return mask != nullptr && mask->rank() == rank;
             }});
    return all;
}

bool is_check(const Mistake& mistake) { return mistake.decision.starts_with("check_"); }

}  // namespace

std::optional<CheckForgottenWhere> check_forgotten_where(const std::vector<Observation>& observations,
                                                         const std::vector<const Mistake*>& candidates,
                                                         const Function& function, judge::Student& student) {
    std::vector<const Observation*> forgotten, refused;
    for (const Observation& one : observations) {
        const Answer due = predicted(one, right());
        const bool is_right = fit(due, one.seen).has_value();
        if (!is_right && due.kind != Answer::Kind::refused) return std::nullopt;
        if (!is_right) forgotten.push_back(&one);
        if (is_right && due.kind == Answer::Kind::refused) refused.push_back(&one);
    }
    if (forgotten.empty()) return std::nullopt;
    // What left a tensor, by an index or a slice, looks like a refusal, but nobody looked at the arguments.
    std::erase_if(refused, [&](const Observation* one) { return ask(student, function, one->arguments).out_of_range; });
    const PairsOfSizes agreeing = sizes_that_agree(observations);
    std::vector<Misfit> all = misfits_among(agreeing);
    all.insert(all.begin(), {"", [](const Arguments&) { return true; }});
    for (const Mistake* mistake : candidates) {
        if (!is_check(*mistake)) continue;
        Choices choices = with({mistake});
        choices.checking.lenient = false;  // what is not refused is to follow from this check, not from any
        const auto explains = [&](const Observation& one) {
            const Answer answer = predicted(one, choices);
            return answer.kind != Answer::Kind::unpredicted && fit(answer, one.seen);
        };
        if (!std::ranges::all_of(forgotten, [&](const Observation* one) { return explains(*one); })) continue;
        const auto tells = [&](const Misfit& misfit) {
            const auto holds = [&](const Observation* one) { return misfit.holds(one->arguments); };
            return std::ranges::all_of(forgotten, holds) &&
                   std::ranges::all_of(refused, [&](const Observation* one) { return explains(*one) || !holds(one); });
        };
        auto found = std::ranges::find_if(all, tells);
        if (found == all.end()) continue;
        CheckForgottenWhere check{mistake, found->words, static_cast<int>(forgotten.size())};
        if (check.condition.empty()) return check;
        // Of few calls, many conditions hold: it must hold of others, too.
        const auto others = ask_with_one_size_changed(observations, agreeing, function, student);
        const auto agrees = [&](const Misfit& misfit) {
            return std::ranges::all_of(others, [&](const Observation& one) {
                const bool holds = misfit.holds(one.arguments);
                if (one.seen.kind != Answer::Kind::refused) return holds;
                return !holds || predicted(one, choices).kind == Answer::Kind::refused;  // by another check
            });
        };
        found = std::find_if(found, all.end(), [&](const Misfit& misfit) { return tells(misfit) && agrees(misfit); });
        check.condition = found == all.end() ? in_some_calls : found->words;
        return check;
    }
    return std::nullopt;
}

bool is_forgotten_check(const Mistake* mistake) {
    return mistake->id == not_refused || mistake->id == refused_by_another_type ||
           mistake->decision.starts_with("check_");
}

bool misses_refusals_alone(const std::vector<Observation>& observations) {
    return std::ranges::all_of(observations, [](const Observation& one) {
        const Answer due = predicted(one, right());
        return fit(due, one.seen) || (due.kind == Answer::Kind::refused && one.seen.is_value());
    });
}

namespace {

/// Of much that does not fit there is no model: it is asked with one number more along the last axis of each tensor.
bool refuses_longer_tensors(const Function& function, const Arguments& fitting, judge::Student& student) {
    bool has_refused = false;
    for (std::size_t i = 0; i < fitting.size(); ++i) {
        const auto* tensor = std::get_if<Tensor>(&fitting[i].value);
        if (tensor == nullptr || !tensor->defined() || tensor->rank() == 0) continue;
        Shape longer = tensor->shape();
        ++longer.back();
        Arguments misfit = fitting;
        misfit[i].value = Tensor::ones(longer);
        if (known_prediction(function, misfit)) continue;  // it may fit
        const Reply reply = ask(student, function, misfit);
        if (reply.failure || reply.answer.is_value()) return false;
        has_refused |= reply.answer.kind == Answer::Kind::refused;
    }
    return has_refused;
}

}  // namespace

bool refuses_rightly(const Function& function, const std::vector<Observation>& observations, judge::Student& student) {
    if (function.ask) return false;
    try {
        bool has_refused = false;
        const Observation* answered = nullptr;
        for (const Observation& one : observations) {
            const Answer due = predicted(one, right());
            has_refused |= due.kind == Answer::Kind::refused && one.seen.kind == Answer::Kind::refused;
            if (!one.seen.is_value()) continue;
            if (due.kind == Answer::Kind::refused) return false;
            const auto has_its_shape = [](const auto& a, const auto& b) { return a.second.shape == b.second.shape; };
            if (due.is_value() && !std::ranges::equal(due.parts, one.seen.parts, has_its_shape)) return false;
            if (answered == nullptr && due.is_value()) answered = &one;
        }
        if (has_refused || answered == nullptr) return has_refused;
        return refuses_longer_tensors(function, answered->arguments, student);
    } catch (const judge::OutOfTime&) {
        return false;  // what was found of the function is told all the same
    }
}

}  // namespace headway::diagnosis
