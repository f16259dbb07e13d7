#include "suites/10_tiled_attention/own_parts.hpp"

#include "reference/attention.hpp"
#include "student/expect.hpp"

#include <algorithm>
#include <limits>

namespace headway::judge::tiled {

std::optional<Outcome> outcome_of_own_parts(Student& student, const Arguments& arguments) {
    const auto number = [&](std::size_t i) { return std::get<Tensor>(arguments.at(i).value); };
    const Tensor q = number(0), k = number(1), v = number(2);
    const bool causal = std::get<bool>(arguments.at(4).value);
    const Index tile = std::get<Index>(arguments.at(5).value);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d_v = v.size(3);
    if (tile < 1 || v.size(2) != S) return std::nullopt;  // these parts see neither: it is not theirs to refuse
    Mask blocked = std::get<Mask>(arguments.at(3).value);
    if (causal) blocked = blocked | reference::causal_mask(T, S);
    const Tensor scores = masked_fill(reference::to_tensor(reference::scores(reference::exact(q), reference::exact(k))),
                                      blocked, -std::numeric_limits<float>::infinity());
    Tensor output = Tensor::zeros({B, H, T, d_v});
    for (Index t = 0; t < T; t += tile) {
        const Index t_end = std::min(t + tile, T);
        const Index visible = causal ? std::clamp(t_end + S - T, Index{0}, S) : S;
        const Outcome made = student.outcome("nothing_seen", {{"B", B}, {"H", H}, {"T", t_end - t}, {"d_v", d_v}});
        for (Index s = 0; s < visible && !made.error; s += tile) {
            const Index s_end = std::min(s + tile, visible);
            const Tensor part = scores.slice(2, t, t_end).slice(3, s, s_end);
            if (student.outcome("absorb", {{"running", made.value}, {"scores", part}, {"v", v.slice(2, s, s_end)}})
                    .error)
                return std::nullopt;
        }
        Outcome mean = student.outcome("context", {{"running", made.value}});
        if (mean.error) return mean;
        const auto* tensor = std::get_if<Tensor>(&mean.value);
        if (tensor == nullptr || tensor->shape() != Shape{B, H, t_end - t, d_v}) return std::nullopt;
        output.slice(2, t, t_end).copy_from(*tensor);
    }
    Outcome whole;
    whole.value = output;
    return whole;
}

std::optional<reference::Array> from_own_parts(Student& student, const Arguments& arguments) {
    const auto outcome = outcome_of_own_parts(student, arguments);
    if (!outcome || outcome->error) return std::nullopt;
    return own(std::get<Tensor>(outcome->value));
}

}  // namespace headway::judge::tiled
