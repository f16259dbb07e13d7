#include "tiled_attention.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

// A state for one query, in double, does the work; the tensors of Running are read into it and written from it.
// tiled_attention keeps the states of one tile of queries, and goes through the keys in tiles.
namespace headway::ex10 {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class State {
public:
    explicit State(Index d_v) : gathered(static_cast<std::size_t>(d_v), 0.0) {}

    /// Makes room for a score: what was summed before is now relative to it.
    void raise(double score) {
        if (!(score > largest)) return;
        const double shrink = std::exp(largest - score);
        for (double& sum : gathered) sum *= shrink;
        largest = score;
    }
    template <class Value>
    void take(double score, const Value& value) {
        if (score == -infinity) return;
        raise(score);
        const double share = std::exp(score - largest);
        total += share;
        for (std::size_t j = 0; j < gathered.size(); ++j) gathered[j] += share * value(static_cast<Index>(j));
    }
    float mean(std::size_t j) const { return total == 0 ? 0.0F : static_cast<float>(gathered[j] / total); }

    double largest = -infinity;
    double total = 0;
    std::vector<double> gathered;
};

void refuse_unless(bool fits) {
    if (!fits) throw std::invalid_argument("tiled attention: sizes do not fit");
}

}  // namespace

Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    refuse_unless(B > 0 && H > 0 && T > 0 && d_v > 0);
    const Tensor zero = Tensor::zeros({B, H, T, 1});
    return {Tensor::full({B, H, T, 1}, -std::numeric_limits<float>::infinity()), zero, Tensor::zeros({B, H, T, d_v})};
}

void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    const Index B = running.gathered.size(0), H = running.gathered.size(1), T = running.gathered.size(2);
    const Index d_v = running.gathered.size(3);
    refuse_unless(scores.rank() == 4 && v.rank() == 4);
    refuse_unless(scores.size(0) == B && scores.size(1) == H && scores.size(2) == T);
    refuse_unless(v.size(0) == B && v.size(1) == H && v.size(3) == d_v);
    refuse_unless(v.size(2) == scores.size(3));

    Running next{Tensor::empty({B, H, T, 1}), Tensor::empty({B, H, T, 1}), Tensor::empty({B, H, T, d_v})};
    for (Index row = 0; row < B * H * T; ++row) {
        const Index b = row / (H * T), h = row / T % H, t = row % T;
        State state(d_v);
        state.largest = running.largest(b, h, t, 0);
        state.total = running.total(b, h, t, 0);
        for (Index j = 0; j < d_v; ++j) state.gathered[j] = running.gathered(b, h, t, j);
        for (Index s = 0; s < v.size(2); ++s) state.take(scores(b, h, t, s), [&](Index j) { return v(b, h, s, j); });
        next.largest(b, h, t, 0) = static_cast<float>(state.largest);
        next.total(b, h, t, 0) = static_cast<float>(state.total);
        for (Index j = 0; j < d_v; ++j) next.gathered(b, h, t, j) = static_cast<float>(state.gathered[j]);
    }
    running = next;
}

Tensor context(const Running& running) {
    const Tensor total = running.total.contiguous(), gathered = running.gathered.contiguous();
    const Index d_v = gathered.size(3);
    Tensor result = Tensor::empty(gathered.shape());
    for (Index i = 0; i < result.numel(); ++i) {
        const float divisor = total.data()[i / d_v];
        result.data()[i] = divisor == 0 ? 0.0F : gathered.data()[i] / divisor;
    }
    return result;
}

Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    refuse_unless(tile >= 1);
    refuse_unless(q.rank() == 4 && k.rank() == 4 && v.rank() == 4);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    refuse_unless(k.shape() == Shape{B, H, S, d});
    refuse_unless(v.shape() == Shape{B, H, S, d_v});
    Mask wide = mask;
    if (wide.defined()) wide = wide.expand({B, H, T, S});

    Tensor result = Tensor::empty({B, H, T, d_v});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; t += tile) {
                const Index rows = tile < T - t ? tile : T - t;
                std::vector<State> states(static_cast<std::size_t>(rows), State(d_v));
                Index visible = S;
                if (causal == Causal::yes && t + 1 + (S - T) < S) visible = t + 1 + (S - T);
                for (Index s = 0; s < visible; s += tile) {
                    const Index s_end = tile < visible - s ? s + tile : visible;
                    for (Index row = 0; row < rows; ++row)
                        for (Index key = s; key < s_end; ++key) {
                            if (wide.defined() && wide(b, h, t + row, key)) continue;
                            if (causal == Causal::yes && key > t + row + (S - T)) break;
                            double score = 0;
                            for (Index i = 0; i < d; ++i)
                                score += static_cast<double>(q(b, h, t + row, i)) * k(b, h, key, i);
                            states[row].take(score / std::sqrt(static_cast<double>(d)),
                                             [&](Index j) { return v(b, h, key, j); });
                        }
                }
                for (Index row = 0; row < rows; ++row)
                    for (Index j = 0; j < d_v; ++j)
                        result(b, h, t + row, j) = states[row].mean(static_cast<std::size_t>(j));
            }
    return result;
}

}  // namespace headway::ex10
