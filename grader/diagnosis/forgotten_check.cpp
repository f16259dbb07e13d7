#include "diagnosis/forgotten_check.hpp"

#include "diagnosis/examination.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include <fmt/format.h>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

/// What an argument has a size of: "axis 0 of x", "the count of x".
using Sizes = std::map<std::string, Index>;

Index product(const Shape& shape) { return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>()); }

/// Suites say more in the name of an argument: "x (a transposed view)".
std::string plain_name(const std::string& name) { return name.substr(0, name.find(" (")); }

Sizes sizes_of(const Arguments& arguments) {
    Sizes sizes;
    for (const wire::Field& argument : arguments) {
        const std::string name = plain_name(argument.name);
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

std::vector<Misfit> misfits_in(const std::vector<Observation>& observations) {
    std::vector<Sizes> fitting;
    for (const Observation& one : observations)
        if (predicted(one, right()).is_value()) fitting.push_back(sizes_of(one.arguments));
    std::vector<Misfit> all;
    const auto agreeing = sizes_that_agree(fitting);
    for (const auto& [a, b] : agreeing) {
        all.push_back(misfit_where(b, "is larger than", a, std::greater<Index>()));
        all.push_back(misfit_where(b, "is smaller than", a, std::less<Index>()));
    }
    for (const auto& [a, b] : agreeing) all.push_back(misfit_where(a, "differs from", b, std::not_equal_to<Index>()));
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
    // An index that left its tensor looks like a refusal, but nobody looked at the arguments.
    std::erase_if(refused, [&](const Observation* one) {
        return !ask(student, function, one->arguments).left_its_tensor.empty();
    });
    std::vector<Misfit> all = misfits_in(observations);
    all.insert(all.begin(), {"", [](const Arguments&) { return true; }});
    for (const Mistake* mistake : candidates) {
        if (!is_check(*mistake)) continue;
        Choices choices = with({mistake});
        choices.checking.lenient = false;  // what is not refused is to follow from this check, not from any
        const auto explains = [&](const Observation* one) {
            const Answer answer = predicted(*one, choices);
            return answer.kind != Answer::Kind::unpredicted && fit(answer, one->seen);
        };
        if (!std::ranges::all_of(forgotten, explains)) continue;
        for (const Misfit& misfit : all) {
            const auto holds = [&](const Observation* one) { return misfit.holds(one->arguments); };
            if (std::ranges::all_of(forgotten, holds) &&
                std::ranges::all_of(refused, [&](const Observation* one) { return explains(one) || !holds(one); }))
                return CheckForgottenWhere{mistake, misfit.words, static_cast<int>(forgotten.size())};
        }
    }
    return std::nullopt;
}

bool is_forgotten_check(const Mistake* mistake) {
    return mistake->id == not_refused || mistake->decision.starts_with("check_");
}

bool misses_refusals_alone(const std::vector<Observation>& observations) {
    return std::ranges::all_of(observations, [](const Observation& one) {
        const Answer due = predicted(one, right());
        return fit(due, one.seen) || (due.kind == Answer::Kind::refused && one.seen.is_value());
    });
}

}  // namespace headway::diagnosis
