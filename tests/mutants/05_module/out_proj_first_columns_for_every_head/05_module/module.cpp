#include <headway/eigen.hpp>

#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class PerHead : public Attention {
public:
    PerHead(const AttentionOptions& options, Index head_dim)
        : options_(options),
          d_(head_dim),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, options.num_heads * d_, bias_, random_),
          k_proj_(options.embed_dim, options.num_heads * d_, bias_, random_),
          v_proj_(options.embed_dim, options.num_heads * d_, bias_, random_),
          out_proj_(options.num_heads * d_, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor q = heads(q_proj_.forward(query)), k = heads(k_proj_.forward(key)),
                     v = heads(v_proj_.forward(value));
        const Tensor weights = given::scaled_dot_product_attention(q, k, v, blocked(mask, q, k)).weights;
        Tensor output = Tensor::zeros({q.size(0), q.size(2), options_.embed_dim});
        const EigenMap w_o = as_eigen(out_proj_.weight);  // (D, E)
        for (Index b = 0; b < output.size(0); ++b) {
            EigenMap y = as_eigen(output[b]);
            if (out_proj_.bias.defined())
                for (Index i = 0; i < options_.embed_dim; ++i) y.col(i).setConstant(out_proj_.bias(i));
            // A concatenation times W_O is a sum over heads: no merged tensor is needed.
            for (Index h = 0; h < options_.num_heads; ++h) {
                const EigenMatrix context = dropped(as_eigen(weights[b][h])) * as_eigen(v[b][h]);
                y += context * w_o.leftCols(d_).transpose();
            }
        }
        return output;
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = heads(q_proj_.forward(query)), k = heads(k_proj_.forward(key));
        return given::scaled_dot_product_attention(q, k, k, blocked(mask, q, k)).weights;
    }

private:
    Tensor heads(const Tensor& x) const { return given::split_heads(x, options_.num_heads); }

    Mask blocked(const Mask& mask, const Tensor& q, const Tensor& k) const {
        return options_.causal ? mask | given::causal_mask(q.size(2), k.size(2)) : mask;
    }

    EigenMatrix dropped(EigenMatrix weights) {
        if (is_training() && options_.dropout > 0.0F)
            for (Index i = 0; i < weights.size(); ++i)
                weights.data()[i] *= random_.uniform() < options_.dropout ? 0.0F : 1.0F / (1.0F - options_.dropout);
        return weights;
    }

    AttentionOptions options_;
    Index d_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1)
        throw std::invalid_argument("embed_dim, num_heads: at least one");
    if (!options.head_dim && options.embed_dim % options.num_heads) throw std::invalid_argument("heads: equally wide");
    const Index d = options.head_dim.value_or(options.embed_dim / options.num_heads);
    if (d < 1) throw std::invalid_argument("head_dim: at least one");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout: in [0, 1)");
    return std::make_unique<PerHead>(options, d);
}

}  // namespace headway::ex05
