#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

void softmax_rows(Tensor& scores) {
    const Index S = scores.size(-1);
    for (Index begin = 0; begin < scores.numel(); begin += S) {
        float* row = scores.data() + begin;
        float largest = row[0];
        for (Index s = 1; s < S; ++s) largest = std::fmax(largest, row[s]);
        if (largest == -INFINITY) {
            for (Index s = 0; s < S; ++s) row[s] = 0.0F;
            continue;
        }
        double total = 0.0;
        for (Index s = 0; s < S; ++s) {
            row[s] = std::exp(row[s] - largest);
            total += static_cast<double>(row[s]);
        }
        for (Index s = 0; s < S; ++s) row[s] = static_cast<float>(static_cast<double>(row[s]) / total);
    }
}

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& o, Index d)
        : H_(o.num_heads),
          d_(d),
          o_(o),
          random_(o.seed),
          q_proj_(o.embed_dim, H_ * d_, bias(), random_),
          k_proj_(o.embed_dim, H_ * d_, bias(), random_),
          v_proj_(o.embed_dim, H_ * d_, bias(), random_),
          out_proj_(H_ * d_, o.embed_dim, bias(), random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3 || query.size(0) != key.size(0))
            throw std::invalid_argument("query (B, T, D) and key (B, S, D) are needed");
        const Tensor q = split(q_proj_.forward(query));
        const Tensor k = split(k_proj_.forward(key));
        Tensor scores = matmul(q, k.transpose(2, 3)) * (1.0F / std::sqrt(static_cast<float>(d_)));
        const Mask blocked = o_.causal ? mask | given::causal_mask(q.size(2), k.size(2)) : mask;
        scores = masked_fill(scores, blocked, -INFINITY);
        softmax_rows(scores);
        return scores;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (value.rank() != 3 || key.rank() != 3 || value.size(0) != key.size(0) || value.size(1) != key.size(1))
            throw std::invalid_argument("value (B, S, D) is needed");
        Tensor weights = attention_weights(query, key, mask);
        if (is_training() && o_.dropout > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] *= random_.uniform() < o_.dropout ? 0.0F : 1.0F / (1.0F - o_.dropout);
        return out_proj_.forward(merge(matmul(weights, split(v_proj_.forward(value)))));
    }

private:
    nn::Bias bias() const { return o_.bias ? nn::Bias::yes : nn::Bias::no; }

    /// (B, L, E) -> (B, L, d, H) -> (B, H, L, d)
    Tensor split(const Tensor& x) const {
        return x.view({x.size(0), x.size(1), d_, H_}).transpose(2, 3).transpose(1, 2);
    }
    /// The same way back.
    Tensor merge(const Tensor& context) const {
        return context.transpose(1, 2).transpose(2, 3).contiguous().view({context.size(0), context.size(2), d_ * H_});
    }

    Index H_, d_;
    AttentionOptions o_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim < 1");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads < 1");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim < 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0) throw std::invalid_argument("remainder");
    if (!(options.dropout >= 0.0F) || !(options.dropout < 1.0F)) throw std::invalid_argument("dropout");
    const Index d = options.head_dim ? *options.head_dim : options.embed_dim / options.num_heads;
    return std::make_unique<MultiHeadAttention>(options, d);
}

}  // namespace headway::ex05
