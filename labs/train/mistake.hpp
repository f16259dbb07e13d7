#pragma once

#include <headway/tensor.hpp>

#include <string>

namespace headway::lab {

/// A mistake to train with. Both are the right attention with other parameters, which is why training copes:
///   sqrt_d       scores divided by √D: as if every q were smaller by √H
///   heads_mixed  merged feature by feature, (d, H) in place of (H, d): as if out_proj's columns stood in another order
enum class TrainedMistake { none, sqrt_d, heads_mixed };
std::string to_string(TrainedMistake mistake);
/// What the catalogue of grader/diagnosis calls it; empty for none.
std::string id_in_catalogue(TrainedMistake mistake);

/// What the right attention must be given as parameter `name` in order to do what the wrong one does with `value`.
Tensor as_if(TrainedMistake mistake, const std::string& name, const Tensor& value, Index num_heads);

/// The gradient of `value`, from that of as_if(value).
Tensor as_if_backward(TrainedMistake mistake, const std::string& name, const Tensor& grad, Index num_heads);

}  // namespace headway::lab
