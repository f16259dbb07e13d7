#include "module.hpp"

#include <stdexcept>

using namespace headway;
using namespace headway::ex05;

static nn::Bias wants_bias(const AttentionOptions& o) { return o.bias ? nn::Bias::yes : nn::Bias::no; }
static Index inner_width(const AttentionOptions& o) {
    return o.num_heads * (o.head_dim ? *o.head_dim : o.embed_dim / o.num_heads);
}

class TheAttention : public Attention {
private:
    Random m_random;
    AttentionOptions m_options;
    nn::Linear m_query, m_key, m_value, m_out;

public:
    TheAttention(const AttentionOptions& o)
        : m_random(o.seed),
          m_options(o),
          m_query(o.embed_dim, inner_width(o), wants_bias(o), m_random),
          m_key(o.embed_dim, inner_width(o), wants_bias(o), m_random),
          m_value(o.embed_dim, inner_width(o), wants_bias(o), m_random),
          m_out(inner_width(o), o.embed_dim, wants_bias(o), m_random) {
        register_module("q_proj", m_query);
        register_module("k_proj", m_key);
        register_module("v_proj", m_value);
        register_module("out_proj", m_out);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor q = given::split_heads(m_query.forward(query), m_options.num_heads);
        Tensor k = given::split_heads(m_key.forward(key), m_options.num_heads);
        Tensor v = given::split_heads(m_key.forward(value), m_options.num_heads);
        Mask m = mask;
        if (m_options.causal) m = m | given::causal_mask(q.size(2), k.size(2));
        given::Attended result = given::scaled_dot_product_attention(q, k, v, m);
        if (is_training() && m_options.dropout > 0) {
            for (Index b = 0; b < result.weights.size(0); b++)
                for (Index h = 0; h < result.weights.size(1); h++)
                    for (Index t = 0; t < result.weights.size(2); t++)
                        for (Index s = 0; s < result.weights.size(3); s++)
                            if (m_random.uniform() < m_options.dropout)
                                result.weights(b, h, t, s) = 0;
                            else
                                result.weights(b, h, t, s) /= 1 - m_options.dropout;
            result.context = matmul(result.weights, v);
        }
        return m_out.forward(given::merge_heads(result.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        Tensor q = given::split_heads(m_query.forward(query), m_options.num_heads);
        Tensor k = given::split_heads(m_key.forward(key), m_options.num_heads);
        Mask m = mask;
        if (m_options.causal) m = m | given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, k, m).weights;
    }
};

std::unique_ptr<Attention> headway::ex05::make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim <= 0) throw std::invalid_argument("embed_dim <= 0");
    if (options.num_heads <= 0) throw std::invalid_argument("num_heads <= 0");
    if (options.head_dim && *options.head_dim <= 0) throw std::invalid_argument("head_dim <= 0");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0) throw std::invalid_argument("D % H != 0");
    if (!(options.dropout >= 0 && options.dropout < 1)) throw std::invalid_argument("bad dropout");
    return std::unique_ptr<Attention>(new TheAttention(options));
}
