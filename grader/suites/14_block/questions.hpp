#pragma once

#include "diagnosis/subject.hpp"

/// What diagnosis asks the functions of exercise 14, each list with the questions that show fewest mistakes first.
namespace headway::diagnosis {

std::vector<judge::Arguments> ask_layer_norm(Random& random);
std::vector<judge::Arguments> ask_rms_norm(Random& random);
/// Of both norms.
std::vector<judge::Arguments> ask_norm_backward(Random& random);
std::vector<judge::Arguments> ask_gelu(Random& random);
std::vector<judge::Arguments> ask_gelu_backward(Random& random);
std::vector<judge::Arguments> ask_mlp(Random& random);
std::vector<judge::Arguments> ask_mlp_backward(Random& random);
std::vector<judge::Arguments> ask_block_forward(Random& random);
std::vector<judge::Arguments> ask_block_backward(Random& random);
std::vector<judge::Arguments> ask_stack_backward(Random& random);

}  // namespace headway::diagnosis
