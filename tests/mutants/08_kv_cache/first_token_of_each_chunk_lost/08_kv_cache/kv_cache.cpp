// A chunk is a chunk of one token less, and then that token: so there is only one case to think about. Only real tokens
// go through the projections. Scores of the positions a sequence does not have yet are never asked for.
#include "kv_cache.hpp"

#include <cstddef>
#include <numeric>
#include <stdexcept>

namespace headway::ex08 {
namespace {

void refuse(const std::string& why) { throw std::invalid_argument("kv cache: " + why); }

void validate(const Cache& cache, Index B, Index n, const std::vector<Index>& counts) {
    if (B != cache.k.size(0) || counts.size() != static_cast<std::size_t>(B)) refuse("batch");
    if (cache.lengths.size() != counts.size()) refuse("lengths");
    for (std::size_t b = 0; b < counts.size(); ++b) {
        if (counts[b] > n || counts[b] < 0) refuse("counts");
        if (cache.lengths[b] + counts[b] > cache.k.size(-2)) refuse("full");
    }
}

Tensor one_token(Cache& cache, const Projections& p, const Tensor& token, Index b) {  // (1, 1, D) -> (1, 1, D)
    const Index H = cache.k.size(1);
    const Tensor q = given::split_heads(p.q_proj.forward(token), H);
    const Tensor k = given::split_heads(p.k_proj.forward(token), H);
    const Tensor v = given::split_heads(p.v_proj.forward(token), H);
    const Index position = cache.lengths[static_cast<std::size_t>(b)]++;
    Tensor keys = cache.k.slice(0, b, b + 1).slice(2, 0, position + 1);
    Tensor values = cache.v.slice(0, b, b + 1).slice(2, 0, position + 1);
    keys.slice(2, position, position + 1).copy_from(k);
    values.slice(2, position, position + 1).copy_from(v);
    return p.out_proj.forward(given::merge_heads(given::scaled_dot_product_attention(q, keys, values).context));
}

void first_tokens(Cache& cache, const Projections& p, const Tensor& x, Index b, Index count, Tensor y) {
    if (count <= 1) return;
    first_tokens(cache, p, x, b, count - 1, y);
    const Tensor token = x.slice(0, b, b + 1).slice(1, count - 1, count);
    y.slice(0, b, b + 1).slice(1, count - 1, count).copy_from(one_token(cache, p, token, b));
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (B <= 0) refuse("B");
    if (H <= 0) refuse("H");
    if (capacity <= 0) refuse("capacity");
    if (d <= 0) refuse("d");
    // one allocation for both
    const Tensor both = Tensor::zeros({2, B, H, capacity, d});
    return {both[0], both[1], std::vector<Index>(static_cast<std::size_t>(B), 0)};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    if (k.rank() != 4 || v.rank() != 4) refuse("rank");
    validate(cache, k.size(0), k.size(2), counts);
    Shape want = cache.k.shape();
    want[2] = k.size(2);
    if (k.shape() != want || v.shape() != want) refuse("shape");
    for (Index b = 0; b < k.size(0); ++b)
        for (Index t = 0; t < counts[static_cast<std::size_t>(b)]; ++t, ++cache.lengths[static_cast<std::size_t>(b)])
            for (Index h = 0; h < k.size(1); ++h) {
                const Index position = cache.lengths[static_cast<std::size_t>(b)];
                cache.k[b][h][position].copy_from(k[b][h][t]);
                cache.v[b][h][position].copy_from(v[b][h][t]);
            }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    // (B, 1, 1, S) for each of the n tokens: what lies behind a sequence of lengths[b] + t + 1 tokens
    const Index B = static_cast<Index>(lengths.size());
    Mask all = Mask::allow_all({B, 1, n, S});
    for (Index t = 0; t < n; ++t) {
        std::vector<Index> seen = lengths;
        for (Index& length : seen) length += t + 1;
        const Mask behind = given::padding_mask(seen, S);
        for (Index b = 0; b < B; ++b)
            for (Index s = 0; s < S; ++s) all(b, 0, t, s) = behind(b, 0, 0, s);
    }
    return all;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    if (x.rank() != 3) refuse("x");
    validate(cache, x.size(0), x.size(1), counts);
    if (projections.k_proj.weight.shape() != Shape{cache.k.size(1) * cache.k.size(3), x.size(2)}) refuse("D");
    Tensor y = Tensor::zeros(x.shape());
    for (Index b = 0; b < x.size(0); ++b)
        first_tokens(cache, projections, x, b, counts[static_cast<std::size_t>(b)], y);
    return y;
}

}  // namespace headway::ex08
