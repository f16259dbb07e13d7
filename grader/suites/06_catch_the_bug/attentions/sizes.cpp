#include "suites/06_catch_the_bug/attentions/sizes.hpp"

#include <stdexcept>
#include <string>

namespace headway::attentions {
namespace {

constexpr Index most_scores = Index{1} << 20;
constexpr Index most_work = Index{1} << 26;
constexpr Index most_numbers = Index{1} << 22;

void require(bool holds, const std::string& otherwise) {
    if (!holds) throw std::invalid_argument("attention: " + otherwise);
}

void require_shape(const std::string& name, const Tensor& x, const Shape& shape) {
    require(x.defined(), name + " is missing");
    require(x.shape() == shape, name + " is " + to_string(x.shape()) + ", where " + to_string(shape) + " fits");
}

}  // namespace

InputSizes checked(const Inputs& in) {
    require(in.query.defined() && in.query.rank() == 3, "query has to be (B, T, D)");
    require(in.key.defined() && in.key.rank() == 3, "key has to be (B, S, D)");
    require(in.w_q.defined() && in.w_q.rank() == 2, "w_q has to be (D, E)");
    require(in.num_heads >= 1, "num_heads is " + std::to_string(in.num_heads));
    InputSizes n{.B = in.query.size(0),
                 .T = in.query.size(1),
                 .S = in.key.size(1),
                 .D = in.query.size(2),
                 .E = in.w_q.size(1),
                 .H = in.num_heads,
                 .d = in.w_q.size(1) / in.num_heads};
    require(n.B >= 1 && n.T >= 1 && n.S >= 1 && n.D >= 1 && n.d >= 1, "an axis is empty");
    require(in.w_q.size(0) == n.D, "w_q is " + to_string(in.w_q.shape()) + ", where (D, E) with D = " +
                                       std::to_string(n.D) + " fits: it is used as x · w_q");
    require(n.E == n.H * n.d, "E = " + std::to_string(n.E) + " is not divisible by " + std::to_string(n.H) + " heads");
    require_shape("key", in.key, {n.B, n.S, n.D});
    require_shape("value", in.value, {n.B, n.S, n.D});
    for (const auto& [name, w] : {std::pair{"w_q", &in.w_q}, {"w_k", &in.w_k}, {"w_v", &in.w_v}})
        require_shape(name, *w, {n.D, n.E});
    require_shape("w_o", in.w_o, {n.E, n.D});
    for (const auto& [name, b] : {std::pair{"b_q", &in.b_q}, {"b_k", &in.b_k}, {"b_v", &in.b_v}})
        if (b->defined()) require_shape(name, *b, {n.E});
    if (in.b_o.defined()) require_shape("b_o", in.b_o, {n.D});
    require(n.B * n.H <= most_scores && n.T * n.S <= most_scores && n.B * n.H * n.T * n.S <= most_scores,
            "these are more than 2^20 scores (B·H·T·S): a bug shows in fewer");
    // Sizes are below 2^31: each stands for numbers that came in a message.
    const auto work = static_cast<double>(n.B) * static_cast<double>(n.E) *
                      (2.0 * static_cast<double>((n.T + n.S) * n.D) + 2.0 * static_cast<double>(n.T * n.S));
    require(work <= static_cast<double>(most_work), "these are more than 2^26 multiply-adds: a bug shows in fewer");
    Index numbers = 0;
    for (const Tensor* x : {&in.query, &in.key, &in.value, &in.w_q, &in.w_k, &in.w_v, &in.w_o}) numbers += x->numel();
    require(numbers <= most_numbers, "these are more than 2^22 numbers: a bug shows in fewer");
    return n;
}

}  // namespace headway::attentions
