#pragma once

#include "suites/14_block/activation.hpp"
#include "suites/14_block/norms.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

/// A block and a stack of them, forwards and backwards (exercise 14), in double precision.
/// B batch · T tokens · D model width · F hidden width · L blocks
namespace headway::diagnosis {

/// What is decided where parts are put together. The right choices compute what the hidden tests expect.
struct Wiring {
    using Two = std::array<bool, 2>;        ///< of attention, of the MLP
    bool (*is_pre)(bool asked);             ///< whether norms come first
    std::array<std::size_t, 2> norm{0, 1};  ///< which norm's weights
    /// What is added to what a sub-layer gives: what came in, what the norm made of it, x itself, or nothing.
    /// Or, in post-norm, the sum that norm1 was given.
    enum class Residual { input, normed, first, before_norm, none };
    std::array<Residual, 2> residual{Residual::input, Residual::input};
    std::array<double, 2> residual_times{1, 1};  ///< how often that is added
    Two has_norm{true, true};
    Two norm_before_residual{false, false};  ///< in post-norm: x + norm(sub-layer(x))
    bool writes_into_normed = false;         ///< in pre-norm: y, which an attention may have returned as it came
    bool side_by_side = false;               ///< in pre-norm both sub-layers see x
    std::string fixed_formula = {};          ///< whatever the block asks for
    std::string fixed_formula_back = {};     ///< by which the MLP goes back, whatever the block asks for
    double fixed_eps = 0;

    // ---- and back --------------------------------------------------------------------------------------------
    Two residual_goes_back{true, true};
    std::array<double, 2> past_times{1, 1};  ///< what a gradient that goes past a sub-layer is multiplied by
    Two sublayer_goes_back{true, true};
    Two residual_past_norm{false, false};  ///< in post-norm: the gradient before the norm goes past, not behind it
    std::array<std::size_t, 2> norm_back{0, 1};  ///< through which norm's weights, of those for these places
    bool attention_is_asked_at_x = false;        ///< in pre-norm: its gradient at x, not at norm1(x)
    /// In post-norm: its gradient at x, at x + attention(x), or at norm1 of that.
    enum class AskedInPost { x, sum, normed };
    AskedInPost attention_is_asked_in_post = AskedInPost::x;
    bool norm_weights_exchanged = false;          ///< the gradients of norm1 and norm2
    bool mlp_is_asked_at_attention_less = false;  ///< y is taken for x on the way back
    Two mlp_is_asked_before_norm{false, false};  ///< in pre-norm, in post-norm: its gradient at what the norm was given
    /// In post-norm: where a norm goes back, at what it was given or at one part of it, what was added or what came in.
    enum class Asked { sum, added, input };
    std::array<Asked, 2> norm_is_asked_at{Asked::sum, Asked::sum};
    bool norm2_is_asked_at_x = false;   ///< in pre-norm: norm2 alone goes back at x
    std::size_t norm_asked_of_mlp = 1;  ///< in pre-norm: which norm is computed once more for the MLP
    bool mlp_is_asked_at_x = false;     ///< in post-norm
    bool grad_y_is_added_to = false;    ///< in pre-norm: what goes past the MLP is added to grad_y in place

    // ---- a stack ---------------------------------------------------------------------------------------------
    enum class Input { own, first, next, last };
    Input input = Input::own;        ///< where the gradient of a block is asked for
    bool forward_from_x = false;     ///< each block gets x on the way forward
    bool goes_from_the_last = true;  ///< the way back begins with the last block
    bool chains = true;              ///< a block gets the gradient of the next one's input
    bool answers_in_order = true;    ///< [0] is that of the first block
    bool weights_of_first = false;   ///< every block goes back through the weights of the first
    bool settings_of_first = false;  ///< every block has the order, the formula and the eps of the first

    // ---- one order -------------------------------------------------------------------------------------------
    struct InOneOrder {
        bool pre_norm;
        void (*make)(Wiring&);
    };
    std::vector<InOneOrder> in_one_order = {};  ///< what is decided so for blocks of that order alone
    Wiring of_order(bool pre_norm) const;

    static const Wiring& right();
};

struct NormArrays {
    Array gain, bias;
};

struct BlockArrays {
    std::array<NormArrays, 2> norm;
    MlpArrays mlp;
    /// (T, T): what stands for attention adds up squares of all tokens by these weights. Of one axis: it returns what
    /// it is given.
    Array mix;
    bool pre_norm = true;
    std::string formula;
    double eps = 1e-5;
};

/// All that is decided in this exercise.
struct BlockChoices {
    const Norms& norms;
    const Activation& activation;
    const Wiring& wiring;
    static BlockChoices right() { return {Norms::right(), Activation::right(), Wiring::right()}; }
};

/// What the parts of a block compute: as the model has them, or as a submission's own functions answer.
class Parts {
public:
    virtual ~Parts() = default;
    virtual Array norm(const NormArrays& weights, const Array& x, double eps) = 0;
    virtual NormGradients norm_backward(const NormArrays& weights, const Array& x, double eps, const Array& grad_y) = 0;
    virtual Array mlp(const MlpArrays& weights, const Array& x, const std::string& formula) = 0;
    virtual MlpGradients mlp_backward(const MlpArrays& weights, const Array& x, const Array& grad_y,
                                      const std::string& formula) = 0;
};

class ModelParts : public Parts {
public:
    explicit ModelParts(const BlockChoices& choices) : choices_(choices) {}
    Array norm(const NormArrays& weights, const Array& x, double eps) override;
    NormGradients norm_backward(const NormArrays& weights, const Array& x, double eps, const Array& grad_y) override;
    Array mlp(const MlpArrays& weights, const Array& x, const std::string& formula) override;
    MlpGradients mlp_backward(const MlpArrays& weights, const Array& x, const Array& grad_y,
                              const std::string& formula) override;

private:
    BlockChoices choices_;
};

/// Gradients by name, as a worker answers them: x, norm1_gain, ...
using NamedArrays = std::vector<std::pair<std::string, Array>>;

/// (B, T, D) -> (B, T, D)
Array through_block(const Wiring& wiring, Parts& parts, const BlockArrays& block, const Array& x);
/// @param left_in_grad_y  if not null: changed where the wiring says that grad_y is
NamedArrays through_block_backward(const Wiring& wiring, Parts& parts, const BlockArrays& block, const Array& x,
                                   const Array& grad_y, Array* left_in_grad_y = nullptr);

/// What a stack asks of its blocks.
class Blocks {
public:
    virtual ~Blocks() = default;
    virtual Array forward(const BlockArrays& block, const Array& x) = 0;
    virtual NamedArrays backward(const BlockArrays& block, const Array& x, const Array& grad_y) = 0;
    /// backward(), and what it leaves in grad_y.
    virtual NamedArrays backward_in_place(const BlockArrays& block, const Array& x, Array& grad_y) {
        return backward(block, x, grad_y);
    }
};

/// Each block takes what it is given for exact: see model_of_stack.
class ModelBlocks : public Blocks {
public:
    explicit ModelBlocks(const BlockChoices& choices) : wiring_(choices.wiring), parts_(choices) {}
    Array forward(const BlockArrays& block, const Array& x) override;
    NamedArrays backward(const BlockArrays& block, const Array& x, const Array& grad_y) override;
    NamedArrays backward_in_place(const BlockArrays& block, const Array& x, Array& grad_y) override;

private:
    const Wiring& wiring_;
    ModelParts parts_;
};

/// Names end with " of block 0", ...
NamedArrays through_stack_backward(const Wiring& wiring, Blocks& blocks, const std::vector<BlockArrays>& stack,
                                   const Array& x, const Array& grad_y);

/// The same with the model's blocks, and with bounds for a submission that computes them in float.
/// A bound that is carried from block to block grows by all that a block could do to it at worst, a thousandfold, and
/// soon holds every answer. So the bounds of each block are of that block alone, and what becomes of them is tried:
/// once more through the stack, several times, with numbers moved as far as they may be off.
NamedArrays model_of_stack(const BlockChoices& choices, const std::vector<BlockArrays>& stack, const Array& x,
                           const Array& grad_y);

}  // namespace headway::diagnosis
