#pragma once

#include "diagnosis/subject.hpp"

#include <vector>

/// What diagnosis asks the functions of exercise 11.
namespace headway::diagnosis {

std::vector<judge::Arguments> ask_window_mask(Random& random);
std::vector<judge::Arguments> ask_global_mask(Random& random);
std::vector<judge::Arguments> ask_long_mask(Random& random);
Questions ask_window_attention(Random& random);
std::vector<judge::Arguments> ask_make_ring(Random& random);
std::vector<judge::Arguments> ask_ring_append(Random& random);
std::vector<judge::Arguments> ask_ring_decode(Random& random);
std::vector<judge::Arguments> ask_reach(Random& random);
std::vector<judge::Arguments> ask_window_reach(Random& random);

}  // namespace headway::diagnosis
