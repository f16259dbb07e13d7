#include "module.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

// Head by head: each head reads its rows of the three input matrices and writes through its columns of out_proj.
namespace headway::ex05 {

namespace {

class HeadByHead : public Attention {
public:
    HeadByHead(const AttentionOptions& o, Index head_dim)
        : options_(o),
          d_(head_dim),
          random_(o.seed),
          q_proj(o.embed_dim, o.num_heads * d_, bias(), random_),
          k_proj(o.embed_dim, o.num_heads * d_, bias(), random_),
          v_proj(o.embed_dim, o.num_heads * d_, bias(), random_),
          out_proj(o.num_heads * d_, o.embed_dim, bias(), random_),
          dropout_random_(random_.next()) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        check(query, key, value);
        const Mask full = blocked(query, key, mask);
        Tensor y = Tensor::zeros(query.shape());
        for (Index h = 0; h < options_.num_heads; ++h) {
            Tensor weights = weights_of_head(query, key, full, h);
            if (is_training()) drop_some(weights);
            const Tensor v = of_head(v_proj, value, h);
            const Tensor context = matmul(weights, v);  // (B, T, d)
            y += matmul(context, out_proj.weight.slice(1, h * d_, (h + 1) * d_).transpose(0, 1));
        }
        if (out_proj.bias.defined()) y += out_proj.bias;
        return y;
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        check(query, key, key);
        const Mask full = blocked(query, key, mask);
        const Shape shape{query.size(0), options_.num_heads, query.size(1), key.size(1)};
        if (all_.shape() != shape) all_ = Tensor::empty(shape);
        for (Index h = 0; h < options_.num_heads; ++h)
            all_.select(1, h).copy_from(weights_of_head(query, key, full, h));
        return all_;
    }

private:
    nn::Bias bias() const { return options_.bias ? nn::Bias::yes : nn::Bias::no; }

    void check(const Tensor& query, const Tensor& key, const Tensor& value) const {
        const auto wide = [this](const Tensor& x) { return x.rank() == 3 && x.size(2) == options_.embed_dim; };
        if (!wide(query) || !wide(key) || !wide(value)) throw std::invalid_argument("attention: (B, T, D) is needed");
        if (query.size(0) != key.size(0)) throw std::invalid_argument("attention: batches differ");
        if (key.shape() != value.shape()) throw std::invalid_argument("attention: key and value differ");
    }

    /// (B, H, T, S)
    Mask blocked(const Tensor& query, const Tensor& key, const Mask& mask) const {
        const Index T = query.size(1), S = key.size(1);
        const Shape shape{query.size(0), options_.num_heads, T, S};
        if (mask.defined()) (void)mask.expand(shape);
        const Mask joined = options_.causal ? mask | given::causal_mask(T, S) : mask;
        return joined.defined() ? joined.expand(shape) : Mask::allow_all(shape);
    }

    /// What one head reads of x: (B, length, d).
    Tensor of_head(const nn::Linear& projection, const Tensor& x, Index h) const {
        Tensor part = matmul(x, projection.weight.slice(0, h * d_, (h + 1) * d_).transpose(0, 1));
        if (projection.bias.defined()) part += projection.bias.slice(0, h * d_, (h + 1) * d_);
        return part;
    }

    /// (B, T, S)
    Tensor weights_of_head(const Tensor& query, const Tensor& key, const Mask& full, Index h) const {
        const Strides& stride = full.strides();
        const Mask mine = full.as_strided({full.size(0), full.size(2), full.size(3)}, {stride[0], stride[2], stride[3]},
                                          full.layout().offset + h * stride[1]);
        const Tensor q = of_head(q_proj, query, h);
        const Tensor k = of_head(k_proj, key, h);
        const Tensor scores = matmul(q, k.transpose(-2, -1)) / std::sqrt(static_cast<float>(d_));
        const Tensor seen = masked_fill(scores, mine, std::numeric_limits<float>::lowest());
        const Tensor largest = max(max(seen, -1, KeepAxis::yes), -2, KeepAxis::yes);  // one for all rows of a text
        const Tensor powers = masked_fill(exp(seen - largest), mine, 0.0F);
        Tensor total = sum(powers, -1, KeepAxis::yes).contiguous();
        for (float* one = total.data(); one != total.data() + total.numel(); ++one)
            if (*one == 0.0F) *one = 1.0F;  // a row that sees nothing stays 0
        return powers / total;
    }

    void drop_some(Tensor& weights) {
        const float p = options_.dropout;
        if (p == 0.0F) return;
        Tensor factor = Tensor::empty(weights.shape());
        for (Index i = 0; i < factor.numel(); ++i)
            factor.data()[i] = dropout_random_.uniform() < p ? 0.0F : 1.0F / (1.0F - p);
        weights = weights * factor;
    }

    AttentionOptions options_;
    Index d_;
    Random random_;
    nn::Linear q_proj, k_proj, v_proj, out_proj;
    Random dropout_random_;
    Tensor all_;  // (B, H, T, S): memory for attention_weights
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("options: sizes below 1");
    if (!(options.dropout < 1.0F) || options.dropout < 0.0F)
        throw std::invalid_argument("options: dropout outside [0, 1)");
    Index head_dim = 0;
    if (options.head_dim.has_value()) {
        head_dim = options.head_dim.value();
    } else {
        if (options.embed_dim % options.num_heads != 0) throw std::invalid_argument("options: H does not divide D");
        head_dim = options.embed_dim / options.num_heads;
    }
    if (head_dim < 1) throw std::invalid_argument("options: head_dim below 1");
    return std::make_unique<HeadByHead>(options, head_dim);
}

}  // namespace headway::ex05
