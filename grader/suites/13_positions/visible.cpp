// Exercise 13: what its visible test asks, asked of the submission. See student/visible_twin.hpp.
#include "student/visible_twin.hpp"

#include <visible_test.cpp>  // NOLINT(bugprone-suspicious-include)

namespace headway::ex13 {

using judge::asked_for;
using judge::field;

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    return asked_for<Tensor>("token_positions", {{"padding", padding}, {"first", first}, {"T", T}});
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    return asked_for<Tensor>("rotation_angles", {{"positions", positions}, {"d", d}, {"base", base}});
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    return asked_for<Tensor>("rotate_pairs", {{"x", x}, {"angles", angles}});
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    return asked_for<Tensor>("rotate_halves", {{"x", x}, {"angles", angles}});
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    return asked_for<Tensor>("pairs_to_halves", {{"w", w}, {"num_heads", num_heads}});
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    return asked_for<Tensor>("halves_to_pairs", {{"w", w}, {"num_heads", num_heads}});
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    return asked_for<Tensor>("rotary_attention", {{"q", q},
                                                  {"k", k},
                                                  {"v", v},
                                                  {"q_positions", q_positions},
                                                  {"k_positions", k_positions},
                                                  {"base", base},
                                                  {"mask", mask}});
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    const auto decoded = asked_for<wire::Record>("decode", {{"cache.k", cache.k},
                                                            {"cache.v", cache.v},
                                                            {"q", q},
                                                            {"k", k},
                                                            {"v", v},
                                                            {"padding", padding},
                                                            {"base", base}});
    return {field<Tensor>(decoded, "context"), {field<Tensor>(decoded, "cache_k"), field<Tensor>(decoded, "cache_v")}};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    const auto packed = asked_for<wire::Record>(
        "pack_in_projection", {{"w_q", w_q}, {"w_k", w_k}, {"w_v", w_v}, {"b_q", b_q}, {"b_k", b_k}, {"b_v", b_v}});
    return {field<Tensor>(packed, "weight"), field<Tensor>(packed, "bias")};
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    const auto parts = asked_for<wire::Record>("unpack_in_projection", {{"packed.weight", packed.weight},
                                                                        {"packed.bias", packed.bias},
                                                                        {"num_heads", num_heads},
                                                                        {"num_kv_heads", num_kv_heads}});
    const auto part = [&](const char* name) { return field<Tensor>(parts, name); };
    return {part("w_q"), part("w_k"), part("w_v"), part("b_q"), part("b_k"), part("b_v")};
}

}  // namespace headway::ex13
