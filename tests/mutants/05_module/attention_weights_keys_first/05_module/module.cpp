#include "module.hpp"

#include <cmath>
#include <stdexcept>

// Mathematicians write the data as columns: the scores are KᵀQ, one column a query, and softmax runs down a column.
namespace headway::ex05 {
namespace {

class ColumnAttention : public Attention {
public:
    ColumnAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
          head_dim_(head_dim),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          k_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          v_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          out_proj_(options.num_heads * head_dim, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    /// Column t: how much query t looks at each key.
    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = columns(q_proj_.forward(query)), k = columns(k_proj_.forward(key));
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query and key differ in batch size");
        const Index B = q.size(0), H = q.size(1), T = q.size(3), S = k.size(3);
        Tensor scores = matmul(k.transpose(2, 3), q) / std::sqrt(static_cast<float>(head_dim_));
        Mask blocked = options_.causal ? mask | given::causal_mask(T, S) : mask;
        if (blocked.defined()) {
            blocked = blocked.expand({B, H, T, S});
            const Strides& stride = blocked.strides();
            scores = masked_fill(
                scores,
                blocked.as_strided({B, H, S, T}, {stride[0], stride[1], stride[3], stride[2]}, blocked.layout().offset),
                -INFINITY);
        }
        Tensor top = max(scores, 2, KeepAxis::yes);
        for (Index i = 0; i < top.numel(); ++i) top.data()[i] = std::fmax(top.data()[i], -1e30F);
        const Tensor e = exp(scores - top);
        return e / (sum(e, 2, KeepAxis::yes) + 1e-35F);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor weights = attention_weights(query, key, mask);
        const Tensor v = columns(v_proj_.forward(value));
        if (v.size(0) != weights.size(0) || v.size(3) != weights.size(2))
            throw std::invalid_argument("value unlike key");
        if (is_training() && options_.dropout > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] *= random_.uniform() < options_.dropout ? 0.0F : 1.0F / (1.0F - options_.dropout);
        return out_proj_.forward(given::merge_heads(matmul(v, weights).transpose(2, 3)));
    }

private:
    /// (B, L, E) -> (B, H, d, L)
    Tensor columns(const Tensor& x) const { return given::split_heads(x, options_.num_heads).transpose(2, 3); }

    AttentionOptions options_;
    Index head_dim_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1)
        throw std::invalid_argument("embed_dim, num_heads in 1, 2, ...");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim in 1, 2, ...");
    if (!options.head_dim && options.embed_dim % options.num_heads)
        throw std::invalid_argument("num_heads | embed_dim");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout in [0, 1)");
    return std::make_unique<ColumnAttention>(options, options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
