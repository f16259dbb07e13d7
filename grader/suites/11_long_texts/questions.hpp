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
/// A mask of two texts beside each other: each token sees all of its own.
Mask two_texts(Index of_first, Index of_second);
/// More ways lead through so many layers than any number counts, and from one text to the other there is none.
inline constexpr Index too_many_layers = 1100;
/// A window that an int takes for one of three tokens.
inline constexpr Index past_an_int = (Index{1} << 32) + 3;

std::vector<judge::Arguments> ask_window_reach(Random& random);

}  // namespace headway::diagnosis
