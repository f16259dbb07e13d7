// Exercise 11: what its visible test asks, asked of the submission. See student/visible_twin.hpp.
#include "student/visible_twin.hpp"

#include <visible_test.cpp>  // NOLINT(bugprone-suspicious-include)

namespace headway::ex11 {

using judge::asked;
using judge::asked_for;
using judge::field;
using judge::in_passing;

namespace {

/// A cache lies in the worker while the submission has it.
wire::Handle sent(const RingCache& cache) {
    return in_passing<wire::Handle>("ring", {{"k", cache.k}, {"v", cache.v}, {"next", cache.next}});
}

RingCache contents(wire::Handle cache) {
    const auto fields = in_passing<wire::Record>("contents", {{"cache", cache}});
    return {field<Tensor>(fields, "k"), field<Tensor>(fields, "v"), field<Index>(fields, "next")};
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) { return asked_for<Mask>("window_mask", {{"T", T}, {"S", S}, {"w", w}}); }

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    return asked_for<Mask>("global_mask", {{"T", T}, {"S", S}, {"positions", positions}});
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    return asked_for<Mask>("long_mask", {{"T", T}, {"S", S}, {"w", w}, {"globals", globals}, {"padding", padding}});
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    return asked_for<Tensor>("window_attention",
                             {{"q", q}, {"k", k}, {"v", v}, {"w", w}, {"globals", globals}, {"padding", padding}});
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    return contents(asked_for<wire::Handle>("make_ring", {{"B", B}, {"H", H}, {"w", w}, {"d", d}, {"d_v", d_v}}));
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    const wire::Handle there = sent(cache);
    asked("ring_append", {{"cache", there}, {"k", k}, {"v", v}});
    cache = contents(there);
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    const wire::Handle there = sent(cache);
    const auto context = asked_for<Tensor>("ring_decode", {{"cache", there}, {"q", q}, {"k", k}, {"v", v}});
    cache = contents(there);
    return context;
}

Mask reach(const Mask& mask, Index layers) { return asked_for<Mask>("reach", {{"mask", mask}, {"layers", layers}}); }

Index window_reach(Index w, Index layers) { return asked_for<Index>("window_reach", {{"w", w}, {"layers", layers}}); }

}  // namespace headway::ex11
