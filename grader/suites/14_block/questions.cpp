//      B batch · T tokens · D model width · F hidden width · L blocks
#include "suites/14_block/questions.hpp"

#include "suites/14_block/inputs.hpp"

#include "diagnosis/small_sizes.hpp"

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::random_tensor;
using judge::block::BlockInputs;
using judge::block::BlockSizes;
using judge::block::formulas;
using judge::block::mixed;
using judge::block::MlpInputs;
using judge::block::NormInputs;
using judge::block::orders;

/// All different, and small.
BlockSizes small_block_sizes(Random& random) {
    const SmallSizes n = small_sizes(random);
    return {n.B, n.T, n.d + 3, n.S + 4};
}

/// An eps that hardly shows, then one that does; dense tensors last.
std::vector<Arguments> ask_norms(Random& random, Arguments (*arguments)(const NormInputs&)) {
    std::vector<Arguments> questions;
    const BlockSizes n = small_block_sizes(random);
    for (const double eps : {1e-5, 0.5, 1e-2, 2.0}) {
        NormInputs in(random, n);
        in.eps = eps;
        if (eps == 1e-2) in.x = in.x * 0.03F;
        questions.push_back(arguments(in));
    }
    NormInputs far_from_zero(random, n);  // as far as leaves some digits to a variance by moments
    far_from_zero.x = far_from_zero.x + 400.0F;
    questions.push_back(arguments(far_from_zero));
    NormInputs dense(random, n);
    dense.x = dense.x.contiguous();
    dense.grad_y = dense.grad_y.contiguous();
    questions.push_back(arguments(dense));
    return questions;
}

/// Where the formulas hardly differ, and where they do.
Tensor numbers_to_bend(Random& random, const Shape& shape) { return random_tensor(random, shape) * 2.0F; }

/// Of every order and formula. They show little but the formula, and that for certain.
std::vector<BlockInputs> bent_blocks(Random& random) {
    std::vector<BlockInputs> blocks;
    for (const std::string& formula : formulas)
        for (const std::string& order : orders)
            blocks.push_back(BlockInputs(random, small_block_sizes(random), 0).ordered(order).bent(formula));
    return blocks;
}

}  // namespace

std::vector<Arguments> ask_layer_norm(Random& random) {
    return ask_norms(random, [](const NormInputs& in) { return in.forward(Kind::layer); });
}

std::vector<Arguments> ask_rms_norm(Random& random) {
    return ask_norms(random, [](const NormInputs& in) { return in.forward(Kind::rms); });
}

std::vector<Arguments> ask_norm_backward(Random& random) {
    return ask_norms(random, [](const NormInputs& in) { return in.backward(); });
}

std::vector<Arguments> ask_gelu(Random& random) {
    const BlockSizes n = small_block_sizes(random);
    std::vector<Arguments> questions;
    for (const std::string& formula : formulas) {
        questions.push_back({{"x", numbers_to_bend(random, {n.B, n.T, n.F})}, {"formula", formula}});
        questions.push_back({{"x", numbers_to_bend(random, {n.F, n.T}).transpose(0, 1)}, {"formula", formula}});
    }
    return questions;
}

std::vector<Arguments> ask_gelu_backward(Random& random) {
    const BlockSizes n = small_block_sizes(random);
    std::vector<Arguments> questions;
    for (const std::string& formula : formulas) {
        questions.push_back({{"x", numbers_to_bend(random, {n.B, n.T, n.F})},
                             {"grad_y", random_tensor(random, {n.B, n.T, n.F})},
                             {"formula", formula}});
        questions.push_back({{"x", numbers_to_bend(random, {n.F, n.T}).transpose(0, 1)},
                             {"grad_y", random_tensor(random, {n.T, n.F})},
                             {"formula", formula}});
        // With gaps, as no transposed view has them.
        questions.push_back({{"x", numbers_to_bend(random, {n.F, n.T + 2}).slice(1, 0, n.T)},
                             {"grad_y", random_tensor(random, {n.F, n.T})},
                             {"formula", formula}});
        questions.push_back({{"x", numbers_to_bend(random, {n.F, n.T})},
                             {"grad_y", random_tensor(random, {n.F, n.T + 2}).slice(1, 0, n.T)},
                             {"formula", formula}});
    }
    return questions;
}

std::vector<Arguments> ask_mlp(Random& random) {
    std::vector<Arguments> questions;
    for (const std::string& formula : formulas)
        questions.push_back(MlpInputs(random, small_block_sizes(random), formula).forward());
    return questions;
}

std::vector<Arguments> ask_mlp_backward(Random& random) {
    std::vector<Arguments> questions;
    for (const std::string& formula : formulas)
        questions.push_back(MlpInputs(random, small_block_sizes(random), formula).backward());
    return questions;
}

std::vector<Arguments> ask_block_forward(Random& random) {
    std::vector<Arguments> questions;
    for (const std::string& formula : formulas)
        for (const std::string& order : orders) {
            BlockInputs in = BlockInputs(random, small_block_sizes(random), 0).ordered(order);
            in.formula = formula;
            in.eps = formula == "tanh" ? 0.3 : 1e-5;
            questions.push_back(in.forward());
        }
    for (const BlockInputs& in : bent_blocks(random)) questions.push_back(in.forward());
    return questions;
}

std::vector<Arguments> ask_block_backward(Random& random) {
    std::vector<Arguments> questions;
    for (const std::string& formula : formulas)
        for (const std::string& order : orders) {
            BlockInputs in = BlockInputs(random, small_block_sizes(random), 0).ordered(order);
            in.formula = formula;
            in.eps = formula == "tanh" ? 0.3 : 1e-5;
            questions.push_back(in.backward());
        }
    for (const BlockInputs& in : bent_blocks(random)) questions.push_back(in.backward());
    return questions;
}

std::vector<Arguments> ask_stack_backward(Random& random) {
    std::vector<Arguments> questions;
    const BlockSizes n = small_block_sizes(random);
    const auto ask = [&](Index L, const std::string& order) {
        questions.push_back(BlockInputs(random, n, L).ordered(order).calm().backward());
    };
    questions.push_back(BlockInputs(random, n, 1).ordered("pre_norm").backward());
    ask(3, "pre_norm");
    ask(2, "post_norm");
    ask(2, "pre_norm");
    ask(2, mixed);
    return questions;
}

}  // namespace headway::diagnosis
