#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class PackedAttention : public Attention {
public:
    PackedAttention(const AttentionOptions& o, Index E, nn::Bias bias)
        : options_(o),
          E_(E),
          random_(o.seed),
          in_proj_(o.embed_dim, 3 * E, bias, random_),
          out_proj_(E, o.embed_dim, bias, random_) {
        register_module("in_proj", in_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = part(value, 2);
        given::Attended a =
            given::scaled_dot_product_attention(part(query, 0), part(key, 1), v, extended(mask, query, key));
        if (is_training() && options_.dropout > 0.0F) {
            for (Index i = 0; i < a.weights.numel(); ++i) {
                const bool drop = random_.uniform() < options_.dropout;
                a.weights.data()[i] = drop ? 0.0F : a.weights.data()[i] / (1.0F - options_.dropout);
            }
            a.context = matmul(a.weights, v);
        }
        return out_proj_.forward(given::merge_heads(a.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor k = part(key, 1);
        return given::scaled_dot_product_attention(part(query, 0), k, k, extended(mask, query, key)).weights;
    }

private:
    /// Rows [i·E, (i+1)·E) of the packed weight project query (0), key (1) or value (2).
    Tensor part(const Tensor& x, Index i) const {
        if (x.rank() != 3) throw std::invalid_argument("(B, length, D) is needed");
        const Tensor projected = in_proj_.forward(x).slice(2, i * E_, (i + 1) * E_);
        return given::split_heads(projected.contiguous(), options_.num_heads);
    }

    Mask extended(const Mask& mask, const Tensor& query, const Tensor& key) const {
        if (query.rank() != 3 || key.rank() != 3) throw std::invalid_argument("query and key need three axes");
        return options_.causal ? mask | given::causal_mask(query.size(1), key.size(1)) : mask;
    }

    AttentionOptions options_;
    Index E_;
    Random random_;
    nn::Linear in_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1 || o.num_heads < 1) throw std::invalid_argument("sizes start at 1");
    if (!(o.dropout >= 0.0F && o.dropout < 1.0F)) throw std::invalid_argument("dropout in [0, 1)");
    Index E = o.embed_dim;
    if (o.head_dim) {
        if (*o.head_dim < 1) throw std::invalid_argument("head_dim starts at 1");
        E = *o.head_dim * o.num_heads;
    } else if (o.embed_dim % o.num_heads != 0) {
        throw std::invalid_argument("embed_dim is not divisible by num_heads");
    }
    return std::make_unique<PackedAttention>(o, E, o.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
