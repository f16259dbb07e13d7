#pragma once

#include "diagnosis/subject.hpp"

/// What diagnosis asks the functions of exercise 13, so that every decision shows.
namespace headway::diagnosis {

std::vector<judge::Arguments> ask_token_positions(Random& random);
std::vector<judge::Arguments> ask_rotation_angles(Random& random);
std::vector<judge::Arguments> ask_rotation(Random& random);
std::vector<judge::Arguments> ask_conversion(Random& random);
Questions ask_attention_with_positions(Random& random);
Questions ask_decode(Random& random);
std::vector<judge::Arguments> ask_packing(Random& random);
std::vector<judge::Arguments> ask_unpacking(Random& random);

}  // namespace headway::diagnosis
