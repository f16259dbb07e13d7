#pragma once

#include "model.hpp"

#include <string>
#include <vector>

namespace headway::lab {

/// What a head does in a text, from 0 to 1.
struct HeadRole {
    Index layer = 0, head = 0;
    double previous = 0;   ///< mean weight on the token before
    double first = 0;      ///< mean weight on the first token, where that is not the token before
    double even = 0;       ///< mean entropy of a row over the logarithm of its length: 1 looks at all alike
    double induction = 0;  ///< in a text that says everything twice: mean weight on what followed this token before

    /// "previous 0.93": what it does most, or nothing that stands out.
    std::string in_words() const;
};

/// `rounds` tokens in random order, twice.   [as Olsson et al. 2022 score induction heads]
std::vector<Index> said_twice(const Gpt2Sizes& sizes, Index rounds, std::uint64_t seed);

/// One for each head of each layer.
/// @param looks  at the text in question   @param twice  at said_twice
std::vector<HeadRole> roles_of(const std::vector<Gpt2::LayerLook>& looks, const std::vector<Gpt2::LayerLook>& twice);

}  // namespace headway::lab
