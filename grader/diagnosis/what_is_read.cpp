#include "diagnosis/what_is_read.hpp"

#include "diagnosis/bounds.hpp"
#include "diagnosis/conditions.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/parts_of_result.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

constexpr const char* never_read = "part_never_read";
constexpr const char* read_for_another = "part_read_for_another";

// ---- the tensors of a call --------------------------------------------------------------------------------------

Mask* mask_of(Arguments& arguments) {
    for (wire::Field& argument : arguments)
        if (auto* mask = std::get_if<Mask>(&argument.value)) return mask;
    return nullptr;
}

// ---- what a function may have read ------------------------------------------------------------------------------

class Misreadings {
public:
    Misreadings(const Function& function, const Observation& like)
        : function_(function), like_(like), facts_(facts_of(like.arguments)), wrong_parts_(wrong_parts(like)) {}

    std::vector<Explanation> all() {
        Arguments arguments = like_.arguments;
        std::vector<std::pair<std::string, Shape>> tensors;
        each_tensor(arguments,
                    [&](const std::string& name, Tensor& tensor) { tensors.emplace_back(name, tensor.shape()); });
        // What is said of the result is true whatever leads to it, so it comes first.
        all_ = miswritten_parts(like_);
        for (const auto& [name, shape] : tensors) result_is(name, shape);
        result_up_to_a_bound();
        if (axes("v", 4).size() == 4) one_slice_for_all({"k", "v"}, axes_of("v", 4));
        for (const auto& [name, shape] : tensors) {
            const auto axes = axes_of(name, shape.size());
            one_slice_for_all({name}, axes);
            up_to_a_bound(name, axes);
            without_the_first(name, axes);
        }
        keys_up_to_a_bound();
        // One comes before two: beside one that matters may stand one that never does, such as the bias of keys.
        for (const auto& tensor : tensors) as_a_whole({tensor.first});
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            for (std::size_t j = i + 1; j < tensors.size(); ++j) {
                if (tensors[i].second != tensors[j].second) continue;
                as_a_whole({tensors[i].first, tensors[j].first});
                taken_for(tensors[i].first, tensors[j].first);
                taken_for(tensors[j].first, tensors[i].first);
            }
        }
        return std::move(all_);
    }

private:
    /// Makes of the arguments those that were read. @return whether they differ
    using AsRead = std::function<bool(Arguments&, const Facts&)>;
    std::vector<std::string> axes(const std::string& name, std::size_t rank) {
        Arguments arguments = like_.arguments;
        const Tensor* tensor = tensor_named(arguments, name);
        return tensor != nullptr && tensor->shape().size() == rank ? axes_of(name, rank) : std::vector<std::string>{};
    }

    /// Where some parts of the result are right, it may be true of the others alone.
    void add_reading(const char* id, const std::string& words, const AsRead& as_read) {
        const auto predict = [&function = function_, as_read](const Observation& observation) {
            Observation other{observation.arguments, observation.seen, nullptr};
            try {
                if (!as_read(other.arguments, facts_of(observation.arguments))) return predicted(observation, right());
                other.predict = function.model(other.arguments);
            } catch (const std::exception&) {
                // it does not fit together, and should have been refused
            }
            return other.predict ? predicted(other, right()) : Answer::without_value(Answer::Kind::impossible);
        };
        all_.push_back({&mistake(id), words, predict});
        if (wrong_parts_.empty()) return;
        const auto of_these_alone = [predict, wrong = wrong_parts_](const Observation& observation) {
            Answer answer = predicted(observation, right()), as_if = predict(observation);
            if (!answer.is_value() || !have_same_parts(answer, as_if)) return as_if;
            for (std::size_t i = 0; i < answer.parts.size(); ++i)
                if (std::ranges::find(wrong, answer.parts[i].first) != wrong.end())
                    answer.parts[i].second = std::move(as_if.parts[i].second);
            return answer;
        };
        all_.push_back(
            {&mistake(id), fmt::format("for {}, {}", fmt::join(wrong_parts_, " and "), words), of_these_alone});
    }

    /// Slice 0 stands for the others.
    void one_slice_for_all(const std::vector<std::string>& names, const std::vector<std::string>& axes) {
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            const std::string one = slice_of(axes[axis], names.front());
            add_reading(read_for_another,
                        fmt::format("{} of {} 0 {} read for every {}", listed_parts(names), one,
                                    names.size() == 1 ? "is" : "are", one),
                        [=](Arguments& arguments, const Facts&) {
                            bool differs = false;
                            for (const std::string& name : names) {
                                Tensor* tensor = tensor_named(arguments, name);
                                if (tensor == nullptr || tensor->shape().size() != axes.size()) continue;
                                const auto along = static_cast<Index>(axis);
                                *tensor = tensor->contiguous().clone();
                                for (Index i = 1; i < tensor->size(along); ++i)
                                    tensor->select(along, i).copy_from(tensor->select(along, 0));
                                differs |= tensor->size(along) > 1;
                            }
                            return differs;
                        });
        }
    }

    /// Slices beyond a bound count as 0, or are not there.
    void up_to_a_bound(const std::string& name, const std::vector<std::string>& axes) {
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            for (const Bound& bound : bounds(facts_, axes[axis]))
                for (const bool cut : {false, true}) {
                    if (cut && axes[axis] != "d_v") continue;  // a result of another width
                    const std::string words = beyond(bound, slices_of(axes[axis], name) + " of " + name,
                                                     cut ? "are cut off" : "are never read");
                    add_reading(never_read, words, [=](Arguments& arguments, const Facts& facts) {
                        Tensor* tensor = tensor_named(arguments, name);
                        if (tensor == nullptr || tensor->shape().size() != axes.size()) return false;
                        const auto along = static_cast<Index>(axis);
                        const Index n = tensor->size(along), end = bound.of(facts, n);
                        if (end == n) return false;
                        *tensor = cut ? tensor->slice(along, 0, end) : tensor->contiguous().clone();
                        if (!cut) tensor->slice(along, end, n).fill(0);
                        return true;
                    });
                }
    }

    /// The first slice counts as 0.
    void without_the_first(const std::string& name, const std::vector<std::string>& axes) {
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            add_reading(never_read,
                        fmt::format("the first of the {} of {} is never read", slices_of(axes[axis], name), name),
                        [=](Arguments& arguments, const Facts&) {
                            Tensor* tensor = tensor_named(arguments, name);
                            if (tensor == nullptr || tensor->shape().size() != axes.size()) return false;
                            *tensor = tensor->contiguous().clone();
                            tensor->select(static_cast<Index>(axis), 0).fill(0);
                            return true;
                        });
    }

    /// Keys beyond a bound have no share.
    void keys_up_to_a_bound() {
        if (!facts_.size.contains("S")) return;
        for (const Bound& bound : bounds(facts_, "S"))
            add_reading(never_read, beyond(bound, "keys", "are never read"),
                        [=](Arguments& arguments, const Facts& facts) {
                            const auto size = facts.size.find("S");
                            if (size == facts.size.end()) return false;
                            const Index S = size->second, end = bound.of(facts, S);
                            if (end == S) return false;
                            if (Mask* mask = mask_of(arguments)) {
                                block_from(*mask, end, S);
                                return true;
                            }
                            each_tensor(arguments, [&](const std::string& name, Tensor& tensor) {
                                const auto axes = axes_of(name, tensor.shape().size());
                                for (std::size_t axis = 0; axis < axes.size(); ++axis)
                                    if (axes[axis] == "S") tensor = tensor.slice(static_cast<Index>(axis), 0, end);
                            });
                            return true;
                        });
    }

    static void block_from(Mask& mask, Index end, Index S) {
        Shape shape = mask.defined() ? mask.shape() : Shape{S};
        shape.back() = S;
        Mask blocked = mask.defined() ? mask.expand(shape).clone() : Mask::allow_all(shape);
        for (Index i = 0; i < blocked.numel(); ++i)
            if (i % S >= end) blocked.data()[i] = true;
        mask = blocked;
    }

    /// Slices of the result beyond a bound are left at 0.
    void result_up_to_a_bound() {
        const Answer due = predicted(like_, right());
        if (!due.is_value()) return;
        for (const auto& [part, array] : due.parts) {
            const std::vector<std::string> axes = axes_of_result(array.shape.size());
            for (std::size_t axis = 0; axis < axes.size(); ++axis) {
                const std::string slices = slices_of(axes[axis]) + " of " + (part.empty() ? "the result" : part);
                for (const Bound& bound : bounds(facts_, axes[axis]))
                    left_at_zero(part, axis, beyond(bound, slices, "stay 0"),
                                 [=](const Facts& facts, Index i, Index n) { return i >= bound.of(facts, n); });
                if (axes[axis] == "H" && facts_.size.contains("H_kv"))
                    left_at_zero(part, axis, "only the first head of each group is computed, the others stay 0",
                                 [](const Facts& facts, Index i, Index n) {
                                     const Index H_kv = facts.size.at("H_kv");
                                     return i % std::max(n / std::max(H_kv, Index{1}), Index{1}) != 0;
                                 });
            }
        }
    }

    /// What comes back is an argument, as it was given.
    void result_is(const std::string& name, const Shape& shape) {
        const Answer due = predicted(like_, right());
        if (due.parts.size() != 1 || due.parts.front().second.shape != shape) return;
        all_.push_back({&mistake(never_written), fmt::format("what comes back is {}, as it was given", name),
                        [name = name](const Observation& observation) {
                            Arguments arguments = observation.arguments;
                            const Answer right_one = predicted(observation, right());
                            const Tensor* given = tensor_named(arguments, name);
                            return right_one.is_value() && given != nullptr ? Answer::of(reference::exact(*given))
                                                                            : right_one;
                        }});
    }

    static std::vector<std::string> axes_of_result(std::size_t rank) {
        if (rank == 4) return {"B", "H", "T", "d_v"};
        if (rank == 3) return {"B", "T", "D"};
        return rank == 2 ? std::vector<std::string>{"T", "D"} : std::vector<std::string>{};
    }

    using IsLeft = std::function<bool(const Facts&, Index i, Index n)>;
    void left_at_zero(const std::string& part, std::size_t axis, std::string words, IsLeft is_left) {
        all_.push_back(as_written(never_written, std::move(words), [=](Answer& answer, const Arguments& arguments) {
            const Facts facts = facts_of(arguments);
            for (auto& [name, array] : answer.parts) {
                if (name != part || array.shape.size() <= axis) continue;
                each(array.shape, [&, &into = array](Coordinate at, std::size_t i) {
                    if (!is_left(facts, at[axis], into.shape[axis])) return;
                    into.value[i] = into.error[i] = 0;
                });
            }
        }));
    }

    /// None of their numbers counts, or each counts twice.
    void as_a_whole(const std::vector<std::string>& names) {
        for (const float factor : {0.0F, 2.0F})
            add_reading(factor == 0 ? never_read : read_for_another,
                        fmt::format("{} {} {}", listed_parts(names), names.size() == 1 ? "is" : "are",
                                    factor == 0 ? "never read" : "counted twice"),
                        [=](Arguments& arguments, const Facts&) {
                            bool differs = false;
                            for (const std::string& name : names)
                                if (Tensor* tensor = tensor_named(arguments, name)) {
                                    *tensor = *tensor * factor;
                                    differs = true;
                                }
                            return differs;
                        });
    }

    void taken_for(const std::string& read, const std::string& due) {
        add_reading(read_for_another, fmt::format("{} is read where {} should be", read, due),
                    [=](Arguments& arguments, const Facts&) {
                        const Tensor* from = tensor_named(arguments, read);
                        Tensor* to = tensor_named(arguments, due);
                        if (from == nullptr || to == nullptr || from->shape() != to->shape()) return false;
                        *to = *from;
                        return true;
                    });
    }

    const Function& function_;
    const Observation& like_;
    Facts facts_;
    std::vector<std::string> wrong_parts_;  ///< of the result, where some are right
    std::vector<Explanation> all_;
};

}  // namespace

std::vector<Explanation> misreadings(const Function& function, const Observation& like) {
    return Misreadings(function, like).all();
}

}  // namespace headway::diagnosis
