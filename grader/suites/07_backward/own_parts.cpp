#include "suites/07_backward/own_parts.hpp"

#include "reference/attention.hpp"
#include "student/expect.hpp"
#include "suites/07_backward/inputs.hpp"

namespace headway::judge::backward {

using reference::Array;
using reference::exact;
using reference::to_tensor;

namespace {

/// Its own answer, with room for having computed it from inputs that were rounded otherwise.
Array own_field(const wire::Record& record, const std::string& name) { return own(field(record, name)); }

bool leave_room(Array& own, const Array& due) {
    if (own.shape != due.shape) return false;
    for (std::size_t i = 0; i < own.error.size(); ++i) own.error[i] += due.error[i];
    return true;
}

}  // namespace

std::optional<reference::LinearGradients> own_linear(Student& student, const Array& x, const Tensor& weight,
                                                     const Array& grad_y, const Tensor& held_weight,
                                                     const Tensor& held_bias) {
    const wire::Record given = student.record("linear_backward", {{"x", to_tensor(x)},
                                                                  {"weight", weight},
                                                                  {"grad_y", to_tensor(grad_y)},
                                                                  {"grad_weight", held_weight},
                                                                  {"grad_bias", held_bias}});
    reference::LinearGradients all{own_field(given, "x"), own_field(given, "weight"), own_field(given, "bias")};
    const auto due = reference::linear_backward(x, exact(weight), grad_y);
    const bool fits = leave_room(all.x, due.x) && leave_room(all.weight, due.weight) && leave_room(all.bias, due.bias);
    return fits ? std::optional(std::move(all)) : std::nullopt;
}

std::optional<std::vector<std::pair<std::string, Array>>> from_own_parts(Student& student, const Arguments& arguments) {
    const auto& x = std::get<Tensor>(arguments.at(0).value);
    const Index H = std::get<Index>(arguments.at(2).value);
    if (x.rank() != 3 || H < 1 || x.size(2) % H != 0) return std::nullopt;
    const auto& parameters = std::get<wire::Record>(arguments.at(1).value);
    const auto& grads = std::get<wire::Record>(arguments.at(5).value);
    const auto linear = [&](const std::string& map, const Array& of_map, const Array& grad_y) {
        return own_linear(student, of_map, field(parameters, map + "_weight"), grad_y, field(grads, map + "_weight"),
                          field(grads, map + "_bias"));
    };
    const Array input = exact(x);
    const auto heads = [&](const std::string& map) {
        const Array weight = exact(field(parameters, map + "_weight"));
        const Array y = reference::matmul(input, reference::transpose(weight, 0, 1));
        return reference::split_heads(reference::add(y, exact(field(parameters, map + "_bias"))), H);
    };
    const Array q = heads("q"), k = heads("k"), v = heads("v");
    const Mask& mask = std::get<Mask>(arguments.at(3).value);
    const Array merged = reference::merge_heads(reference::attention(q, k, v, mask).context);
    const auto out = linear("out", merged, exact(std::get<Tensor>(arguments.at(4).value)));
    if (!out) return std::nullopt;
    const wire::Record attention =
        student.record("attention_backward", {{"q", to_tensor(q)},
                                              {"k", to_tensor(k)},
                                              {"v", to_tensor(v)},
                                              {"mask", mask},
                                              {"grad_context", to_tensor(reference::split_heads(out->x, H))}});
    std::vector<std::pair<std::string, Array>> parts{{"x", {}}};
    for (const char* map : {"q", "k", "v"}) {
        const Array grad = own_field(attention, map);
        if (grad.shape != q.shape) return std::nullopt;
        const auto part = linear(map, input, reference::merge_heads(grad));
        if (!part) return std::nullopt;
        Array& grad_x = parts.front().second;
        grad_x = grad_x.shape.empty() ? part->x : reference::add(grad_x, part->x);
        parts.emplace_back(std::string(map) + "_weight", part->weight);
        parts.emplace_back(std::string(map) + "_bias", part->bias);
    }
    parts.emplace_back("out_weight", out->weight);
    parts.emplace_back("out_bias", out->bias);
    return parts;
}

}  // namespace headway::judge::backward
