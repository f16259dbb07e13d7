#include "multi_head_attention.hpp"

#include <stdexcept>

namespace student {

using namespace headway;

static nn::Bias bias(const ex05::AttentionOptions& options) { return options.bias ? nn::Bias::yes : nn::Bias::no; }
static Index width(const ex05::AttentionOptions& options) { return options.num_heads * *options.head_dim; }

MultiHeadAttention::MultiHeadAttention(const ex05::AttentionOptions& options)
    : options_(options),
      random_(options.seed),
      q_proj_(options.embed_dim, width(options), bias(options), random_),
      k_proj_(options.embed_dim, width(options), bias(options), random_),
      v_proj_(options.embed_dim, width(options), bias(options), random_),
      out_proj_(width(options), options.embed_dim, bias(options), random_) {
    register_module("q_proj", q_proj_);
    register_module("k_proj", k_proj_);
    register_module("v_proj", v_proj_);
    register_module("out_proj", out_proj_);
}

Tensor MultiHeadAttention::heads(const nn::Linear& projection, const Tensor& x) const {
    return given::split_heads(projection.forward(x), options_.num_heads);
}

Mask MultiHeadAttention::blocked(Index T, Index S, const Mask& mask) const {
    return options_.causal ? given::causal_mask(T, S) | mask : mask;
}

}  // namespace student
