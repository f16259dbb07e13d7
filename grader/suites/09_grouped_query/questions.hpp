#pragma once

#include "diagnosis/subject.hpp"

#include <headway/random.hpp>

#include <vector>

/// What diagnosis asks of the functions of exercise 09.
namespace headway::diagnosis {

std::vector<judge::Arguments> ask_repeat_heads(Random& random);
Questions ask_attention(Random& random);
std::vector<judge::Arguments> ask_cached_numbers(Random& random);
std::vector<judge::Arguments> ask_pool_heads(Random& random);
Questions ask_layer(Random& random);

}  // namespace headway::diagnosis
