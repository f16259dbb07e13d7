#include "diagnosis/invariants.hpp"

#include "diagnosis/elements.hpp"
#include "diagnosis/subject.hpp"

#include "reference/attention.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

constexpr std::size_t most_questions = 2;  ///< that an invariant is tried on

Tensor* tensor_in(Arguments& arguments, const std::string& name) {
    const auto found =
        std::find_if(arguments.begin(), arguments.end(), [&](const wire::Field& field) { return field.name == name; });
    return found == arguments.end() ? nullptr : std::get_if<Tensor>(&found->value);
}

Mask* mask_in(Arguments& arguments) {
    const auto found =
        std::find_if(arguments.begin(), arguments.end(), [](const wire::Field& field) { return field.name == "mask"; });
    return found == arguments.end() ? nullptr : std::get_if<Mask>(&found->value);
}

/// A module made with the causal option lets nothing change places.
bool is_causal(const Arguments& arguments) {
    for (const wire::Field& field : arguments)
        if (const auto* options = std::get_if<wire::Record>(&field.value))
            if (const wire::Field* causal = options->find("causal"))
                if (const bool* yes = std::get_if<bool>(&causal->value); yes != nullptr && *yes) return true;
    return false;
}

/// Places one further along the axis that is `from_last`, the last one to the front.
std::size_t one_on(const Shape& shape, std::size_t from_last, Coordinate at) {
    std::vector<Index> other(at.begin(), at.end());
    const std::size_t axis = shape.size() - from_last;
    other[axis] = (at[axis] + 1) % shape[axis];
    return position(shape, other);
}

Array rotated(const Array& array, std::size_t from_last) {
    return gathered(array, array.shape, [&](Coordinate at) { return one_on(array.shape, from_last, at); });
}

Array itself(const Array& array) { return array; }

Array without_last_token(const Array& array) {
    Shape shape = array.shape;
    --shape[shape.size() - 2];
    return gathered(array, shape, [&](Coordinate at) { return position(array.shape, at); });
}

/// Far apart: what rounding does is not meant.
bool same(const Array& a, const Array& b) {
    return a.shape == b.shape && std::equal(a.value.begin(), a.value.end(), b.value.begin(), [](double x, double y) {
               return std::abs(x - y) <= 1e-3 * (1 + std::abs(x));  // NaN is like nothing
           });
}

bool is_small(const Arguments& arguments) {
    return std::all_of(arguments.begin(), arguments.end(), [](const wire::Field& field) {
        const auto* tensor = std::get_if<Tensor>(&field.value);
        if (tensor == nullptr || !tensor->defined()) return true;
        const auto array = reference::exact(*tensor);
        return std::all_of(array.value.begin(), array.value.end(), [](double x) { return std::abs(x) < 10; });
    });
}

/// Nothing where the answers say nothing: no single array of at least two axes.
std::optional<bool> holds(const Invariant& invariant, const Ask& ask, const Arguments& question) {
    const auto first = invariant.first(question);
    if (!first || !is_small(*first)) return std::nullopt;
    const Answer one = ask(*first);
    const Answer other = ask(invariant.second(*first));
    if (one.parts.empty() || other.parts.empty() || one.parts[0].second.shape.size() < 2) return std::nullopt;
    if (one.parts[0].second.shape != other.parts[0].second.shape) return std::nullopt;
    return same(invariant.of_first(one.parts[0].second), invariant.of_second(other.parts[0].second));
}

}  // namespace

Invariant permuted_tokens(const std::vector<std::string>& tensors, Follows follows, std::string broken) {
    Invariant invariant;
    invariant.broken = std::move(broken);
    invariant.first = [](const Arguments& question) -> std::optional<Arguments> {
        if (is_causal(question)) return std::nullopt;
        Arguments arguments = question;
        if (Mask* mask = mask_in(arguments)) *mask = Mask{};
        return arguments;
    };
    invariant.second = [tensors](const Arguments& first) {
        Arguments arguments = first;
        for (const std::string& name : tensors)
            if (Tensor* tensor = tensor_in(arguments, name))
                *tensor = reference::to_tensor(rotated(reference::exact(*tensor), 2));
        return arguments;
    };
    const std::size_t axis = follows == Follows::columns ? 1 : 2;
    invariant.of_first = &itself;
    if (follows != Follows::not_at_all)
        invariant.of_first = [axis](const Array& array) { return rotated(array, axis); };
    invariant.of_second = &itself;
    return invariant;
}

Invariant unseen_future(const std::vector<std::string>& tensors) {
    Invariant invariant;
    invariant.broken = "under a causal mask, a change of the last token changes outputs of earlier ones";
    invariant.first = [tensors](const Arguments& question) -> std::optional<Arguments> {
        Arguments arguments = question;
        Mask* mask = mask_in(arguments);
        const Tensor* keys = tensor_in(arguments, tensors.front());
        const Tensor* queries = nullptr;
        for (const char* name : {"q", "query", "x"})
            if (const Tensor* found = tensor_in(arguments, name)) queries = found;
        if (mask == nullptr || keys == nullptr || queries == nullptr || keys->rank() < 2) return std::nullopt;
        if (queries->size(-2) != keys->size(-2)) return std::nullopt;
        *mask = reference::causal_mask(queries->size(-2), keys->size(-2));
        return arguments;
    };
    invariant.second = [tensors](const Arguments& first) {
        Arguments arguments = first;
        for (const std::string& name : tensors)
            if (Tensor* tensor = tensor_in(arguments, name)) {
                *tensor = tensor->clone();
                tensor->select(-2, tensor->size(-2) - 1) += 1.5F;
            }
        return arguments;
    };
    invariant.of_first = invariant.of_second = &without_last_token;
    return invariant;
}

std::vector<std::string> broken_invariants(const std::vector<Invariant>& invariants, const Ask& ask,
                                           const std::vector<Arguments>& questions) {
    std::vector<std::string> sentences;
    for (const Invariant& invariant : invariants) {
        std::size_t tried = 0;
        for (const Arguments& question : questions) {
            const auto good = holds(invariant, ask, question);
            if (!good) continue;
            if (!*good) {
                sentences.push_back(invariant.broken);
                break;
            }
            if (++tried == most_questions) break;
        }
    }
    return sentences;
}

}  // namespace headway::diagnosis
