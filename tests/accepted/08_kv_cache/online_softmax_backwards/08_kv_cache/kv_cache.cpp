// A class that walks over the keys once (online softmax): no scores are ever stored. Positions are asked in batch-wide
// steps of time: for each position, every sequence that still sees it. Output goes head by head through slices of
// out_proj's columns, and the bias once at the end.
#include "kv_cache.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace headway::ex08 {
namespace {

class RunningSoftmax {
public:
    explicit RunningSoftmax(Index d) : sum_(static_cast<std::size_t>(d), 0.0F) {}

    void see(float score, const Tensor& value) {
        if (score > top_) {
            const float shrink = std::exp(top_ - score);  // 0 the first time: top_ is -inf
            total_ *= shrink;
            for (float& s : sum_) s *= shrink;
            top_ = score;
        }
        const float weight = std::exp(score - top_);
        total_ += weight;
        for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += weight * value(i);
    }
    float result(Index i) const { return sum_[static_cast<std::size_t>(i)] / total_; }

private:
    float top_ = -std::numeric_limits<float>::infinity();
    float total_ = 0;
    std::vector<float> sum_;
};

struct Request {
    Request(const Cache& cache, Index batch, Index tokens, const std::vector<Index>& counts) {
        if (cache.k.rank() != 4 || cache.v.shape() != cache.k.shape()) throw std::invalid_argument("not a cache");
        if (batch != cache.k.size(0)) throw std::invalid_argument("another batch than the cache's");
        if (counts.size() != static_cast<std::size_t>(batch) || cache.lengths.size() != counts.size())
            throw std::invalid_argument("counts and lengths must be B numbers");
        for (std::size_t b = 0; b < counts.size(); b++) {
            if (counts[b] < 0) throw std::invalid_argument("a negative count");
            if (counts[b] > tokens) throw std::invalid_argument("more real tokens than tokens");
            if (cache.lengths[b] + counts[b] > cache.k.size(2)) throw std::invalid_argument("beyond the capacity");
        }
    }
};

float dot(const Tensor& a, const Tensor& b) {
    float sum = 0;
    for (Index i = 0; i < a.size(0); i++) sum += a(i) * b(i);
    return sum;
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    for (const Index size : {B, H, capacity, d})
        if (size <= 0) throw std::invalid_argument("a cache needs positive sizes");
    return Cache{Tensor::full({B, H, capacity, d}, 0), Tensor::full({B, H, capacity, d}, 0),
                 std::vector<Index>(static_cast<std::size_t>(B), Index{0})};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    if (k.rank() != 4 || k.shape() != v.shape()) throw std::invalid_argument("k and v");
    const Request request(cache, k.size(0), k.size(2), counts);
    if (k.size(1) != cache.k.size(1) || k.size(3) != cache.k.size(3)) throw std::invalid_argument("heads or width");
    for (std::size_t b = 0; b < counts.size(); b++)
        for (Index t = 0; t < counts[b]; t++) {
            const Index position = cache.lengths[b]++;
            cache.k[Index(b)].select(1, position).copy_from(k[Index(b)].select(1, t));
            cache.v[Index(b)].select(1, position).copy_from(v[Index(b)].select(1, t));
        }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, n, S});
    bool* cell = mask.data();  // fresh, so row-major
    for (const Index length : lengths)
        for (Index query = length; query < length + n; query++)
            for (Index key = 0; key < S; key++) *cell++ = query < key;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    if (x.rank() != 3) throw std::invalid_argument("x must be (B, n, D)");
    const Index B = x.size(0), n = x.size(1);
    const Request request(cache, B, n, counts);
    const Index H = cache.k.size(1), d = cache.k.size(3);
    const auto& [q_proj, k_proj, v_proj, out_proj] =
        std::tie(projections.q_proj, projections.k_proj, projections.v_proj, projections.out_proj);
    if (x.size(2) != q_proj.weight.size(1) || q_proj.weight.size(0) != H * d || out_proj.weight.size(1) != H * d)
        throw std::invalid_argument("the projections do not fit");

    const Tensor q = q_proj.forward(x).view({B, n, H, d});
    const Tensor k = k_proj.forward(x).view({B, n, H, d});
    const Tensor v = v_proj.forward(x).view({B, n, H, d});
    const std::vector<Index> before = cache.lengths;
    append(cache, k.transpose(1, 2), v.transpose(1, 2), counts);

    Tensor heads = Tensor::zeros({B, n, H, d});
    for (Index b = 0; b < B; b++)
        for (Index t = 0; t < counts[static_cast<std::size_t>(b)]; t++)
            for (Index h = 0; h < H; h++) {
                RunningSoftmax softmax(d);
                const Tensor query = q[b][t][h] * (1 / std::sqrt(static_cast<float>(d)));
                for (Index s = before[static_cast<std::size_t>(b)] + t; s >= 0; s--)  // backwards is fine too
                    softmax.see(dot(query, cache.k[b][h][s]), cache.v[b][h][s]);
                for (Index i = 0; i < d; i++) heads(b, t, h, i) = softmax.result(i);
            }
    return out_proj.forward(heads.view({B, n, H * d}));
}

}  // namespace headway::ex08
