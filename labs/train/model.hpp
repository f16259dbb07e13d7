#pragma once

#include "labs/train/layers.hpp"
#include "labs/train/mistake.hpp"
#include "labs/train/positions.hpp"
#include "labs/train/text.hpp"
#include "labs/train/whole_blocks.hpp"

#include <headway/nn.hpp>

#include <backward.hpp>
#include <module.hpp>

#include <memory>

namespace headway::lab {

struct ModelSizes {
    Index vocabulary = 0;
    Index T = 0;  ///< the longest sequence
    Index D = 64;
    Index H = 1;
    Index blocks = 2;  ///< an induction head needs another before it
    Positions positions = Positions::learned;
    Turn turn = {};          ///< for rotary positions
    Sight sight = {};        ///< what attention may not see
    WholeBlocks whole = {};  ///< empty: blocks are attention alone
};

/// A small language model around the student's own attention (exercise 05) and its gradients (07):
///     x = token + position;   x = x + attention(norm(x)) for each block;   logits = head(norm(x))
/// Where positions are rotary, nothing is added to the token, and attention turns queries and keys: its parts are the
/// course's then, the turn and the gradients the student's.
/// Whole blocks have an MLP too, and go through the student's exercise 14.
/// The parameters lie in one table by name; the student's modules get them before each use.
class LanguageModel {
public:
    /// The same seed gives the same parameters for every H.
    LanguageModel(const ModelSizes& sizes, std::uint64_t seed, TrainedMistake mistake = TrainedMistake::none);

    const ModelSizes& sizes() const { return sizes_; }
    nn::StateDict& parameters() { return parameters_; }
    const nn::StateDict& parameters() const { return parameters_; }
    nn::StateDict& gradients() { return gradients_; }
    Index parameter_count() const;

    /// @param tokens (B, T)   @return (B, T, V)
    Tensor logits(const std::vector<Index>& tokens, Index B);
    double loss(const Batch& batch) { return cross_entropy(logits(batch.tokens, batch.B), batch.next); }
    /// The loss; gradients() holds its gradients.
    double learn(const Batch& batch);
    /// Where each block looks.   @return one (B, H, T, T) a block
    std::vector<Tensor> weights(const std::vector<Index>& tokens, Index B);

private:
    struct Trace;
    Trace forward(const std::vector<Index>& tokens, Index B);
    /// The name of a block's parameter.
    static std::string in_block(Index block, const std::string& name);
    Tensor& parameter(const std::string& name);
    Tensor& gradient(const std::string& name);
    void add(const std::string& name, const Tensor& value);
    void load_attention();
    ex07::Parameters attention_parameters(Index block);
    Tensor places() const;
    /// What tokens of a text of T may not see: (T, T).
    Mask blocked(Index T) const;
    bool turns() const { return sizes_.positions == Positions::rotary; }
    Tensor attend(Index block, const Tensor& y);
    void add_mlps(std::uint64_t seed);
    BlockParts block_parts(Index block);
    /// @param x  the input of the first block   @return its gradient
    Tensor blocks_backward(const Tensor& x, const Tensor& grad_y);
    Tensor attention_backward(Index block, const Tensor& x, const Tensor& grad_y);

    ModelSizes sizes_;
    TrainedMistake mistake_;
    nn::StateDict parameters_;
    nn::StateDict gradients_;
    std::vector<std::unique_ptr<ex05::Attention>> attention_;
};

}  // namespace headway::lab
