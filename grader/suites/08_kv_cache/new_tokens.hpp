#pragma once

#include "suites/08_kv_cache/questions.hpp"

#include "student/inputs.hpp"

#include <cmath>
#include <string>

/// What decode is asked with.
namespace headway::diagnosis {

/// Zeros past the end of each sequence: some submissions hand on the whole cache, others a copy of what counts.
inline Tensor zero_past(const Shape& lengths, const Tensor& held) {
    for (Index b = 0; b < held.size(0); ++b) held[b].slice(1, lengths[as_size(b)], held.size(2)).fill(0);
    return held;
}

inline void fill_parameter(wire::Record& state, const std::string& name, float value) {
    for (wire::Field& field : state.fields)
        if (field.name == name) field.value = Tensor::full(std::get<Tensor>(field.value).shape(), value);
}

/// Projections under which every score is this: q and k are their biases, whatever the token is.
inline void score_always(wire::Record& state, double score, Index d) {
    const auto each = static_cast<float>(std::sqrt(std::abs(score) / std::sqrt(static_cast<double>(d))));
    for (const char* weight : {"q_proj.weight", "k_proj.weight"}) fill_parameter(state, weight, 0.0F);
    fill_parameter(state, "q_proj.bias", each);
    fill_parameter(state, "k_proj.bias", -each);
}

/// `numbers`, with those of sequence 0 made large.
inline Tensor louder_at_first(const Tensor& numbers) {
    Tensor louder = numbers.clone();
    louder.select(0, 0) *= 40.0F;
    return louder;
}

}  // namespace headway::diagnosis
