#pragma once

#include "diagnosis/subject.hpp"

/// What diagnosis asks the functions of exercise 12, so that every decision shows.
namespace headway::diagnosis {

Questions ask_rounded(Random& random);
Questions ask_sum(Random& random);
Questions ask_softmax(Random& random);
Questions ask_attention_in_half(Random& random);
Questions ask_scales(Random& random);
Questions ask_codes(Random& random);
Questions ask_numbers_of_codes(Random& random);
Questions ask_append(Random& random);
Questions ask_int8_attention(Random& random);
Questions ask_cache_bytes(Random& random);

}  // namespace headway::diagnosis
