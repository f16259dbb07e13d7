#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {

class SharedProjection : public Attention {
public:
    SharedProjection(const AttentionOptions& o, Index d)
        : H(o.num_heads),
          causal(o.causal),
          dropout(o.dropout),
          random(o.seed),
          proj(o.embed_dim, H * d, o.bias ? nn::Bias::yes : nn::Bias::no, random),
          out_proj(H * d, o.embed_dim, o.bias ? nn::Bias::yes : nn::Bias::no, random) {
        for (const char* name : {"q_proj", "k_proj", "v_proj"}) register_module(name, proj);
        register_module("out_proj", out_proj);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        auto [context, weights] =
            given::scaled_dot_product_attention(heads(query), heads(key), heads(value), full_mask(query, key, mask));
        if (is_training() && dropout > 0.0F) context = matmul(thin_out(weights), heads(value));
        return out_proj.forward(given::merge_heads(context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor k = heads(key);
        return given::scaled_dot_product_attention(heads(query), k, k, full_mask(query, key, mask)).weights;
    }

private:
    Tensor heads(const Tensor& x) const { return given::split_heads(proj.forward(x), H); }

    Mask full_mask(const Tensor& query, const Tensor& key, const Mask& mask) const {
        if (!causal || query.rank() != 3 || key.rank() != 3) return mask;
        return mask | given::causal_mask(query.size(1), key.size(1));
    }

    Tensor thin_out(const Tensor& weights) {
        const Tensor u = random.uniform(weights.shape(), 0.0F, 1.0F);
        Tensor kept = Tensor::zeros(weights.shape());
        for (Index i = 0; i < u.numel(); ++i) kept.data()[i] = u.data()[i] < dropout ? 0.0F : 1.0F;
        return weights * kept / (1.0F - dropout);
    }

    Index H;
    bool causal;
    float dropout;
    Random random;
    nn::Linear proj, out_proj;
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    const auto& [embed_dim, num_heads, head_dim, bias, causal, dropout, seed] = options;
    if (embed_dim < 1 || num_heads < 1) throw std::invalid_argument("embed_dim and num_heads must be >= 1");
    if (!(dropout >= 0.0F && dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    if (!head_dim && embed_dim % num_heads != 0) throw std::invalid_argument("embed_dim % num_heads must be 0");
    if (head_dim && *head_dim < 1) throw std::invalid_argument("head_dim must be >= 1");
    return std::make_unique<SharedProjection>(options, head_dim.value_or(embed_dim / num_heads));
}

}  // namespace headway::ex05
