#include "kv_cache.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

// Token by token, in one pass over the keys (online softmax), through pointers and strides.
namespace headway::ex08 {
namespace {

class Refusal : public std::invalid_argument {
public:
    explicit Refusal(const char* why) : std::invalid_argument(why) {}
};

bool counts_fit(const Cache& cache, const std::vector<Index>& counts, Index n) {
    if (counts.size() != cache.lengths.size()) return false;
    for (std::size_t b = 0; b < counts.size(); ++b) {
        if (counts[b] > n || counts[b] < 0) return false;
        if (cache.lengths[b] + counts[b] > cache.k.size(2)) return false;
    }
    return true;
}

Index place(const Strides& strides, Index b, Index h, Index t, Index i) {
    return b * strides[0] + h * strides[1] + t * strides[2] + i * strides[3];
}

/// The mean of the values, weighted by the softmax of the scores that were taken in so far.
class Mean {
public:
    explicit Mean(Index d) : sums_(static_cast<std::size_t>(d)) {}

    void take(double score, const Cache& cache, Index b, Index h, Index s) {
        if (score > largest_) {
            const double shrink = std::exp(largest_ - score);
            for (double& sum : sums_) sum *= shrink;
            total_ *= shrink;
            largest_ = score;
        }
        const double share = std::exp(score - largest_);
        total_ += share;
        for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += share * cache.v(b, h, s, static_cast<Index>(i));
    }
    float operator()(Index i) const { return static_cast<float>(sums_[static_cast<std::size_t>(i)] / total_); }

private:
    double largest_ = -std::numeric_limits<double>::infinity();
    double total_ = 0;
    std::vector<double> sums_;
};

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (!(B >= 1 && H >= 1 && capacity >= 1 && d >= 1)) throw Refusal("make_cache: an axis is empty");
    Tensor both = Tensor::zeros({2, B, H, capacity, d});
    return {both[0], both[1], std::vector<Index>(static_cast<std::size_t>(B), Index{0})};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    if (k.rank() != 4 || v.rank() != 4) throw Refusal("append: k and v have four axes");
    for (const Index axis : {0, 1, 3})
        if (k.size(axis) != cache.k.size(axis) || v.size(axis) != cache.v.size(axis))
            throw Refusal("append: k or v does not fit the cache");
    if (k.size(2) != v.size(2)) throw Refusal("append: k and v differ in tokens");
    if (!counts_fit(cache, counts, k.size(2))) throw Refusal("append: a count does not fit");

    const Index B = k.size(0), H = k.size(1), d = k.size(3);
    const Tensor from_k = k.clone(), from_v = v.clone();  // they might be views of the cache
    const Strides from = from_k.strides();
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < counts[b]; ++t)
                for (Index i = 0; i < d; ++i) {
                    const Index position = cache.lengths[b] + t;
                    cache.k.data()[place(cache.k.strides(), b, h, position, i)] =
                        from_k.data()[place(from, b, h, t, i)];
                    cache.v.data()[place(cache.v.strides(), b, h, position, i)] =
                        from_v.data()[place(from, b, h, t, i)];
                }
    for (Index b = 0; b < B; ++b) cache.lengths[b] += counts[b];
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    Mask mask = Mask::block_all({static_cast<Index>(lengths.size()), 1, n, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = 0; s < S && s <= lengths[b] + t; ++s) mask(b, 0, t, s) = false;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3);
    if (x.rank() != 3 || x.size(0) != B) throw Refusal("decode: x is (B, n, D)");
    const Index n = x.size(1), D = x.size(2), E = H * d;
    const auto maps = [](const nn::Linear& map, Index in, Index out) {
        return map.weight.rank() == 2 && map.weight.size(0) == out && map.weight.size(1) == in;
    };
    if (!maps(projections.q_proj, D, E) || !maps(projections.k_proj, D, E) || !maps(projections.v_proj, D, E) ||
        !maps(projections.out_proj, E, D))
        throw Refusal("decode: the projections fit neither x nor the cache");
    if (!counts_fit(cache, counts, n)) throw Refusal("decode: a count does not fit");

    const std::vector<Index> before = cache.lengths;
    const Tensor q = projections.q_proj.forward(x);  // (B, n, E)
    append(cache, given::split_heads(projections.k_proj.forward(x), H),
           given::split_heads(projections.v_proj.forward(x), H), counts);
    Tensor merged = Tensor::zeros({B, n, E});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < counts[b]; ++t)
            for (Index h = 0; h < H; ++h) {
                Mean mean(d);
                for (Index s = 0; s <= before[b] + t; ++s) {
                    double score = 0;
                    for (Index i = 0; i < d; ++i)
                        score += static_cast<double>(q(b, t, h * d + i)) * cache.k(b, h, s, i);
                    mean.take(score / std::sqrt(static_cast<double>(d)), cache, b, h, s);
                }
                for (Index i = 0; i < d; ++i) merged(b, t, h * d + i) = mean(i);
            }
    return projections.out_proj.forward(merged);
}

}  // namespace headway::ex08
