#pragma once

#include <headway/layout.hpp>

#include <string>
#include <string_view>

namespace headway::lab {

/// What config.json says.
struct Gpt2Sizes {
    Index vocabulary = 0;  ///< V
    Index places = 0;      ///< the longest text
    Index D = 0;
    Index H = 0;
    Index layers = 0;
    float epsilon = 1e-5F;  ///< of the normalisation
};

/// @param name  what messages call the file   @throws std::runtime_error, saying what is missing or does not fit
Gpt2Sizes sizes_from(std::string_view config, const std::string& name);

/// Numbers in the checkpoint, without masks: of everything, and of attention alone. The output head is tied.
Index parameters_in(const Gpt2Sizes& sizes);
Index attention_parameters_in(const Gpt2Sizes& sizes);

}  // namespace headway::lab
