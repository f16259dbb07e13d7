#include "kv_cache.hpp"

#include <stdexcept>
#include <string>

namespace headway::ex08 {

namespace {

void require(bool condition, const std::string& what) {
    if (!condition) throw std::invalid_argument(what);
}

/// One sequence of a cache; its tensors are views (1, H, C, d).
class Sequence {
public:
    Sequence(Cache& cache, Index b)
        : k_(cache.k.slice(0, b, b + 1)),
          v_(cache.k.slice(0, b, b + 1)),
          length_(cache.lengths.at(static_cast<std::size_t>(b))) {}

    Index length() const { return length_; }
    bool has_room_for(Index count) const { return length_ + count <= k_.size(2); }

    /// k, v (1, H, n, d), of which the first count tokens are real
    void write(const Tensor& k, const Tensor& v, Index count) {
        if (count == 0) return;
        const Index end = length_ + count;
        k_.slice(2, length_, end).copy_from(k.slice(2, 0, count));
        v_.slice(2, length_, end).copy_from(v.slice(2, 0, count));
        length_ = end;
    }

    Tensor keys() const { return k_.slice(2, 0, length_); }
    Tensor values() const { return v_.slice(2, 0, length_); }

private:
    Tensor k_;
    Tensor v_;
    Index& length_;
};

Tensor one(const Tensor& batch, Index b) { return batch.slice(0, b, b + 1); }

}  // namespace

// In memory the tokens come before the heads: all heads of a token are neighbours.
Cache make_cache(Index B, Index H, Index capacity, Index d) {
    require(B >= 1 && H >= 1 && capacity >= 1 && d >= 1, "make_cache: everything must be at least 1");
    Cache cache;
    cache.k = Tensor::zeros({B, capacity, H, d}).transpose(1, 2);
    cache.v = Tensor::zeros({B, capacity, H, d}).transpose(1, 2);
    cache.lengths = std::vector<Index>(static_cast<std::size_t>(B));
    return cache;
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    require(k.rank() == 4, "append: k is not of rank 4");
    require(k.shape() == v.shape(), "append: k and v differ");
    const Index B = cache.k.size(0);
    require(k.size(0) == B && k.size(1) == cache.k.size(1) && k.size(3) == cache.k.size(3),
            "append: the cache has another shape");
    require(static_cast<Index>(counts.size()) == B, "append: number of counts");
    for (Index b = 0; b < B; ++b) {
        const Index count = counts[static_cast<std::size_t>(b)];
        require(0 <= count && count <= k.size(2), "append: count");
        require(Sequence(cache, b).has_room_for(count), "append: capacity");
    }
    for (Index b = 0; b < B; ++b) Sequence(cache, b).write(one(k, b), one(v, b), counts[static_cast<std::size_t>(b)]);
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    Mask mask = Mask::block_all({static_cast<Index>(lengths.size()), 1, n, S});
    Index b = 0;
    for (const Index length : lengths) {
        require(length + n <= S, "decoding_mask: S is too small");  // decode below never asks
        const Mask seen = given::causal_mask(n, length + n);
        for (Index t = 0; t < n; ++t)
            for (Index s = 0; s < length + n; ++s) mask(b, 0, t, s) = seen(t, s);
        ++b;
    }
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    require(x.rank() == 3, "decode: x is not of rank 3");
    const Index H = cache.k.size(1);
    const Tensor q = given::split_heads(projections.q_proj.forward(x), H);
    append(cache, given::split_heads(projections.k_proj.forward(x), H),
           given::split_heads(projections.v_proj.forward(x), H), counts);

    // Each sequence alone and without its padding: then the causal mask of lesson 03 is right.
    const Index n = x.size(1);
    Tensor merged = Tensor::zeros({x.size(0), n, H * cache.k.size(3)});
    for (Index b = 0; b < x.size(0); ++b) {
        const Index count = counts[static_cast<std::size_t>(b)];
        if (count == 0) continue;
        const Sequence sequence(cache, b);
        const Tensor queries = one(q, b).slice(2, 0, count);
        const Mask future = given::causal_mask(count, sequence.length());
        const Tensor context = given::scaled_dot_product_context(queries, sequence.keys(), sequence.values(), future);
        one(merged, b).slice(1, 0, count).copy_from(given::merge_heads(context));
    }
    return projections.out_proj.forward(merged);
}

}  // namespace headway::ex08
