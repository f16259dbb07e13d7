// What a model has that is made of whole blocks.
#include "labs/train/model.hpp"

#include <cmath>
#include <string>
#include <utility>

namespace headway::lab {
namespace {

/// What is around a block's attention. norm.gain and norm.bias are those of a model of attention alone, too.
constexpr std::pair<const char*, Tensor BlockWeights::*> weights_of_block[] = {
    {"norm.gain", &BlockWeights::norm1_gain},  {"norm.bias", &BlockWeights::norm1_bias},
    {"norm2.gain", &BlockWeights::norm2_gain}, {"norm2.bias", &BlockWeights::norm2_bias},
    {"mlp.w_in", &BlockWeights::w_in},         {"mlp.b_in", &BlockWeights::b_in},
    {"mlp.w_out", &BlockWeights::w_out},       {"mlp.b_out", &BlockWeights::b_out}};

}  // namespace

/// From a stream of their own: the other parameters are then those of the model of attention alone.
void LanguageModel::add_mlps(std::uint64_t seed) {
    const Index D = sizes_.D, F = 4 * D;
    Random random(seed + 14);
    const float before = 1 / std::sqrt(static_cast<float>(D)), behind = 1 / std::sqrt(static_cast<float>(F));
    for (Index block = 0; block < sizes_.blocks; ++block) {
        add(in_block(block, "norm2.gain"), Tensor::ones({D}));
        add(in_block(block, "norm2.bias"), Tensor::zeros({D}));
        add(in_block(block, "mlp.w_in"), random.uniform({D, F}, -before, before));
        add(in_block(block, "mlp.b_in"), Tensor::zeros({F}));
        add(in_block(block, "mlp.w_out"), random.uniform({F, D}, -behind, behind));
        add(in_block(block, "mlp.b_out"), Tensor::zeros({D}));
    }
}

BlockParts LanguageModel::block_parts(Index block) {
    BlockParts parts;
    for (const auto& [name, member] : weights_of_block) parts.weights.*member = parameter(in_block(block, name));
    parts.attention = [this, block](const Tensor& x) { return attend(block, x); };
    parts.attention_backward = [this, block](const Tensor& x, const Tensor& grad_y) {
        return attention_backward(block, x, grad_y);
    };
    return parts;
}

Tensor LanguageModel::blocks_backward(const Tensor& x, const Tensor& grad_y) {
    std::vector<BlockParts> blocks;
    for (Index block = 0; block < sizes_.blocks; ++block) blocks.push_back(block_parts(block));
    const WholeBlocks::Gradients grads = sizes_.whole.backward(blocks, x, grad_y);
    for (Index block = 0; block < sizes_.blocks; ++block)
        for (const auto& [name, member] : weights_of_block)
            gradient(in_block(block, name)) += grads.blocks.at(static_cast<std::size_t>(block)).*member;
    return grads.x;
}

}  // namespace headway::lab
