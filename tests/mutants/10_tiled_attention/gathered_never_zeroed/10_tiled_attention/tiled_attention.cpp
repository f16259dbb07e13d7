// Eigen, head by head; a list of visible tiles is made first; a policy class with virtual functions.
#include "tiled_attention.hpp"
#include <Eigen/Dense>
#include <headway/eigen.hpp>
#include <memory>
#include <stdexcept>
#include <vector>
namespace headway::ex10 {
namespace {
using Column = Eigen::ArrayXf;
constexpr float minus_inf = -INFINITY;
struct Part {
    Index begin, end;
    Index size() const { return end - begin; }
};
std::vector<Part> parts(Index n, Index tile) {
    std::vector<Part> all;
    for (Index i = 0; i < n; i += tile) all.push_back({i, i + tile < n ? i + tile : n});
    return all;
}
class Rule {
public:
    virtual ~Rule() = default;
    virtual bool forbids(Index b, Index h, Index t, Index s) const = 0;
    virtual bool forbids_all(const Part&, const Part&) const { return false; }
};
class ByMask : public Rule {
public:
    ByMask(const Mask& m, Shape s) {
        if (m.defined()) mask_ = m.expand(s);
    }
    bool forbids(Index b, Index h, Index t, Index s) const override {
        return mask_.defined() && std::as_const(mask_)(b, h, t, s);
    }

private:
    Mask mask_;
};
class ByFuture final : public ByMask {
public:
    ByFuture(const Mask& m, Shape s) : ByMask(m, s), shift_(s[3] - s[2]) {}
    bool forbids(Index b, Index h, Index t, Index s) const override {
        return s - t > shift_ || ByMask::forbids(b, h, t, s);
    }
    bool forbids_all(const Part& queries, const Part& keys) const override {
        return keys.begin - (queries.end - 1) > shift_;
    }

private:
    Index shift_;
};
/// What one head has seen.
struct Head {
    EigenMap largest, total, gathered;
    void absorb(const EigenMatrix& scores, const EigenMap& v) {
        if (scores.cols() == 0) return;
        const Column before = largest.col(0).array();
        const Column now = before.max(scores.rowwise().maxCoeff().array());
        const Column shift = (now == minus_inf).select(Column::Zero(now.size()), now);
        const Column shrink = (before - shift).exp();
        // (Eigen's vectorised exp may give a denormal instead of 0 for -infinity: exactly 0 is wanted)
        EigenMatrix raised = (scores.array().colwise() - shift).exp();
        raised = (scores.array() == minus_inf).select(EigenMatrix::Zero(scores.rows(), scores.cols()), raised);
        const Column factor = (before == minus_inf).select(Column::Zero(before.size()), shrink);
        total.col(0) = (total.col(0).array() * factor + raised.rowwise().sum().array()).matrix();
        EigenMatrix g = factor.matrix().asDiagonal() * gathered;
        g += raised * v;
        gathered = g;
        largest.col(0) = now.matrix();
    }
};
Head head(Running& r, Index b, Index h) {
    return {as_eigen(r.largest[b][h]), as_eigen(r.total[b][h]), as_eigen(r.gathered[b][h])};
}
}  // namespace
Running nothing_seen(Index B, Index H, Index T, Index d_v) {
    if (B < 1 || H < 1 || T < 1 || d_v < 1) throw std::invalid_argument("nothing_seen");
    return {Tensor::full({B, H, T, 1}, minus_inf), Tensor::zeros({B, H, T, 1}), Tensor::empty({B, H, T, d_v})};
}
void absorb(Running& running, const Tensor& scores, const Tensor& v) {
    const Shape& g = running.gathered.shape();
    if (scores.rank() != 4 || v.rank() != 4 || scores.shape() != Shape{g[0], g[1], g[2], v.size(2)} ||
        v.shape() != Shape{g[0], g[1], scores.size(3), g[3]})
        throw std::invalid_argument("absorb");
    for (Index b = 0; b < g[0]; ++b)
        for (Index h = 0; h < g[1]; ++h) head(running, b, h).absorb(as_eigen(scores[b][h]), as_eigen(v[b][h]));
}
Tensor context(const Running& running) {
    Running r = running;
    Tensor out = Tensor::zeros(r.gathered.shape());
    for (Index b = 0; b < out.size(0); ++b)
        for (Index h = 0; h < out.size(1); ++h) {
            const Head one = head(r, b, h);
            for (Index t = 0; t < out.size(2); ++t)
                if (one.total(t, 0) != 0) as_eigen(out[b][h]).row(t) = one.gathered.row(t) / one.total(t, 0);
        }
    return out;
}
Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    if (tile <= 0) throw std::invalid_argument("tile");
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("rank");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), dv = v.size(3);
    if (k.shape() != Shape{B, H, S, d} || v.shape() != Shape{B, H, S, dv}) throw std::invalid_argument("shapes");
    std::unique_ptr<Rule> rule;
    if (causal == Causal::yes)
        rule = std::make_unique<ByFuture>(mask, Shape{B, H, T, S});
    else
        rule = std::make_unique<ByMask>(mask, Shape{B, H, T, S});
    Tensor out = Tensor::zeros({B, H, T, dv});
    if (dv == 0) return out;
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (const Part& rows : parts(T, tile)) {
                Running run = nothing_seen(1, 1, rows.size(), dv);
                Head here = head(run, 0, 0);
                const EigenMatrix queries = as_eigen(q[b][h].slice(0, rows.begin, rows.end)) / std::sqrt(float(d));
                for (const Part& cols : parts(S, tile)) {
                    if (rule->forbids_all(rows, cols)) continue;
                    EigenMatrix scores = queries * as_eigen(k[b][h].slice(0, cols.begin, cols.end)).transpose();
                    for (Index i = 0; i < rows.size(); ++i)
                        for (Index j = 0; j < cols.size(); ++j)
                            if (rule->forbids(b, h, rows.begin + i, cols.begin + j)) scores(i, j) = minus_inf;
                    here.absorb(scores, as_eigen(v[b][h].slice(0, cols.begin, cols.end)));
                }
                out[b][h].slice(0, rows.begin, rows.end).copy_from(context(run)[0][0]);
            }
    return out;
}
}  // namespace headway::ex10
