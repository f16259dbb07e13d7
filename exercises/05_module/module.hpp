#pragma once

#include <headway/given.hpp>
#include <headway/nn.hpp>
#include <headway/tensor.hpp>

#include <cstdint>
#include <memory>
#include <optional>

// Exercise 05: a module with parameters, state and modes.
//                            B batch · T queries · S keys · D embed_dim · H num_heads · d head_dim · E = H·d
//
// Write a class of your own in module.cpp, members and all, that derives from Attention, and the factory that makes
// one. Everything in <headway/given.hpp> is yours to use.
// No function changes its arguments; tensors and masks may be views of any strides; what forward and attention_weights
// returned stays as it was returned. Sizes are at least 1 and ranks as named, except where a @throws names others, and
// no H·d overflows. All numbers in tensors are finite, and so is what the formula makes of them. Scores of ±1e4
// overflow nothing.
namespace headway::ex05 {

struct AttentionOptions {
    Index embed_dim = 0;
    Index num_heads = 1;
    std::optional<Index> head_dim = {};  ///< default: embed_dim / num_heads
    bool bias = true;                    ///< in all four projections
    bool causal = false;                 ///< block s > t + (S - T), in addition to the mask of each call
    float dropout = 0.0F;                ///< probability that a weight becomes 0 in training
    std::uint64_t seed = 0;              ///< of first parameters and of dropout (which may take seed + 1, say): modules
                                         ///< of equal options begin alike and drop alike, call by call; those of other
                                         ///< seeds do not (seeds that agree in their low 32 bits are not compared)
};

/// Multi-head attention with learned projections, as torch.nn.MultiheadAttention. Three differences matter when you
/// compare the two: torch packs the three input projections into one in_proj_weight (3D, D), since its E is D, begins
/// it by Xavier's rule with biases of 0, and averages the weights that it returns over the heads unless told not to.
///
/// Four nn::Linear, each with first numbers of its own, registered in this order: q_proj, k_proj, v_proj (D -> E) and
/// out_proj (E -> D); remember that nn::Linear stores its weight (out, in). With the default head_dim there are 4·D²
/// parameters, + 4·D with bias, whatever H is. named_parameters, state_dict, load_state_dict, train and eval then come
/// from nn::Module.
class Attention : public nn::Module {
public:
    /// out_proj(merge_heads(dropout(weights) · v)).   Self-attention is forward(x, x, x, mask).
    /// In training, each weight becomes 0 with probability p = dropout, or else weight / (1 - p), drawn anew for every
    /// weight and every call; in eval nothing does.
    /// @param query  (B, T, D)   @param key, value  (B, S, D)
    /// @param mask  true = may not attend; broadcastable to (B, H, T, S)
    /// @return (B, T, D)
    /// @throws std::invalid_argument if B, S or D differ where they must agree (any B or S of 1 that broadcasts may be
    ///         let through, a D of 1 may not), or the mask does not broadcast
    virtual Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) = 0;

    /// The weights of each head (not averaged), before dropout, in either mode; the mode stays as it is. Whether a call
    /// draws random numbers, and so changes what is dropped later, is up to you.
    /// forward must refuse what does not fit; this function may.
    /// @return (B, H, T, S); a blocked key has 0 (up to 1e-8 is right); each row sums to 1, or is all zero where every
    ///         key is blocked
    virtual Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) = 0;
};

/// @throws std::invalid_argument unless embed_dim >= 1, num_heads >= 1, 0 <= dropout < 1 (so NaN is refused), and
///         head_dim >= 1 if it is given, or embed_dim divisible by num_heads if it is not
std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options);

}  // namespace headway::ex05
