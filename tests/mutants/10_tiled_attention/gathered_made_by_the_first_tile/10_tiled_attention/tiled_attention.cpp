// Absorb in place with library operators (*=, +=); Eigen-free; tile of keys in pairs; visible list by mask too.
#include "tiled_attention.hpp"
#include <limits>
#include <stdexcept>
namespace headway::ex10 {
namespace {
const float NEG = -std::numeric_limits<float>::infinity();
bool same_front(const Tensor& a, const Tensor& b) { return a.size(0) == b.size(0) && a.size(1) == b.size(1); }
}  // namespace
Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    if (B < 1 or H < 1 or T < 1 or d_v < 1) throw std::invalid_argument{"nothing to see"};
    return {Tensor::ones({B, H, T, 1}) * NEG, Tensor::zeros({B, H, T, 1}), Tensor{}};
}
void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    if (not running.gathered.defined())
        running.gathered = Tensor::zeros({scores.size(0), scores.size(1), scores.size(2), v.size(3)});
    if (scores.rank() != 4 or v.rank() != 4 or not same_front(scores, v) or not same_front(scores, running.total) or
        scores.size(2) != running.total.size(2) or scores.size(3) != v.size(2) or v.size(3) != running.gathered.size(3))
        throw std::invalid_argument{"absorb"};
    if (scores.size(3) == 0) return;
    Tensor now = max(scores, 3, KeepAxis::yes).contiguous().clone();
    const Tensor old = running.largest.contiguous();
    Tensor shift = Tensor::zeros(now.shape());
    for (Index i = 0; i < now.numel(); ++i) {
        now.data()[i] = max(now.data()[i], old.data()[i]);
        shift.data()[i] = now.data()[i] == NEG ? 0 : now.data()[i];
    }
    running.largest -= shift;
    const Tensor shrink = exp(running.largest);
    const Tensor raised = exp(scores - shift);
    running.total *= shrink;
    running.total += sum(raised, 3, KeepAxis::yes);
    running.gathered *= shrink;
    running.gathered += matmul(raised, v);
    running.largest.copy_from(now);
}
Tensor context(const Running& running) {
    Tensor out = running.gathered.contiguous().clone();
    Tensor by = Tensor::zeros(running.total.shape());
    by += running.total;
    for (Index i = 0; i < by.numel(); ++i)
        if (!(by.data()[i] > 0)) by.data()[i] = 1;
    out /= by;
    return out;
}
Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (tile < 1) throw std::invalid_argument{"tile"};
    if (q.rank() != 4 or k.rank() != 4 or v.rank() != 4 or not same_front(q, k) or not same_front(q, v) or
        q.size(3) != k.size(3) or k.size(2) != v.size(2))
        throw std::invalid_argument{"q, k, v"};
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), dv = v.size(3), ahead = S - T;
    Mask full;
    if (mask.defined()) full = mask.expand({B, H, T, S});
    Tensor out = Tensor::zeros({B, H, T, dv});
    if (B * H * T * S * dv == 0) return out;
    const Tensor kt = k.transpose(2, 3);
    Index t = 0;
    while (t < T) {
        const Index rows = tile < T - t ? tile : T - t;
        Running state = nothing_seen(B, H, rows, dv);
        Index s = 0;
        while (s < S && (causal == Causal::no || s <= t + rows - 1 + ahead)) {
            const Index cols = tile < S - s ? tile : S - s;
            Tensor blocked = Tensor::zeros({B, H, rows, cols});
            bool any = false;
            for (Index b = 0; b < B; ++b)
                for (Index h = 0; h < H; ++h)
                    for (Index i = 0; i < rows; ++i)
                        for (Index j = 0; j < cols; ++j) {
                            const bool future = causal == Causal::yes && s + j > t + i + ahead;
                            if (future || (full.defined() && full(b, h, t + i, s + j)))
                                blocked(b, h, i, j) = NEG;
                            else
                                any = true;
                        }
            if (any) {
                Tensor scores = matmul(q.slice(2, t, t + rows), kt.slice(3, s, s + cols));
                scores /= std::sqrt(float(q.size(3)));
                absorb(state, scores + blocked, v.slice(2, s, s + cols));
            }
            s += cols;
        }
        out.slice(2, t, t + rows).copy_from(context(state));
        t += rows;
    }
    return out;
}
}  // namespace headway::ex10
