#pragma once

#include "diagnosis/catalogue.hpp"

#include <vector>

/// The catalogue, file by file: what stands in mistakes/NAME.cpp is chapters::NAME().
namespace headway::diagnosis::chapters {

Chapter checking();
Chapter memory();
Chapter gradients_of_modules();
Chapter scale();
Chapter softmax();
Chapter after_softmax();
Chapter mask_reading();
Chapter mask_blocking();
Chapter causal_and_padding();
Chapter scoring();
Chapter weighing();
Chapter projecting();
Chapter heads();
Chapter output();
Chapter moving_heads();
Chapter moving_views();
Chapter moving_axes();
Chapter module();
Chapter module_calls();
Chapter dropout();
Chapter gradients();
Chapter gradients_of_linear();
Chapter caching();
Chapter decoding();
Chapter grouping();
Chapter pooling();
Chapter running_softmax();
Chapter tiling();
Chapter equivalents();

/// In order: where no answer tells two mistakes apart, the first one is named.
std::vector<Chapter> all();

}  // namespace headway::diagnosis::chapters
