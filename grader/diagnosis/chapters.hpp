#pragma once

#include "diagnosis/catalogue.hpp"

#include <vector>

/// The catalogue, file by file: what stands in mistakes/NAME.cpp, here or in the folder of an exercise, is
/// chapters::NAME().
namespace headway::diagnosis::chapters {

Chapter checking();
Chapter memory();
Chapter scale();
Chapter softmax();
Chapter softmax_in_double();
Chapter rescaling();
Chapter after_softmax();
Chapter mask_reading();
Chapter mask_blocking();
Chapter causal_and_padding();
Chapter scoring();
Chapter weighing();
Chapter returned_weights();
Chapter projecting();
Chapter biases();
Chapter splitting();
Chapter merging();
Chapter output();
Chapter in_part();
Chapter moving_heads();
Chapter moving_views();
Chapter moving_axes();
Chapter copying();
Chapter what_is_read();
Chapter equivalents();

/// Those of the exercises, in their order: written by CMake from what headway_exercise says.
std::vector<Chapter> of_exercises();

/// In order: where no answer tells two mistakes apart, the first one is named.
std::vector<Chapter> all();

}  // namespace headway::diagnosis::chapters
