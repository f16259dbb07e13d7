#pragma once

#include "labs/checkpoint/safetensors.hpp"
#include "labs/gpt2/sizes.hpp"

#include <headway/nn.hpp>

#include <module.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headway::lab {

/// A layer's attention, and what is around it.
struct Gpt2Layer {
    Tensor norm1_gain, norm1_bias, norm2_gain, norm2_bias;  ///< (D)
    Tensor fc, fc_bias, proj, proj_bias;                    ///< (D, 4D), (4D), (4D, D), (D)
    float epsilon = 1e-5F;
    std::function<Tensor(const Tensor& x)> attention;  ///< (1, T, D) -> (1, T, D)
};

/// What a layer makes of x (1, T, D).
using LayerForward = std::function<Tensor(const Gpt2Layer& layer, const Tensor& x)>;
/// As the course computes it.
Tensor layer_of_course(const Gpt2Layer& layer, const Tensor& x);

/// GPT-2 with the student's own attention (exercise 05) in it:                    [Radford et al. 2019; Hugging Face's
///     x = token + place                                                            names and layout of parameters]
///     x = x + attention(norm(x));  x = x + mlp(norm(x))   for each layer
///     logits = norm(x) · wteᵀ, or · lm_headᵀ where the checkpoint has one
/// with mlp(x) = gelu(x · W + b) · W' + b'. Weights of c_attn, c_proj and c_fc are stored (in, out), unlike
/// nn::Linear's.
class Gpt2 {
public:
    /// Takes names with or without "transformer." before them; attn.bias and attn.masked_bias, which hold a causal
    /// mask, are not looked at.
    /// @throws std::runtime_error, naming what is missing, unexpected, of another shape or not finite
    Gpt2(const Checkpoint& checkpoint, const Gpt2Sizes& sizes);

    const Gpt2Sizes& sizes() const { return sizes_; }

    /// From now on layers are computed by another function than layer_of_course.
    void compute_layers_by(LayerForward forward) { forward_ = std::move(forward); }

    /// Tokens that mean something to the model: those whose vector is not all zeros.
    std::vector<Index> known_tokens() const;

    /// What the last token predicts: V numbers.
    /// @throws std::runtime_error if there are no tokens, or more than places
    /// @throws NotDone if the student's attention throws or gives another shape; so do the others
    std::vector<float> last_logits(const std::vector<Index>& tokens);
    /// What each token predicts.   @return (T, V)
    Tensor logits(const std::vector<Index>& tokens);

    /// What one layer's attention does with a text.
    struct LayerLook {
        Tensor weights;  ///< (H, T, T)
        Tensor k, v;     ///< (T, D), before the split into heads
    };
    std::vector<LayerLook> look(const std::vector<Index>& tokens);

private:
    struct Layer : Gpt2Layer {
        std::unique_ptr<ex05::Attention> module;
    };
    Tensor through(const std::vector<Index>& tokens, std::vector<LayerLook>* looks);

    Gpt2Sizes sizes_;
    Tensor tokens_, places_;        ///< (V, D), (places, D)
    Tensor norm_gain_, norm_bias_;  ///< (D)
    Tensor head_;                   ///< (V, D)
    std::vector<Layer> layers_;
    LayerForward forward_ = &layer_of_course;
};

/// Whether a checkpoint's tensor is a mask that nobody needs.
bool is_mask_buffer(const std::string& name);

/// The token that follows by the largest logit, again and again.   @return the `count` new ones, fewer at the last
/// place
std::vector<Index> continue_greedily(
    Gpt2& model, std::vector<Index> tokens, Index count, const std::function<void()>& one_more = [] {});

}  // namespace headway::lab
