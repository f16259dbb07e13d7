#include "labs/train/model.hpp"

#include "labs/frame/students_code.hpp"

#include <headway/given.hpp>

#include <cmath>
#include <stdexcept>

namespace headway::lab {
namespace {

Tensor& find(nn::StateDict& table, const std::string& name) {
    for (auto& [key, tensor] : table)
        if (key == name) return tensor;
    throw std::runtime_error("your attention has no parameter " + name);
}

/// Sines and cosines of the position: training changes them, but from here "the place before" is found sooner.
/// [Vaswani et al. 2017, §3.5]
Tensor waves(Index T, Index D) {
    Tensor places = Tensor::empty({T, D});
    for (Index t = 0; t < T; ++t)
        for (Index i = 0; i < D; ++i) {
            const double angle =
                static_cast<double>(t) / std::pow(100.0, static_cast<double>(i / 2 * 2) / static_cast<double>(D));
            places(t, i) = static_cast<float>(0.2 * (i % 2 == 0 ? std::sin(angle) : std::cos(angle)));
        }
    return places;
}

}  // namespace

/// What the way back needs of the way forward.
struct LanguageModel::Trace {
    Tensor embedded;                 ///< the input of the first block
    std::vector<Normalised> before;  ///< of each block's attention
    Normalised last;
    Tensor logits;
};

LanguageModel::LanguageModel(const ModelSizes& sizes, std::uint64_t seed, TrainedMistake mistake)
    : sizes_(sizes), mistake_(mistake) {
    const Index V = sizes.vocabulary, D = sizes.D;
    Random random(seed);
    add("tokens", random.normal({V, D}) * 0.1F);
    if (sizes.positions == Positions::learned) add("places", waves(sizes.T, D));
    for (Index block = 0; block < sizes.blocks; ++block) {
        add(in_block(block, "norm.gain"), Tensor::ones({D}));
        add(in_block(block, "norm.bias"), Tensor::zeros({D}));
        attention_.push_back(ex05::make_multi_head_attention(
            {.embed_dim = D, .num_heads = sizes.H, .causal = true, .seed = random.next()}));
        for (const auto& [name, tensor] : attention_.back()->state_dict()) add(in_block(block, name), tensor);
    }
    add("norm.gain", Tensor::ones({D}));
    add("norm.bias", Tensor::zeros({D}));
    const float bound = 1 / std::sqrt(static_cast<float>(D));
    add("head.weight", random.uniform({V, D}, -bound, bound));
    add("head.bias", Tensor::zeros({V}));
    if (sizes.whole) add_mlps(seed);
}

std::string LanguageModel::in_block(Index block, const std::string& name) {
    return "block" + std::to_string(block) + "." + name;
}

void LanguageModel::add(const std::string& name, const Tensor& value) {
    parameters_.emplace_back(name, value.contiguous());
    gradients_.emplace_back(name, Tensor::zeros(value.shape()));
}

Tensor& LanguageModel::parameter(const std::string& name) { return find(parameters_, name); }
Tensor& LanguageModel::gradient(const std::string& name) { return find(gradients_, name); }

Index LanguageModel::parameter_count() const {
    Index count = 0;
    for (const auto& [name, tensor] : parameters_) count += tensor.numel();
    return count;
}

void LanguageModel::load_attention() {
    for (Index block = 0; block < sizes_.blocks; ++block)
        for (auto& [name, tensor] : attention_[static_cast<std::size_t>(block)]->named_parameters())
            Tensor(tensor).copy_from(as_if(mistake_, name, parameter(in_block(block, name)), sizes_.H));
}

/// What is added to the tokens: (T, D).
Tensor LanguageModel::places() const {
    for (const auto& [name, tensor] : parameters_)
        if (name == "places") return tensor;
    return Tensor::zeros({sizes_.T, sizes_.D});
}

ex07::Parameters LanguageModel::attention_parameters(Index block) {
    const auto used = [&](const std::string& name) {
        return as_if(mistake_, name, parameter(in_block(block, name)), sizes_.H);
    };
    return {used("q_proj.weight"), used("q_proj.bias"), used("k_proj.weight"),   used("k_proj.bias"),
            used("v_proj.weight"), used("v_proj.bias"), used("out_proj.weight"), used("out_proj.bias")};
}

Mask LanguageModel::blocked(Index T) const { return sizes_.sight ? sizes_.sight(T) : given::causal_mask(T, T); }

/// (B, T, D) -> (B, T, D)
Tensor LanguageModel::attend(Index block, const Tensor& y) {
    if (turns()) return turned_attention(y, attention_parameters(block), sizes_.H, sizes_.turn, blocked(y.size(1)));
    ex05::Attention& attention = *attention_[static_cast<std::size_t>(block)];
    return of_student("05_module", "forward",
                      [&] { return attention.forward(y, y, y, sizes_.sight ? blocked(y.size(1)) : Mask{}); });
}

LanguageModel::Trace LanguageModel::forward(const std::vector<Index>& tokens, Index B) {
    load_attention();
    Trace trace;
    Tensor x = embed(tokens, B, parameter("tokens"), places());  // (B, T, D)
    trace.embedded = x;
    for (Index block = 0; block < sizes_.blocks; ++block) {
        trace.before.push_back(
            normalise(x, parameter(in_block(block, "norm.gain")), parameter(in_block(block, "norm.bias"))));
        x = sizes_.whole ? sizes_.whole.forward(block_parts(block), x) : x + attend(block, trace.before.back().y);
    }
    trace.last = normalise(x, parameter("norm.gain"), parameter("norm.bias"));
    trace.logits = matmul(trace.last.y, parameter("head.weight").transpose(0, 1)) + parameter("head.bias");
    return trace;
}

Tensor LanguageModel::logits(const std::vector<Index>& tokens, Index B) { return forward(tokens, B).logits; }

Tensor LanguageModel::attention_backward(Index block, const Tensor& x, const Tensor& grad_y) {
    const ex07::Parameters used = attention_parameters(block);
    const auto nothing = [](const Tensor& of) { return Tensor::zeros(of.shape()); };
    ex07::Parameters grads{nothing(used.q_weight),   nothing(used.q_bias),   nothing(used.k_weight),
                           nothing(used.k_bias),     nothing(used.v_weight), nothing(used.v_bias),
                           nothing(used.out_weight), nothing(used.out_bias)};
    const Mask mask = blocked(x.size(1));
    const Tensor grad_x = turns()
                              ? turned_attention_backward(x, used, sizes_.H, sizes_.turn, mask, grad_y, grads)
                              : of_student("07_backward", "multi_head_attention_backward", [&] {
                                    return ex07::multi_head_attention_backward(x, used, sizes_.H, mask, grad_y, grads);
                                });
    const auto keep = [&](const std::string& name, const Tensor& grad) {
        gradient(in_block(block, name)) += as_if_backward(mistake_, name, grad, sizes_.H);
    };
    keep("q_proj.weight", grads.q_weight);
    keep("q_proj.bias", grads.q_bias);
    keep("k_proj.weight", grads.k_weight);
    keep("k_proj.bias", grads.k_bias);
    keep("v_proj.weight", grads.v_weight);
    keep("v_proj.bias", grads.v_bias);
    keep("out_proj.weight", grads.out_weight);
    keep("out_proj.bias", grads.out_bias);
    return grad_x;
}

double LanguageModel::learn(const Batch& batch) {
    for (auto& [name, tensor] : gradients_) tensor.fill(0);
    const Trace trace = forward(batch.tokens, batch.B);
    Tensor grad = cross_entropy_backward(trace.logits, batch.next);  // (B, T, V)
    grad = of_student("07_backward", "linear_backward", [&] {
        return ex07::linear_backward(trace.last.y, parameter("head.weight"), grad, gradient("head.weight"),
                                     gradient("head.bias"));
    });
    grad = normalise_backward(trace.last, parameter("norm.gain"), grad, gradient("norm.gain"), gradient("norm.bias"));
    if (sizes_.whole) grad = blocks_backward(trace.embedded, grad);
    for (Index block = sizes_.whole ? -1 : sizes_.blocks - 1; block >= 0; --block) {
        const Normalised& before = trace.before[static_cast<std::size_t>(block)];
        const Tensor grad_y = attention_backward(block, before.y, grad);
        // The residual: what goes past the block, and what goes through it.
        grad =
            grad + normalise_backward(before, parameter(in_block(block, "norm.gain")), grad_y,
                                      gradient(in_block(block, "norm.gain")), gradient(in_block(block, "norm.bias")));
    }
    Tensor of_places =
        sizes_.positions == Positions::learned ? gradient("places") : Tensor::zeros({sizes_.T, sizes_.D});
    embed_backward(batch.tokens, grad, gradient("tokens"), of_places);
    return cross_entropy(trace.logits, batch.next);
}

std::vector<Tensor> LanguageModel::weights(const std::vector<Index>& tokens, Index B) {
    const Trace trace = forward(tokens, B);
    std::vector<Tensor> all;
    for (Index block = 0; block < sizes_.blocks; ++block) {
        const Tensor& y = trace.before[static_cast<std::size_t>(block)].y;
        if (turns()) {
            all.push_back(turned_weights(y, attention_parameters(block), sizes_.H, sizes_.turn, blocked(y.size(1))));
            continue;
        }
        ex05::Attention& attention = *attention_[static_cast<std::size_t>(block)];
        all.push_back(of_student("05_module", "attention_weights", [&] {
            return attention.attention_weights(y, y, sizes_.sight ? blocked(y.size(1)) : Mask{});
        }));
    }
    return all;
}

}  // namespace headway::lab
