#pragma once

#include "student/student.hpp"

#include <headway/random.hpp>

#include <vector>

/// What diagnosis asks of the functions of exercise 07.
namespace headway::diagnosis {

std::vector<judge::Arguments> ask_softmax_backward(Random& random);
std::vector<judge::Arguments> ask_attention_backward(Random& random);
std::vector<judge::Arguments> ask_linear_backward(Random& random);
std::vector<judge::Arguments> ask_module_backward(Random& random);

}  // namespace headway::diagnosis
