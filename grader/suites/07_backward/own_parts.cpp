#include "suites/07_backward/own_parts.hpp"

#include "reference/attention.hpp"
#include "student/expect.hpp"

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

std::optional<reference::LinearGradients> own_linear(Student& student, const HandedOn& x, const Tensor& weight,
                                                     const HandedOn& grad_y, const Tensor& held_weight,
                                                     const Tensor& held_bias) {
    const wire::Record given = student.record("linear_backward", {{"x", x.tensor()},
                                                                  {"weight", weight},
                                                                  {"grad_y", grad_y.tensor()},
                                                                  {"grad_weight", held_weight},
                                                                  {"grad_bias", held_bias}});
    reference::LinearGradients all{own_field(given, "x"), own_field(given, "weight"), own_field(given, "bias")};
    const auto due = reference::linear_backward(x.numbers, exact(weight), grad_y.numbers);
    const bool fits = leave_room(all.x, due.x) && leave_room(all.weight, due.weight) && leave_room(all.bias, due.bias);
    return fits ? std::optional(std::move(all)) : std::nullopt;
}

std::optional<std::vector<std::pair<std::string, Array>>> from_own_parts(Student& student, const Arguments& arguments,
                                                                         PassedOn passed_on) {
    const auto& x = std::get<Tensor>(arguments.at(0).value);
    const Index H = std::get<Index>(arguments.at(2).value);
    if (x.rank() != 3 || H < 1 || x.size(2) % H != 0) return std::nullopt;
    const auto& parameters = std::get<wire::Record>(arguments.at(1).value);
    const auto& grads = std::get<wire::Record>(arguments.at(5).value);
    const auto linear = [&](const std::string& map, const HandedOn& of_map, const HandedOn& grad_y) {
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
    const auto& grad_y = std::get<Tensor>(arguments.at(4).value);
    const auto as_given = [&](const Tensor& given) { return passed_on == PassedOn::as_given ? given : Tensor{}; };
    const Array of_output = exact(grad_y);
    const auto out = linear("out", {merged}, {of_output, as_given(grad_y)});
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
        const Array merged_grad = reference::merge_heads(grad);
        const auto part = linear(map, {input, as_given(x)}, {merged_grad});
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

void expect_both_added_to_one(Student& student, const ModuleInputs& in) {
    const CheckedPart axes{"gradients of q_weight and k_weight", Stage::project, {"out", "in"}};
    const Arguments arguments = in.with(Mask{});
    const Outcome tied =
        student.outside_story([&] { return student.outcome("backward_with_tied_weights", arguments); });
    const Outcome apart = student.outcome("multi_head_attention_backward", arguments);
    const auto* each = std::get_if<wire::Record>(&apart.value);
    const auto* both = std::get_if<Tensor>(&tied.value);
    if (each == nullptr || both == nullptr || !both->defined()) return;  // that is another test's business
    const auto expected = in.expected(Mask{});
    const Array due = expected.at("k_weight");
    const Array q = exact(field(*each, "q_weight")), k = exact(field(*each, "k_weight"));
    if (q.shape != due.shape || k.shape != due.shape) return;
    const Array from_k = reference::add(k, reference::scale(exact(field(in.grads, "k_weight")), -1));
    const auto is_held = [&](Array sum) {
        for (std::size_t i = 0; i < sum.error.size(); ++i) sum.error[i] += 2 * due.error[i];
        return !difference(axes, *both, sum);
    };
    if (is_held(reference::add(q, from_k))) return;
    // What both are added to is the tensor that is there for q.
    const bool is_one_alone = is_held(q) || is_held(reference::add(exact(field(in.grads, "q_weight")), from_k));
    const auto is_right = [&](const char* name) { return !difference(axes, field(*each, name), expected.at(name)); };
    if (!is_one_alone && !(is_right("q_weight") && is_right("k_weight"))) return;
    expect(
        false, Stage::project,
        std::string("where q_weight and k_weight of grads are one tensor, your multi_head_attention_backward leaves ") +
            (is_one_alone ? "only one of the two contributions in it"
                          : "a sum in it that is not that of the two contributions") +
            ": add each to the tensor that grads holds");
}

}  // namespace headway::judge::backward
