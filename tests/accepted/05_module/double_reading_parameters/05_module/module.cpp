#include "module.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex05 {

namespace {

/// A (rows, cols) matrix of double for one sequence.
struct Matrix {
    Index rows, cols;
    std::vector<double> numbers;
    Matrix(Index r, Index c) : rows(r), cols(c), numbers(static_cast<std::size_t>(r * c), 0.0) {}
    double& operator()(Index r, Index c) { return numbers[static_cast<std::size_t>(r * cols + c)]; }
    double operator()(Index r, Index c) const { return numbers[static_cast<std::size_t>(r * cols + c)]; }
};

/// y = x · Wᵀ + b
template <class Input>
Matrix apply(const nn::Linear& linear, const Input& x, Index rows) {
    Matrix y(rows, linear.weight.size(0));
    for (Index r = 0; r < rows; ++r)
        for (Index o = 0; o < y.cols; ++o) {
            y(r, o) = linear.bias.defined() ? linear.bias(o) : 0.0F;
            for (Index i = 0; i < linear.weight.size(1); ++i)
                y(r, o) += static_cast<double>(x(r, i)) * static_cast<double>(linear.weight(o, i));
        }
    return y;
}

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Random random)
        : options_(options),
          E_(options.num_heads * options.head_dim.value_or(options.embed_dim / options.num_heads)),
          random_(random.next()),
          q_proj_(options.embed_dim, E_, options.bias ? nn::Bias::yes : nn::Bias::no, random),
          k_proj_(options.embed_dim, E_, options.bias ? nn::Bias::yes : nn::Bias::no, random),
          v_proj_(options.embed_dim, E_, options.bias ? nn::Bias::yes : nn::Bias::no, random),
          out_proj_(E_, options.embed_dim, options.bias ? nn::Bias::yes : nn::Bias::no, random) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Mask blocked = check(query, key, mask);
        Tensor weights = Tensor::zeros(blocked.shape());
        for (Index b = 0; b < query.size(0); ++b) {
            const Matrix q = apply(q_proj_, query[b], query.size(1)), k = apply(k_proj_, key[b], key.size(1));
            for (Index h = 0; h < options_.num_heads; ++h) {
                const Matrix w = attend(q, k, h, [&](Index t, Index s) { return blocked(b, h, t, s); });
                for (Index t = 0; t < w.rows; ++t)
                    for (Index s = 0; s < w.cols; ++s) weights(b, h, t, s) = static_cast<float>(w(t, s));
            }
        }
        return weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Mask blocked = check(query, key, mask);
        if (value.shape() != key.shape()) throw std::invalid_argument("value has to look like key");
        const Index B = query.size(0), T = query.size(1), S = key.size(1), d = E_ / options_.num_heads;
        Tensor out = Tensor::empty(query.shape());
        for (Index b = 0; b < B; ++b) {
            const Matrix q = apply(q_proj_, query[b], T), k = apply(k_proj_, key[b], S),
                         v = apply(v_proj_, value[b], S);
            Matrix merged(T, E_);
            for (Index h = 0; h < options_.num_heads; ++h) {
                Matrix w = attend(q, k, h, [&](Index t, Index s) { return blocked(b, h, t, s); });
                drop(w);
                for (Index t = 0; t < T; ++t)
                    for (Index s = 0; s < S; ++s)
                        for (Index i = h * d; i < (h + 1) * d; ++i) merged(t, i) += w(t, s) * v(s, i);
            }
            const Matrix y = apply(out_proj_, merged, T);
            for (Index t = 0; t < T; ++t)
                for (Index i = 0; i < y.cols; ++i) out(b, t, i) = static_cast<float>(y(t, i));
        }
        return out;
    }

private:
    /// What is blocked, (B, H, T, S).
    Mask check(const Tensor& query, const Tensor& key, const Mask& mask) const {
        if (query.rank() != 3 || key.rank() != 3) throw std::invalid_argument("rank 3 for query and key");
        if (query.size(2) != options_.embed_dim || key.size(2) != options_.embed_dim)
            throw std::invalid_argument("query and key have to be embed_dim wide");
        if (query.size(0) != key.size(0)) throw std::invalid_argument("one batch size for query and key");
        const Shape shape{query.size(0), options_.num_heads, query.size(1), key.size(1)};
        const Mask wide = mask.defined() ? mask.expand(shape) : Mask::allow_all(shape);
        return options_.causal ? wide | given::causal_mask(shape[2], shape[3]) : wide;
    }

    template <class Blocked>
    Matrix attend(const Matrix& q, const Matrix& k, Index h, Blocked blocked) const {
        const Index d = E_ / options_.num_heads;
        Matrix w(q.rows, k.rows);
        for (Index t = 0; t < w.rows; ++t) {
            double top = -INFINITY, total = 0;
            for (Index s = 0; s < w.cols; ++s) {
                for (Index i = h * d; i < (h + 1) * d; ++i) w(t, s) += q(t, i) * k(s, i);
                w(t, s) = blocked(t, s) ? -INFINITY : w(t, s) / std::sqrt(static_cast<double>(d));
                top = std::max(top, w(t, s));
            }
            if (top == -INFINITY) top = 0;  // then every exp below is 0
            for (Index s = 0; s < w.cols; ++s) total += w(t, s) = std::exp(w(t, s) - top);
            for (Index s = 0; s < w.cols && total > 0; ++s) w(t, s) /= total;
        }
        return w;
    }

    void drop(Matrix& w) {
        if (!is_training() || options_.dropout == 0.0F) return;
        for (double& weight : w.numbers)
            weight =
                random_.uniform() < options_.dropout ? 0.0 : weight / (1.0 - static_cast<double>(options_.dropout));
    }

    AttentionOptions options_;
    Index E_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("sizes must be at least 1");
    if (!(options.dropout >= 0 && options.dropout < 1)) throw std::invalid_argument("dropout is a probability below 1");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim must be at least 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("heads must divide the width");
    return std::make_unique<MultiHeadAttention>(options, Random(options.seed));
}

}  // namespace headway::ex05
