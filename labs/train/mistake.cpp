#include "labs/train/mistake.hpp"

#include <cmath>

namespace headway::lab {
namespace {

bool makes_q(const std::string& name) { return name.starts_with("q_proj."); }

/// Columns in the order (first, second) become columns in the order (second, first).
Tensor reordered(const Tensor& weight, Index first, Index second) {
    return weight.view({weight.size(0), first, second}).transpose(1, 2).contiguous().view(weight.shape());
}

}  // namespace

std::string to_string(TrainedMistake mistake) {
    if (mistake == TrainedMistake::sqrt_d) return "sqrt_d";
    return mistake == TrainedMistake::heads_mixed ? "heads_mixed" : "none";
}

std::string id_in_catalogue(TrainedMistake mistake) {
    if (mistake == TrainedMistake::sqrt_d) return "scale_sqrt_model_width";
    return mistake == TrainedMistake::heads_mixed ? "merge_interleaved" : "";
}

Tensor as_if(TrainedMistake mistake, const std::string& name, const Tensor& value, Index num_heads) {
    if (mistake == TrainedMistake::sqrt_d && makes_q(name)) return value / std::sqrt(static_cast<float>(num_heads));
    if (mistake == TrainedMistake::heads_mixed && name == "out_proj.weight")
        return reordered(value, value.size(1) / num_heads, num_heads);
    return value;
}

Tensor as_if_backward(TrainedMistake mistake, const std::string& name, const Tensor& grad, Index num_heads) {
    if (mistake == TrainedMistake::sqrt_d && makes_q(name)) return grad / std::sqrt(static_cast<float>(num_heads));
    if (mistake == TrainedMistake::heads_mixed && name == "out_proj.weight")
        return reordered(grad, num_heads, grad.size(1) / num_heads);
    return grad;
}

}  // namespace headway::lab
