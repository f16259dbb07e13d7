#include "module.hpp"

#include <array>
#include <random>
#include <stdexcept>

namespace headway::ex05 {

class MultiHeadAttention : public Attention {
public:
    explicit MultiHeadAttention(const AttentionOptions& options) : options_(options), engine_(options.seed) {
        Random random(engine_());
        const nn::Bias bias = options.bias ? nn::Bias::yes : nn::Bias::no;
        const Index D = options.embed_dim;
        const Index E = options.num_heads * (options.head_dim ? *options.head_dim : D / options.num_heads);
        constexpr std::array names{"q_proj", "k_proj", "v_proj", "out_proj"};
        for (std::size_t i = 0; i < names.size(); ++i) {
            const bool out = i == 3;
            projections_[i] = std::make_unique<nn::Linear>(out ? E : D, out ? D : E, bias, random);
            register_module(names[i], *projections_[i]);
        }
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        require(key.rank() == 3 && value.rank() == 3 && key.size(1) == value.size(1) && key.size(0) == value.size(0));
        Tensor weights = attention_weights(query, key, mask);
        if (is_training() && options_.dropout > 0) {
            std::bernoulli_distribution dropped(options_.dropout);
            const float scale = 1.0F / (1.0F - options_.dropout);
            for (Index i = 0; i < weights.numel(); ++i) weights.data()[i] *= dropped(engine_) ? 0.0F : scale;
        }
        const Tensor context = matmul(weights, heads(2, value));
        return projections_[3]->forward(given::merge_heads(context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        require(query.rank() == 3 && key.rank() == 3 && query.size(0) == key.size(0));
        const Tensor q = heads(0, query), k = heads(1, key);
        Mask blocked = mask;
        if (options_.causal) blocked = blocked | given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, Tensor::zeros({k.size(0), k.size(1), k.size(2), 1}), blocked)
            .weights.clone()
            .contiguous();
    }

private:
    static void require(bool ok) {
        if (!ok) throw std::invalid_argument("query (B, T, D), key and value (B, S, D)");
    }
    Tensor heads(std::size_t which, const Tensor& x) const {
        return given::split_heads(projections_[which]->forward(x), options_.num_heads);
    }

    AttentionOptions options_;
    std::mt19937_64 engine_;
    std::array<std::unique_ptr<nn::Linear>, 4> projections_;
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    auto invalid = [](const char* what) { return std::invalid_argument(what); };
    if (options.embed_dim < 1) throw invalid("embed_dim < 1");
    if (options.num_heads < 1) throw invalid("num_heads < 1");
    if (not(0 <= options.dropout and options.dropout < 1)) throw invalid("dropout outside [0, 1)");
    if (options.head_dim.has_value()) {
        if (*options.head_dim < 1) throw invalid("head_dim < 1");
    } else if (options.embed_dim % options.num_heads != 0) {
        throw invalid("embed_dim not divisible by num_heads");
    }
    return std::unique_ptr<Attention>(new MultiHeadAttention(options));
}

}  // namespace headway::ex05
