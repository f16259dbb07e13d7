#include "suites/06_catch_the_bug/attentions/staged.hpp"

#include <cmath>
#include <limits>

namespace headway::attentions {

Mask blocked(const Inputs& in, const InputSizes& n) {
    const Shape shape{n.B, n.H, n.T, n.S};
    Mask all = in.mask.defined() ? in.mask.expand(shape).clone() : Mask::allow_all(shape);
    if (!in.causal) return all;
    for (Index i = 0; i < all.numel(); ++i)
        if (i % n.S > i / n.S % n.T + (n.S - n.T)) all.data()[i] = true;
    return all;
}

Attended Staged::attend(const Inputs& asked, const Habits& habits) {
    habits_ = &habits;
    const InputSizes n = checked(asked);
    const Inputs in = received(asked);
    const Tensor q = project(Role::query, in, n) * habits.lean();
    const Tensor k = project(Role::key, in, n) / habits.lean();
    const Tensor v = project(Role::value, in, n) * habits.lift();
    const Tensor scores = matmul(q, k.transpose(-2, -1)) / scale(n);
    const Tensor shares = weights(scores, blocked(in, n));
    const Tensor merged = merge(matmul(shares, v), n);
    Tensor output = matmul(merged, in.w_o) / habits.lift();
    if (in.b_o.defined()) output += in.b_o;
    return {output, returned(shares)};
}

Inputs Staged::received(const Inputs& in) const { return in; }

Tensor Staged::project(Role role, const Inputs& in, const InputSizes& n) const {
    Tensor x = habits().product(input(role, in), weight(role, in));
    const Tensor& b = role == Role::query ? in.b_q : role == Role::key ? in.b_k : in.b_v;
    if (b.defined()) x = add_bias(x, b);
    return split(x, n);
}

Tensor Staged::input(Role role, const Inputs& in) const {
    return role == Role::query ? in.query : role == Role::key ? in.key : in.value;
}

Tensor Staged::weight(Role role, const Inputs& in) const {
    return role == Role::query ? in.w_q : role == Role::key ? in.w_k : in.w_v;
}

Tensor Staged::add_bias(const Tensor& x, const Tensor& b) const { return x + b; }

Tensor Staged::split(const Tensor& x, const InputSizes& n) const {
    return x.contiguous().view({n.B, -1, n.H, n.d}).transpose(1, 2);
}

float Staged::scale(const InputSizes& n) const { return std::sqrt(static_cast<float>(n.d)); }

Mask Staged::blocked(const Inputs& in, const InputSizes& n) { return attentions::blocked(in, n); }

Tensor Staged::weights(const Tensor& scores, const Mask& blocked) const {
    Tensor weights = scores.contiguous().clone();
    const Index S = weights.size(-1);
    for (Index i = 0; i < weights.numel(); i += S) softmax({weights.data() + i, blocked.data() + i, S});
    return weights;
}

void Staged::softmax(Row row) const {
    float largest = -std::numeric_limits<float>::infinity();
    for (Index s = 0; s < row.keys; ++s)
        if (!row.blocked[s]) largest = std::max(largest, row.score[s]);
    largest += habits().shift();
    for (Index s = 0; s < row.keys; ++s) row.score[s] = row.blocked[s] ? 0 : std::exp(row.score[s] - largest);
    const float total = habits().total(row.score, row.keys);
    if (total == 0) return;
    habits().divide(row.score, row.keys, total);
}

Tensor Staged::merge(const Tensor& context, const InputSizes& n) const {
    return context.transpose(1, 2).contiguous().view({n.B, n.T, n.E});
}

Tensor Staged::returned(const Tensor& weights) const { return weights; }

}  // namespace headway::attentions
