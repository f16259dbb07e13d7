#pragma once

#include "suites/14_block/wiring.hpp"

#include "student/inputs.hpp"
#include "student/student.hpp"

#include <string>
#include <vector>

/// What the hidden tests of exercise 14 ask with, and what should come back.
/// B batch · T tokens · D model width · F hidden width · L blocks
namespace headway::judge::block {

using diagnosis::BlockArrays;
using diagnosis::BlockChoices;
using diagnosis::Kind;
using reference::Array;
using reference::exact;

struct BlockSizes {
    Index B, T, D, F;
};

/// All different.
BlockSizes random_block_sizes(Random& random);

/// 1e-5, or one that shows.
double random_eps(Random& random);

struct NormInputs {
    Tensor x, gain, bias, grad_y;
    double eps;

    NormInputs(Random& random, const BlockSizes& n);
    Arguments forward(Kind kind) const;
    Arguments backward() const;
    Array expected(Kind kind) const;
    diagnosis::NormGradients expected_gradients(Kind kind) const;
};

struct MlpInputs {
    Tensor x, grad_y, w_in, b_in, w_out, b_out;
    std::string formula;

    MlpInputs(Random& random, const BlockSizes& n, const std::string& formula_of_gelu);
    Arguments forward() const;
    Arguments backward() const;
    diagnosis::MlpArrays weights() const;
};

/// What one block is made of, or the blocks of a stack along a first axis.
struct BlockInputs {
    Tensor x, grad_y;
    std::vector<wire::Field> weights;
    std::string order, formula;
    double eps;

    /// @param L  of a stack; 0: one block without that axis
    BlockInputs(Random& random, const BlockSizes& n, Index L);
    BlockInputs ordered(const std::string& other) const;
    /// Of a stack: what rounding may do grows from block to block. Such an eps, and so little attention, keep it small.
    BlockInputs calm() const;
    /// One block, whose attention returns the very tensor that it is given.
    BlockInputs idle() const;
    /// One block, whose answers tell by which formula its MLP goes, forwards and back: gelu is asked where the two
    /// differ most, and what rounding may do, or the room that own parts get, is far less than that.
    BlockInputs bent(const std::string& formula_of_gelu) const;
    Arguments forward() const;
    Arguments backward() const;
};

inline const std::vector<std::string> orders{"pre_norm", "post_norm"}, formulas{"exact", "tanh"};
/// The order of a stack whose blocks take turns: the second, the fourth, ... are post-norm, with the other formula and
/// a larger eps.
inline const std::string mixed = "mixed";

/// Blocks of both orders: any, those whose attention is idle, and those that tell the formulas apart.
std::vector<BlockInputs> blocks_of_all_kinds(Random& random);

/// The blocks of a call, one if it is no stack.
std::vector<BlockArrays> blocks_of(const Arguments& arguments);

/// The weights of an MLP that a call was asked with.
diagnosis::MlpArrays mlp_of(const Arguments& arguments);

}  // namespace headway::judge::block
