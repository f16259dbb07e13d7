#pragma once

#include "labs/gpt2/model.hpp"

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

    /// "previous token": what it does most; "nothing that stands out" if nothing does.
    std::string name() const;
    /// "previous token 0.93"
    std::string in_words() const;
};

/// `count` tokens, drawn from these, twice; fewer where the model has not so many places.   [as Olsson et al. 2022]
std::vector<Index> said_twice(const std::vector<Index>& tokens, Index places, Index count, std::uint64_t seed);

/// One for each head of each layer.
/// @param looks  at the text in question   @param twice  at said_twice
std::vector<HeadRole> roles_of(const std::vector<Gpt2::LayerLook>& looks, const std::vector<Gpt2::LayerLook>& twice);

}  // namespace headway::lab
