#include "diagnosis/resizing.hpp"

#include "diagnosis/asking.hpp"
#include "diagnosis/conditions.hpp"
#include "diagnosis/parts_of_result.hpp"
#include "diagnosis/search.hpp"

#include "student/behaviour.hpp"
#include "student/inputs.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

/// A mask as it is where it stands for all, and cut where it has as much as there was.
bool fit_mask(Mask& mask, Index axis_from_last, Index size) {
    if (!mask.defined() || mask.rank() < axis_from_last) return true;
    const Index axis = mask.rank() - axis_from_last;
    if (mask.size(axis) == 1) return true;
    if (mask.size(axis) < size) return false;
    Shape shape = mask.shape();
    shape[static_cast<std::size_t>(axis)] = size;
    mask = mask.as_strided(shape, mask.layout().strides, mask.layout().offset);
    return true;
}

/// Where an axis of that name stands in a mask; in self-attention tokens are queries and keys.
std::vector<Index> axes_of_masks(const std::string& axis, bool is_self_attention) {
    if (axis == "T") return is_self_attention ? std::vector<Index>{1, 2} : std::vector<Index>{2};
    static const std::map<std::string, Index> from_last{{"S", 1}, {"H", 3}, {"B", 4}};
    const auto found = from_last.find(axis);
    return found == from_last.end() ? std::vector<Index>{} : std::vector<Index>{found->second};
}

bool is_wrong(const Observation& one, const Choices& usual) { return !fit(predicted(one, usual), one.seen); }

/// Whether an answer was due and one came, so that it says something of sizes.
bool is_compared(const Observation& one, const Choices& usual) {
    return one.seen.is_value() && predicted(one, usual).is_value();
}

class Asking {
public:
    Asking(const Choices& usual, const Function& function, judge::Student& student, Random& random)
        : usual_(usual), function_(function), student_(student), random_(random) {}

    /// @return whether it was answered wrong; nothing if that cannot be asked
    std::optional<bool> ask_resized(const Arguments& like, const std::string& axis, Index size) {
        const auto arguments = resized(like, axis, size, random_);
        if (!arguments) return std::nullopt;
        Predict predict = known_prediction(function_, *arguments);
        if (!predict) return std::nullopt;
        Observation one{*arguments, {}, std::move(predict)};
        if (!predicted(one, usual_).is_value()) return std::nullopt;
        one.seen = ask(student_, function_, *arguments).answer;
        asked_.push_back(std::move(one));
        return is_wrong(asked_.back(), usual_);
    }

    std::vector<Observation> take() { return std::move(asked_); }

private:
    const Choices& usual_;
    const Function& function_;
    judge::Student& student_;
    Random& random_;
    std::vector<Observation> asked_;
};

/// How long each axis was where the answer was right.
std::map<std::string, std::set<Index>> right_sizes(const std::vector<Observation>& observations, const Choices& usual) {
    std::map<std::string, std::set<Index>> sizes;
    for (const Observation& one : observations)
        if (is_compared(one, usual) && !is_wrong(one, usual))
            for (const auto& [axis, size] : facts_of(one.arguments).size) sizes[axis].insert(size);
    return sizes;
}

}  // namespace

std::optional<Arguments> resized(const Arguments& arguments, const std::string& axis, Index size, Random& random) {
    // Lists, such as how long each sequence of a batch is, say of sizes what they were.
    const auto is_list = [](const wire::Field& one) { return std::holds_alternative<Shape>(one.value); };
    if (std::ranges::any_of(arguments, is_list)) return std::nullopt;
    Arguments other = arguments;
    bool any = false;
    each_tensor(other, [&](const std::string& name, Tensor& tensor) {
        const std::vector<std::string> axes = axes_of(name, tensor.shape().size());
        Shape shape = tensor.shape();
        for (std::size_t i = 0; i < axes.size(); ++i)
            if (axes[i] == axis) shape[i] = size;
        if (shape == tensor.shape()) return;
        tensor = judge::random_tensor(random, shape);
        any = true;
    });
    if (!any) return std::nullopt;
    const bool is_self_attention = !facts_of(arguments).size.contains("S");
    for (wire::Field& argument : other)
        if (auto* mask = std::get_if<Mask>(&argument.value))
            for (const Index from_last : axes_of_masks(axis, is_self_attention))
                if (!fit_mask(*mask, from_last, size)) return std::nullopt;
    return other;
}

std::vector<Observation> ask_with_other_sizes(const std::vector<Observation>& observations, const Choices& usual,
                                              const Function& function, judge::Student& student, Random& random) {
    constexpr int most_calls = 2;
    constexpr std::size_t least_lengths = 3;
    constexpr Index more = 3;
    Asking asking(usual, function, student, random);
    if (function.ask) return {};  // its questions are no calls
    const auto right_ones = right_sizes(observations, usual);
    int calls = 0;
    for (const Observation& one : observations) {
        if (!is_compared(one, usual) || !is_wrong(one, usual)) continue;
        if (++calls > most_calls) break;
        for (const auto& [axis, size] : facts_of(one.arguments).size) {
            if (size == 1) asking.ask_resized(one.arguments, axis, more);
            const auto known = right_ones.find(axis);
            if (known == right_ones.end() || known->second.size() < least_lengths) continue;
            // Between the longest that was right and this one, which is not.
            for (Index good = *known->second.rbegin(), bad = size; good + 1 < bad;) {
                const Index middle = good + (bad - good) / 2;
                const auto wrong = asking.ask_resized(one.arguments, axis, middle);
                if (!wrong) break;
                (*wrong ? bad : good) = middle;
            }
        }
    }
    return asking.take();
}

}  // namespace headway::diagnosis
