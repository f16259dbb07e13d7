#include "labs/cost/stacks.hpp"

#include "labs/cost/heap.hpp"
#include "labs/cost/measure.hpp"
#include "labs/frame/program.hpp"
#include "labs/frame/students_code.hpp"

#include <headway/not_implemented.hpp>
#include <headway/random.hpp>

#include <block.hpp>

#include <algorithm>
#include <cmath>

namespace headway::lab {
namespace {

constexpr const char* exercise = "14_block";

template <class Call>
auto of_exercise(const char* function, Call call) {
    return of_student(exercise, function, call);
}

/// Attention whose weights are fixed: each token takes the mean of those up to it. So all that it costs is its product.
Tensor mean_of_the_past(Index T) {
    Tensor weights = Tensor::zeros({T, T});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s <= t; ++s) weights(t, s) = 1.0F / static_cast<float>(t + 1);
    return weights;
}

struct Stack {
    Tensor weights, x, grad_y;
    std::vector<ex14::Block> blocks;

    Stack(const StackSizes& sizes, Index L) : weights(mean_of_the_past(sizes.T)) {
        const auto [B, T, D, F] = sizes;
        Random random(14);
        x = random.normal({B, T, D});
        grad_y = random.normal({B, T, D});
        const ex14::Sublayer attention{
            [w = weights](const Tensor& at) { return matmul(w, at); },
            [w = weights](const Tensor&, const Tensor& grad) { return matmul(w.transpose(0, 1), grad); }};
        const auto map = [&](Index in, Index out) {
            return random.normal({in, out}) / std::sqrt(static_cast<float>(in));
        };
        const auto norm = [&, D = D] { return ex14::NormWeights{Tensor::ones({D}), Tensor::zeros({D})}; };
        while (static_cast<Index>(blocks.size()) < L)
            blocks.push_back(
                {norm(), norm(), {map(D, F), random.normal({F}), map(F, D), random.normal({D})}, attention});
    }
};

// ---- all that is between the maps is kept ------------------------------------------------------------------------

struct Between {
    Tensor x, y, normed;       ///< (B, T, D)
    Tensor hidden, activated;  ///< (B, T, F)
};

Tensor forward(const ex14::Block& block, const Tensor& x, Between& between) {
    const auto norm = [&](const Tensor& at, const ex14::NormWeights& weights) {
        return of_exercise("layer_norm", [&] { return ex14::layer_norm(at, weights.gain, weights.bias, block.eps); });
    };
    const Tensor y = x + block.attention.forward(norm(x, block.norm1));
    const Tensor normed = norm(y, block.norm2);
    const Tensor hidden = matmul(normed, block.mlp.w_in) + block.mlp.b_in;
    const Tensor activated = of_exercise("gelu", [&] { return ex14::gelu(hidden, block.gelu); });
    between = {x, y, normed, hidden, activated};
    return y + matmul(activated, block.mlp.w_out) + block.mlp.b_out;
}

/// Over all tokens of all sequences, (B, T, in) and (B, T, out) to (in, out).
Tensor of_weight(const Tensor& in, const Tensor& grad_out) {
    const auto tokens = [](const Tensor& x) { return x.contiguous().view({x.size(0) * x.size(1), x.size(2)}); };
    return matmul(tokens(in).transpose(0, 1), tokens(grad_out));
}
Tensor of_bias(const Tensor& grad_out) { return sum(sum(grad_out, 0), 0); }

ex14::BlockGradients backward(const ex14::Block& block, const Between& kept, const Tensor& grad_out) {
    const auto through_norm = [&](const Tensor& at, const ex14::NormWeights& weights, const Tensor& grad) {
        return of_exercise("layer_norm_backward",
                           [&] { return ex14::layer_norm_backward(at, weights.gain, block.eps, grad); });
    };
    const Tensor grad_activated = matmul(grad_out, block.mlp.w_out.transpose(0, 1));
    const Tensor grad_hidden =
        of_exercise("gelu_backward", [&] { return ex14::gelu_backward(kept.hidden, grad_activated, block.gelu); });
    const auto norm2 = through_norm(kept.y, block.norm2, matmul(grad_hidden, block.mlp.w_in.transpose(0, 1)));
    const Tensor grad_y = grad_out + norm2.x;
    const auto norm1 = through_norm(kept.x, block.norm1, block.attention.backward(kept.x, grad_y));
    return {grad_y + norm1.x,
            {norm1.gain, norm1.bias},
            {norm2.gain, norm2.bias},
            {of_weight(kept.normed, grad_hidden), of_bias(grad_hidden), of_weight(kept.activated, grad_out),
             of_bias(grad_out)}};
}

std::vector<ex14::BlockGradients> with_all_kept(const Stack& stack) {
    std::vector<Between> kept(stack.blocks.size());
    Tensor x = stack.x;
    for (std::size_t i = 0; i < kept.size(); ++i) x = forward(stack.blocks[i], x, kept[i]);
    std::vector<ex14::BlockGradients> grads(kept.size());
    for (std::size_t i = kept.size(); i-- > 0;)
        grads[i] = backward(stack.blocks[i], kept[i], i + 1 == kept.size() ? stack.grad_y : grads[i + 1].x);
    return grads;
}

// ---- only the inputs are kept ------------------------------------------------------------------------------------

std::vector<ex14::BlockGradients> with_inputs_kept(const Stack& stack) {
    return of_exercise("stack_backward", [&] { return ex14::stack_backward(stack.blocks, stack.x, stack.grad_y); });
}

bool is_written(const Stack& stack) {
    const StudentsTurn turn(exercise, "stack_backward");
    try {
        ex14::stack_backward(stack.blocks, stack.x, stack.grad_y);
        return true;
    } catch (const NotImplemented&) {
        return false;
    } catch (...) {
        return true;  // what is wrong with it is told when it is used
    }
}

/// To 1/1000 of the largest number; NaN is not close to anything.
bool agree(const Tensor& a, const Tensor& b) {
    if (a.shape() != b.shape()) return false;
    const Tensor x = a.contiguous(), y = b.contiguous();
    float largest = 0;
    for (Index i = 0; i < y.numel(); ++i) largest = std::max(largest, std::abs(y.data()[i]));
    for (Index i = 0; i < x.numel(); ++i)
        if (!(std::abs(x.data()[i] - y.data()[i]) <= 1e-3F * largest)) return false;
    return true;
}

void require_agreement(const Stack& stack) {
    const std::vector<ex14::BlockGradients> ours = with_inputs_kept(stack), due = with_all_kept(stack);
    if (ours.size() == due.size() && agree(ours.front().x, due.front().x) &&
        agree(ours.front().mlp.w_in, due.front().mlp.w_in))
        return;
    throw NotDone(
        "your stack_backward (14_block) gives other gradients than your norms and your GELU, one after the other.\n"
        "./headway grade 14 may say why.");
}

}  // namespace

Index numbers_between(const StackSizes& sizes) { return sizes.B * sizes.T * (3 * sizes.D + 2 * sizes.F); }

std::optional<StackCosts> measure_stacks(const StackSizes& sizes, Index deepest, int repeats) {
    const Stack small({.B = 1, .T = 3, .D = 4, .F = 6}, 2);
    if (!is_written(small)) return std::nullopt;
    require_agreement(small);
    StackCosts costs{.sizes = sizes, .stacks = {}};
    for (const Index L : {deepest / 16, deepest / 4, deepest}) {
        const Stack stack(sizes, L);
        const auto all = [&] { return with_all_kept(stack).front().x; };
        const auto inputs = [&] { return with_inputs_kept(stack).front().x; };
        costs.stacks.push_back({L, mebibytes_at_peak(all), mebibytes_at_peak(inputs), milliseconds(repeats, all),
                                milliseconds(repeats, inputs)});
    }
    return costs;
}

}  // namespace headway::lab
