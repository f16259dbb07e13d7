#include "diagnosis/variations.hpp"

#include "diagnosis/conditions.hpp"
#include "diagnosis/resizing.hpp"

#include "student/altered.hpp"
#include "student/inputs.hpp"
#include "student/layouts.hpp"
#include "verdict/phrases.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

constexpr std::size_t most_tensors = 4;

/// The first of an axis, contiguous if the tensor was.
Tensor first_along(const Tensor& tensor, Index axis, Index size) {
    const Tensor part = tensor.slice(axis, 0, size);
    return tensor.is_contiguous() ? part.contiguous() : part;
}

/// Maps to and from all heads together, as those of the first head.
void keep_first_head(wire::Record& state, Index heads) {
    for (wire::Field& field : state.fields) {
        auto* tensor = std::get_if<Tensor>(&field.value);
        if (tensor == nullptr || !tensor->defined()) continue;
        const bool is_output = field.name.starts_with("out_proj");
        if (is_output && tensor->rank() == 1) continue;
        const Index axis = is_output ? 1 : 0;
        *tensor = first_along(*tensor, axis, tensor->size(axis) / heads);
    }
}

void add_masks(std::vector<Arguments>& all, const Arguments& like, const Freedom& freedom, Random& random) {
    const Facts facts = facts_of(like);
    const auto T = facts.size.find("T"), S = facts.size.find("S");
    if (T == facts.size.end()) return;
    const Index keys = S == facts.size.end() ? T->second : S->second;
    for (std::size_t i = 0; i < like.size(); ++i) {
        const auto* mask = std::get_if<Mask>(&like[i].value);
        if (mask == nullptr) continue;
        const auto with = [&](const Mask& other) {
            all.push_back(like);
            all.back()[i].value = other;
        };
        if (freedom.without_mask && mask->defined()) with(Mask{});
        if (!freedom.with_mask) continue;
        with(judge::random_mask(random, {T->second, keys}));
        with(judge::random_mask(random, {keys}));
        with(Mask::allow_all({T->second, keys}));
    }
}

void add_layouts(std::vector<Arguments>& all, const Arguments& like) {
    Arguments dense = judge::each(like, judge::dense);
    const std::size_t count = judge::tensors_in(dense).size();
    all.push_back(dense);
    for (std::size_t i = 0; i < std::min(count, most_tensors); ++i) {
        all.push_back(dense);
        Tensor& tensor = *judge::tensors_in(all.back())[i];
        tensor =
            tensor.rank() == 1 ? judge::strided(tensor) : judge::sliced(tensor);  // a slice of a vector has no gaps
    }
}

}  // namespace

Freedom freedom_in(const std::vector<Observation>& observations) {
    Freedom freedom;
    std::set<std::string> set, not_set;
    for (const Observation& one : observations) {
        if (!predicted(one, right()).is_value()) continue;
        for (const wire::Field& argument : one.arguments) {
            if (const auto* mask = std::get_if<Mask>(&argument.value))
                (mask->defined() ? freedom.with_mask : freedom.without_mask) = true;
            if (const auto* option = std::get_if<bool>(&argument.value))
                (*option ? set : not_set).insert(verdict::name_alone(argument.name));
        }
    }
    std::ranges::set_intersection(set, not_set, std::inserter(freedom.options, freedom.options.end()));
    return freedom;
}

std::optional<Arguments> with_one_head(Arguments arguments) {
    Index heads = 1;
    for (wire::Field& argument : arguments) {
        if (argument.name == "num_kv_heads") return std::nullopt;
        const auto* mask = std::get_if<Mask>(&argument.value);
        if (mask != nullptr && mask->rank() >= 3 && mask->size(-3) > 1) return std::nullopt;
        if (auto* number = std::get_if<Index>(&argument.value); number != nullptr && argument.name == "num_heads")
            heads = std::max(heads, std::exchange(*number, 1));
        auto* tensor = std::get_if<Tensor>(&argument.value);
        if (tensor == nullptr || !tensor->defined()) continue;
        const std::vector<std::string> axes = axes_of(verdict::name_alone(argument.name), tensor->shape().size());
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            if (const auto at = static_cast<Index>(axis); axes[axis] == "H" || axes[axis] == "H_kv") {
                heads = std::max(heads, tensor->size(at));
                *tensor = first_along(*tensor, at, std::min<Index>(tensor->size(at), 1));
            }
    }
    if (heads == 1) return std::nullopt;
    for (wire::Field& argument : arguments)
        if (auto* state = std::get_if<wire::Record>(&argument.value); state != nullptr && argument.name == "state")
            keep_first_head(*state, heads);
    return arguments;
}

std::vector<Arguments> variations(const Arguments& like, const Freedom& freedom, Random& random) {
    std::vector<Arguments> all;
    if (auto one = with_one_head(like)) all.push_back(std::move(*one));
    for (const char* axis : {"T", "S"})
        if (auto one = resized(like, axis, 1, random)) all.push_back(std::move(*one));
    add_masks(all, like, freedom, random);
    for (std::size_t i = 0; i < like.size(); ++i)
        if (freedom.options.contains(verdict::name_alone(like[i].name))) {
            all.push_back(like);
            auto& option = std::get<bool>(all.back()[i].value);
            option = !option;
        }
    add_layouts(all, like);
    return all;
}

}  // namespace headway::diagnosis
