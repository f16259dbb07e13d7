#pragma once

#include "blocks.hpp"

namespace headway::lessons {

/// What each lesson shows, computed by the functions that its exercise asks for.
void single_head(Blocks& blocks);
void head_splitting(Blocks& blocks);
void scaled_scores(Blocks& blocks);
void merge_heads(Blocks& blocks);
void attention_module(Blocks& blocks);

}  // namespace headway::lessons
