#include "module.hpp"

#include <array>
#include <stdexcept>

namespace headway::ex05 {
namespace {

/// The four projections by number.
enum Role { query_role, key_role, value_role, output_role };

class Attending : public Attention {
public:
    explicit Attending(const AttentionOptions& o)
        : options_(o), width_(o.num_heads * o.head_dim.value_or(o.embed_dim / o.num_heads)), random_(o.seed) {
        const std::array<const char*, 4> names = {"q_proj", "k_proj", "v_proj", "out_proj"};
        const nn::Bias bias = o.bias ? nn::Bias::yes : nn::Bias::no;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const bool last = i == output_role;
            linear_[i] =
                std::make_unique<nn::Linear>(last ? width_ : o.embed_dim, last ? o.embed_dim : width_, bias, random_);
            register_module(names[i], *linear_[i]);
        }
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = heads(key_role, query);
        const Tensor k = heads(query_role, key);
        if (!options_.causal) return given::scaled_dot_product_attention(q, k, k, mask).weights;
        const Mask future = given::causal_mask(query.size(1), key.size(1));
        return given::scaled_dot_product_attention(q, k, k, mask.defined() ? (mask | future) : future).weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (key.shape() != value.shape()) throw std::invalid_argument("key and value must be alike");
        Tensor weights = attention_weights(query, key, mask).contiguous();
        if (is_training() && options_.dropout > 0) {
            const float keep = 1 - options_.dropout;
            for (float* w = weights.data(); w != weights.data() + weights.numel(); ++w)
                *w = random_.uniform() < options_.dropout ? 0 : *w / keep;
        }
        return linear_[output_role]->forward(given::merge_heads(matmul(weights, heads(value_role, value))));
    }

private:
    Tensor heads(Role role, const Tensor& x) const {
        return given::split_heads(linear_[role]->forward(x), options_.num_heads);
    }

    AttentionOptions options_;
    Index width_;
    Random random_;
    std::array<std::unique_ptr<nn::Linear>, 4> linear_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    const auto& [embed_dim, num_heads, head_dim, bias, causal, dropout, seed] = options;
    if (embed_dim <= 0 || num_heads <= 0) throw std::invalid_argument("sizes start at 1");
    if (head_dim.has_value() ? *head_dim <= 0 : embed_dim % num_heads != 0) throw std::invalid_argument("bad head_dim");
    if (!(dropout >= 0) || dropout >= 1) throw std::invalid_argument("dropout is a probability below 1");
    return std::make_unique<Attending>(options);
}

}  // namespace headway::ex05
