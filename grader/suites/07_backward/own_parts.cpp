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

}  // namespace

std::optional<std::vector<std::pair<std::string, Array>>> from_own_parts(Student& student, const Arguments& arguments) {
    const auto& x = std::get<Tensor>(arguments.at(0).value);
    const Index H = std::get<Index>(arguments.at(2).value);
    if (x.rank() != 3 || H < 1 || x.size(2) % H != 0) return std::nullopt;
    const auto& parameters = std::get<wire::Record>(arguments.at(1).value);
    const auto& grads = std::get<wire::Record>(arguments.at(5).value);
    const auto linear = [&](const std::string& map, const Array& input, const Array& grad_y) {
        return student.record("linear_backward", {{"x", to_tensor(input)},
                                                  {"weight", field(parameters, map + "_weight")},
                                                  {"grad_y", to_tensor(grad_y)},
                                                  {"grad_weight", field(grads, map + "_weight")},
                                                  {"grad_bias", field(grads, map + "_bias")}});
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
    const wire::Record out = linear("out", merged, exact(std::get<Tensor>(arguments.at(4).value)));
    const Array grad_merged = own_field(out, "x");
    if (grad_merged.shape != x.shape()) return std::nullopt;
    const wire::Record attention =
        student.record("attention_backward", {{"q", to_tensor(q)},
                                              {"k", to_tensor(k)},
                                              {"v", to_tensor(v)},
                                              {"mask", mask},
                                              {"grad_context", to_tensor(reference::split_heads(grad_merged, H))}});
    std::vector<std::pair<std::string, Array>> parts{{"x", {}}};
    for (const char* map : {"q", "k", "v"}) {
        const Array grad = own_field(attention, map);
        if (grad.shape != q.shape) return std::nullopt;
        const wire::Record part = linear(map, input, reference::merge_heads(grad));
        Array& grad_x = parts.front().second;
        grad_x = grad_x.shape.empty() ? own_field(part, "x") : reference::add(grad_x, own_field(part, "x"));
        parts.emplace_back(std::string(map) + "_weight", own_field(part, "weight"));
        parts.emplace_back(std::string(map) + "_bias", own_field(part, "bias"));
    }
    parts.emplace_back("out_weight", own_field(out, "weight"));
    parts.emplace_back("out_bias", own_field(out, "bias"));
    return parts;
}

}  // namespace headway::judge::backward
