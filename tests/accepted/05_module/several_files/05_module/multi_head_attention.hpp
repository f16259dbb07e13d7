#pragma once

#include "module.hpp"

namespace student {

using headway::Index, headway::Mask, headway::Random, headway::Tensor;

class MultiHeadAttention : public headway::ex05::Attention {
public:
    explicit MultiHeadAttention(const headway::ex05::AttentionOptions& options);

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override;
    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override;

private:
    Tensor heads(const headway::nn::Linear& projection, const Tensor& x) const;
    Mask blocked(Index T, Index S, const Mask& mask) const;
    void drop(Tensor& weights);

    headway::ex05::AttentionOptions options_;
    Random random_;
    headway::nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace student
