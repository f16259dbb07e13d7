// A transaction with roll-back, virtual storage of pages, std::async for each sequence.
#include "kv_cache.hpp"

#include <deque>
#include <future>
#include <map>
#include <memory>
#include <stdexcept>

namespace headway::ex08 {
namespace {

/// Puts the lengths back, and the numbers that were overwritten, unless it was told that all is well.
class Transaction {
public:
    explicit Transaction(Cache& cache) : cache_(cache), lengths_(cache.lengths) {}
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction() {
        if (done_) return;
        while (!log_.empty()) {
            log_.back().first.copy_from(log_.back().second);
            log_.pop_back();
        }
        cache_.lengths = lengths_;
    }
    void write(Tensor place, const Tensor& value) {
        const Tensor old = Tensor::zeros(place.shape()) + place;
        log_.emplace_back(place, old);
        place.copy_from(value);
    }
    void commit() { done_ = true; }

private:
    Cache& cache_;
    std::vector<Index> lengths_;
    std::deque<std::pair<Tensor, Tensor>> log_;
    bool done_ = false;
};

struct Source {
    virtual ~Source() = default;
    virtual Tensor token(Index b, Index t) const = 0;  // (H, d)
};
struct FromHeads final : Source {
    explicit FromHeads(Tensor t) : tensor(std::move(t)) {}
    Tensor token(Index b, Index t) const override { return tensor[b].select(1, t); }
    Tensor tensor;
};

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (B < 1 || H < 1 || capacity < 1 || d < 1) throw std::invalid_argument("make_cache");
    return {Tensor::zeros({B, H, capacity, d}), Tensor::zeros({B, H, capacity, d}), std::vector<Index>(std::size_t(B))};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    Transaction work(cache);
    if (k.rank() != 4 || v.shape() != k.shape() || k.size(0) != cache.k.size(0) || k.size(1) != cache.k.size(1) ||
        k.size(3) != cache.k.size(3) || Index(counts.size()) != k.size(0))
        throw std::invalid_argument("append: shapes");
    const std::unique_ptr<Source> keys = std::make_unique<FromHeads>(k), values = std::make_unique<FromHeads>(v);
    for (Index b = 0; b < k.size(0); ++b) {
        Index& length = cache.lengths[std::size_t(b)];
        if (counts[std::size_t(b)] < 0 || counts[std::size_t(b)] > k.size(2)) throw std::invalid_argument("counts");
        for (Index t = 0; t < counts[std::size_t(b)]; ++t) {
            if (length == cache.k.size(2)) throw std::invalid_argument("append: full");
            work.write(cache.k[b].select(1, length), keys->token(b, t));
            work.write(cache.v[b].select(1, length), values->token(b, t));
            ++length;
        }
    }
    work.commit();
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    std::map<Index, Mask> by_length;  // sequences of the same length share one
    Mask all = Mask::allow_all({Index(lengths.size()), 1, n, S});
    for (Index b = 0; b < all.size(0); ++b) {
        const Index l = lengths[std::size_t(b)];
        auto it = by_length.find(l);
        if (it == by_length.end()) {
            Mask one = Mask::allow_all({n, S});
            for (Index t = 0; t < n; ++t)
                for (Index s = 0; s < S; ++s) one(t, s) = s - t > l;
            it = by_length.emplace(l, one).first;
        }
        for (Index t = 0; t < n; ++t)
            for (Index s = 0; s < S; ++s) all(b, 0, t, s) = it->second(t, s);
    }
    return all;
}

Tensor decode(Cache& cache, const Projections& p, const Tensor& x, const std::vector<Index>& counts) {
    if (x.rank() != 3) throw std::invalid_argument("decode: x");
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3), n = x.size(1);
    const std::vector<Index> before = cache.lengths;
    // Linear and append throw std::invalid_argument by themselves; nothing is written before append.
    const Tensor q = p.q_proj.forward(x), k = p.k_proj.forward(x), v = p.v_proj.forward(x);
    if (k.size(2) != H * d || p.out_proj.weight.size(1) != H * d) throw std::invalid_argument("decode: E");
    append(cache, given::split_heads(k, H), given::split_heads(v, H), counts);
    Tensor merged = Tensor::zeros({B, n, H * d});
    std::vector<std::future<Tensor>> sequences;
    for (Index b = 0; b < B; ++b)
        sequences.push_back(std::async(std::launch::async, [&, b] {
            const Index S = before[std::size_t(b)] + n, C = cache.k.size(2), end = std::min(S, C);
            return given::scaled_dot_product_context(
                given::split_heads(q.slice(0, b, b + 1), H), cache.k.slice(0, b, b + 1).slice(2, 0, end),
                cache.v.slice(0, b, b + 1).slice(2, 0, end), decoding_mask({before[std::size_t(b)]}, n, end));
        }));
    for (Index b = 0; b < B; ++b)
        merged.slice(0, b, b + 1).copy_from(given::merge_heads(sequences[std::size_t(b)].get()));
    return p.out_proj.forward(merged);
}

}  // namespace headway::ex08
