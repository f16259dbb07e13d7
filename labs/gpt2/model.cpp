#include "labs/gpt2/model.hpp"

#include "labs/frame/students_code.hpp"
#include "labs/train/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace headway::lab {
namespace {

constexpr const char* optional_prefix = "transformer.";

/// Parameters by name, each to be taken once.
class Parameters {
public:
    explicit Parameters(const Checkpoint& checkpoint) {
        for (const auto& [name, tensor] : checkpoint.tensors) {
            const bool prefixed = name.starts_with(optional_prefix);
            const std::string plain = prefixed ? name.substr(std::string_view(optional_prefix).size()) : name;
            if (is_mask_buffer(plain)) continue;
            if (!left_.emplace(plain, tensor).second)
                throw std::runtime_error(fmt::format("{} is there with and without {}", plain, optional_prefix));
        }
    }

    bool has(const std::string& name) const { return left_.contains(name); }

    Tensor take(const std::string& name, const Shape& shape) {
        const auto found = left_.find(name);
        if (found == left_.end())
            throw std::runtime_error(fmt::format("there is no {} in it; is it a GPT-2 of this config.json?", name));
        Tensor tensor = found->second.contiguous();
        if (tensor.shape() != shape)
            throw std::runtime_error(fmt::format("{} has shape {}; by config.json it should have {}", name,
                                                 to_string(tensor.shape()), to_string(shape)));
        if (!std::all_of(tensor.data(), tensor.data() + tensor.numel(), [](float x) { return std::isfinite(x); }))
            throw std::runtime_error(fmt::format("{} holds NaN or infinity; was the file damaged?", name));
        left_.erase(found);
        return tensor;
    }

    void require_nothing_left() const {
        if (!left_.empty())
            throw std::runtime_error(fmt::format("it has {} ({} more), which no GPT-2 of this config.json has",
                                                 left_.begin()->first, left_.size() - 1));
    }

private:
    std::map<std::string, Tensor> left_;
};

/// 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))), called gelu_new.                          [Hendrycks and Gimpel 2016]
Tensor gelu(const Tensor& x) {
    Tensor y = x.clone();
    constexpr float root = 0.7978845608F;
    std::transform(y.data(), y.data() + y.numel(), y.data(), [](float value) {
        return 0.5F * value * (1 + std::tanh(root * (value + 0.044715F * value * value * value)));
    });
    return y;
}

/// Columns [from, from + D) of a matrix stored (in, out), as nn::Linear stores them.
Tensor linear_weight(const Tensor& packed, Index from, Index D) {
    return packed.slice(1, from, from + D).transpose(0, 1).contiguous();
}

void require_given(const std::string& function, const Tensor& tensor, const Shape& shape) {
    try {
        require_shape(function, tensor, shape);
    } catch (const std::runtime_error& error) {
        throw NotDone(fmt::format("your {}.\n./headway grade 05 may say why.", error.what()));
    }
}

std::unique_ptr<ex05::Attention> attention_of(Parameters& parameters, const std::string& layer,
                                              const Gpt2Sizes& sizes) {
    const Index D = sizes.D;
    const Tensor packed = parameters.take(layer + "attn.c_attn.weight", {D, 3 * D});
    const Tensor bias = parameters.take(layer + "attn.c_attn.bias", {3 * D});
    const nn::StateDict state{
        {"q_proj.weight", linear_weight(packed, 0, D)},
        {"q_proj.bias", bias.slice(0, 0, D)},
        {"k_proj.weight", linear_weight(packed, D, D)},
        {"k_proj.bias", bias.slice(0, D, 2 * D)},
        {"v_proj.weight", linear_weight(packed, 2 * D, D)},
        {"v_proj.bias", bias.slice(0, 2 * D, 3 * D)},
        {"out_proj.weight", linear_weight(parameters.take(layer + "attn.c_proj.weight", {D, D}), 0, D)},
        {"out_proj.bias", parameters.take(layer + "attn.c_proj.bias", {D})}};
    return of_student("05_module", "make_multi_head_attention or load_state_dict", [&] {
        auto attention = ex05::make_multi_head_attention({.embed_dim = D, .num_heads = sizes.H, .causal = true});
        attention->load_state_dict(state);
        attention->eval();
        return attention;
    });
}

/// A parameter of the student's module.
Tensor named(const ex05::Attention& attention, const std::string& name) {
    for (const auto& [key, tensor] : attention.named_parameters())
        if (key == name) return tensor;
    throw NotDone("your attention has no parameter " + name);
}

/// x (1, T, D) through one of the projections.   @return (T, D)
Tensor project(const ex05::Attention& attention, const std::string& projection, const Tensor& x) {
    return (matmul(x[0], named(attention, projection + ".weight").transpose(0, 1)) +
            named(attention, projection + ".bias"))
        .contiguous();
}

}  // namespace

bool is_mask_buffer(const std::string& name) {
    return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias");
}

Gpt2::Gpt2(const Checkpoint& checkpoint, const Gpt2Sizes& sizes) : sizes_(sizes) {
    const Index D = sizes.D;
    Parameters parameters(checkpoint);
    tokens_ = parameters.take("wte.weight", {sizes.vocabulary, D});
    places_ = parameters.take("wpe.weight", {sizes.places, D});
    for (Index i = 0; i < sizes.layers; ++i) {
        const std::string h = fmt::format("h.{}.", i);
        Layer& layer = layers_.emplace_back();
        layer.norm1_gain = parameters.take(h + "ln_1.weight", {D});
        layer.norm1_bias = parameters.take(h + "ln_1.bias", {D});
        layer.module = attention_of(parameters, h, sizes);
        layer.epsilon = sizes.epsilon;
        layer.attention = [module = layer.module.get()](const Tensor& y) {
            const Tensor attended = of_student("05_module", "forward", [&] { return module->forward(y, y, y, {}); });
            require_given("forward", attended, y.shape());
            return attended;
        };
        layer.norm2_gain = parameters.take(h + "ln_2.weight", {D});
        layer.norm2_bias = parameters.take(h + "ln_2.bias", {D});
        layer.fc = parameters.take(h + "mlp.c_fc.weight", {D, 4 * D});
        layer.fc_bias = parameters.take(h + "mlp.c_fc.bias", {4 * D});
        layer.proj = parameters.take(h + "mlp.c_proj.weight", {4 * D, D});
        layer.proj_bias = parameters.take(h + "mlp.c_proj.bias", {D});
    }
    norm_gain_ = parameters.take("ln_f.weight", {D});
    norm_bias_ = parameters.take("ln_f.bias", {D});
    head_ = parameters.has("lm_head.weight") ? parameters.take("lm_head.weight", {sizes.vocabulary, D}) : tokens_;
    parameters.require_nothing_left();
}

Tensor layer_of_course(const Gpt2Layer& layer, const Tensor& x) {
    const Tensor y = x + layer.attention(normalise(x, layer.norm1_gain, layer.norm1_bias, layer.epsilon).y);
    const Tensor z = normalise(y, layer.norm2_gain, layer.norm2_bias, layer.epsilon).y;
    return y + matmul(gelu(matmul(z, layer.fc) + layer.fc_bias), layer.proj) + layer.proj_bias;
}

Tensor Gpt2::through(const std::vector<Index>& tokens, std::vector<LayerLook>* looks) {
    const auto T = static_cast<Index>(tokens.size());
    if (T < 1 || T > sizes_.places)
        throw std::runtime_error(fmt::format("the text has {} tokens; the model takes 1 to {}", T, sizes_.places));
    for (const Index token : tokens)
        if (token < 0 || token >= sizes_.vocabulary)
            throw std::runtime_error(fmt::format("the model has no token {}; it has {}", token, sizes_.vocabulary));
    Tensor x = embed(tokens, 1, tokens_, places_);  // (1, T, D)
    for (const Layer& layer : layers_) {
        if (looks != nullptr) {
            const Tensor y = normalise(x, layer.norm1_gain, layer.norm1_bias, layer.epsilon).y;
            const Tensor weights =
                of_student("05_module", "attention_weights", [&] { return layer.module->attention_weights(y, y, {}); });
            require_given("attention_weights", weights, {1, sizes_.H, T, T});
            looks->push_back(
                {weights[0].clone(), project(*layer.module, "k_proj", y), project(*layer.module, "v_proj", y)});
        }
        x = forward_(layer, x);
    }
    return normalise(x, norm_gain_, norm_bias_, sizes_.epsilon).y;
}

std::vector<Index> Gpt2::known_tokens() const {
    std::vector<Index> known;
    for (Index token = 0; token < sizes_.vocabulary; ++token) {
        const float* row = tokens_.data() + token * sizes_.D;
        if (std::any_of(row, row + sizes_.D, [](float x) { return x != 0; })) known.push_back(token);
    }
    return known;
}

Tensor Gpt2::logits(const std::vector<Index>& tokens) {
    return matmul(through(tokens, nullptr)[0], head_.transpose(0, 1)).contiguous();
}

std::vector<float> Gpt2::last_logits(const std::vector<Index>& tokens) {
    const Tensor x = through(tokens, nullptr)[0];
    const Index T = x.size(0);
    const Tensor logits = matmul(x.slice(0, T - 1, T), head_.transpose(0, 1)).contiguous();
    return {logits.data(), logits.data() + logits.numel()};
}

std::vector<Gpt2::LayerLook> Gpt2::look(const std::vector<Index>& tokens) {
    std::vector<LayerLook> looks;
    through(tokens, &looks);
    return looks;
}

std::vector<Index> continue_greedily(Gpt2& model, std::vector<Index> tokens, Index count,
                                     const std::function<void()>& one_more) {
    std::vector<Index> added;
    while (static_cast<Index>(added.size()) < count && static_cast<Index>(tokens.size()) < model.sizes().places) {
        const std::vector<float> logits = model.last_logits(tokens);
        added.push_back(std::max_element(logits.begin(), logits.end()) - logits.begin());
        tokens.push_back(added.back());
        one_more();
    }
    return added;
}

}  // namespace headway::lab
