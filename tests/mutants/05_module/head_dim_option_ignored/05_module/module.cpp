#include "module.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace headway::ex05 {
namespace {

enum Projection { query_projection, key_projection, value_projection, output_projection };

class Mha final : public Attention {
public:
    explicit Mha(const AttentionOptions& options) : options_(options), random_(options.seed) {
        const Index D = options.embed_dim;
        const auto bias = options.bias ? nn::Bias::yes : nn::Bias::no;
        const std::array<const char*, 4> names{"q_proj", "k_proj", "v_proj", "out_proj"};
        for (std::size_t i = 0; i < names.size(); ++i) {
            projections_[i] = std::make_unique<nn::Linear>(D, D, bias, random_);
            register_module(names[i], *projections_[i]);
        }
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor k = split(key_projection, key);
        return given::scaled_dot_product_attention(split(query_projection, query), k, k, with_causal(mask, query, key))
            .weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = split(value_projection, value);
        const auto [context, weights] = given::scaled_dot_product_attention(
            split(query_projection, query), split(key_projection, key), v, with_causal(mask, query, key));
        if (!is_training() || options_.dropout == 0.0F) return output(context);
        const Tensor draws = random_.uniform(weights.shape(), 0.0F, 1.0F);
        Mask dropped = Mask::allow_all(weights.shape());
        for (Index i = 0; i < draws.numel(); ++i) dropped.data()[i] = draws.data()[i] < options_.dropout;
        return output(matmul(masked_fill(weights / (1.0F - options_.dropout), dropped, 0.0F), v));
    }

private:
    Tensor split(Projection which, const Tensor& x) const {
        return given::split_heads(projections_[which]->forward(x), options_.num_heads);
    }
    Tensor output(const Tensor& context) const {
        return projections_[output_projection]->forward(given::merge_heads(context));
    }
    Mask with_causal(const Mask& mask, const Tensor& query, const Tensor& key) const {
        if (query.rank() != 3 || key.rank() != 3) throw std::invalid_argument("query and key need three axes");
        return options_.causal ? mask | given::causal_mask(query.size(1), key.size(1)) : mask;
    }

    AttentionOptions options_;
    Random random_;
    std::array<std::unique_ptr<nn::Linear>, 4> projections_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    const std::string who = "make_multi_head_attention: ";
    if (options.embed_dim < 1) throw std::invalid_argument(who + "embed_dim = " + std::to_string(options.embed_dim));
    if (options.num_heads < 1) throw std::invalid_argument(who + "num_heads = " + std::to_string(options.num_heads));
    if (options.embed_dim % options.num_heads != 0) throw std::invalid_argument(who + "not divisible");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument(who + "dropout");
    return std::make_unique<Mha>(options);
}

}  // namespace headway::ex05
