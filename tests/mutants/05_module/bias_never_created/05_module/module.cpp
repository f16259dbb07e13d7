#include "module.hpp"

#include <cmath>
#include <stdexcept>

// Small steps, one function each: project, split, scores, scale, mask, softmax, weigh, merge, output.
namespace headway::ex05 {

class StepByStep : public Attention {
public:
    StepByStep(AttentionOptions options, Index head_dim)
        : options_(options), head_dim_(head_dim), random_(options.seed) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (key.rank() != 3 || value.rank() != 3) throw std::invalid_argument("key and value need three axes");
        if (key.size(0) != value.size(0) || key.size(1) != value.size(1))
            throw std::invalid_argument("each key needs its value");
        return output(merge(weigh(drop(attention_weights(query, key, mask)), split(v_proj_.forward(value)))));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3) throw std::invalid_argument("query and key need three axes");
        if (query.size(0) != key.size(0)) throw std::invalid_argument("query and key differ in batch");
        return softmax(scale(scores(split(q_proj_.forward(query)), split(k_proj_.forward(key)))), mask);
    }

private:
    Tensor split(const Tensor& x) const {
        return x.view({x.size(0), x.size(1), options_.num_heads, head_dim_}).transpose(1, 2);
    }
    Tensor scores(const Tensor& q, const Tensor& k) const { return matmul(q, k.transpose(2, 3)); }
    Tensor scale(const Tensor& s) const { return s * std::pow(static_cast<float>(head_dim_), -0.5F); }
    Tensor softmax(const Tensor& s, Mask mask) const {
        if (options_.causal) mask = mask | given::causal_mask(s.size(2), s.size(3));
        const Tensor filled = masked_fill(s, mask, -3e38F);
        const Tensor e = masked_fill(exp(filled - max(filled, -1, KeepAxis::yes)), mask, 0.0F);
        return e / (sum(e, -1, KeepAxis::yes) + 1e-30F);
    }
    Tensor drop(Tensor w) {
        if (is_training() && options_.dropout > 0.0F)
            for (Index i = 0; i < w.numel(); ++i)
                w.data()[i] = random_.uniform() < options_.dropout ? 0.0F : w.data()[i] / (1.0F - options_.dropout);
        return w;
    }
    Tensor weigh(const Tensor& w, const Tensor& v) const { return matmul(w, v); }
    Tensor merge(const Tensor& c) const {
        return c.transpose(1, 2).contiguous().view({c.size(0), c.size(2), options_.num_heads * head_dim_});
    }
    Tensor output(const Tensor& m) const { return out_proj_.forward(m); }

    AttentionOptions options_;
    Index head_dim_;
    Random random_;
    nn::Linear q_proj_{options_.embed_dim, options_.num_heads* head_dim_, nn::Bias::no, random_};
    nn::Linear k_proj_{options_.embed_dim, options_.num_heads* head_dim_, nn::Bias::no, random_};
    nn::Linear v_proj_{options_.embed_dim, options_.num_heads* head_dim_, nn::Bias::no, random_};
    nn::Linear out_proj_{options_.num_heads * head_dim_, options_.embed_dim, nn::Bias::no, random_};
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1)
        throw std::invalid_argument("embed_dim and num_heads: at least 1 each");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout: in [0, 1)");
    if (options.head_dim) {
        if (*options.head_dim < 1) throw std::invalid_argument("head_dim: at least 1");
    } else if (options.embed_dim % options.num_heads != 0) {
        throw std::invalid_argument("embed_dim: a multiple of num_heads, unless head_dim is given");
    }
    return std::make_unique<StepByStep>(options, options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
