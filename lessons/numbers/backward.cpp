#include "lessons.hpp"
#include "sentence.hpp"

#include <backward.hpp>
#include <scaled_scores.hpp>

#include <cmath>

namespace headway::lessons {
namespace {

constexpr Index cat = 1, here = 3;

/// Head 0 of the running example.
struct Head {
    Tensor q, k, v;  // (1, 1, 4, 3)

    Head() {
        const TwoHeads two = two_heads();
        q = two.split(two.w_q).slice(1, 0, 1).contiguous();
        k = two.split(two.w_k).slice(1, 0, 1).contiguous();
        v = two.split(two.w_v).slice(1, 0, 1).contiguous();
    }

    ex03::Attended attend() const { return ex03::scaled_dot_product_attention(q, k, v, {}); }
    /// The loss of this lesson: feature 0 of the context of "here".
    float loss() const { return attend().context(0, 0, here, 0); }
};

Tensor one_at(const Shape& shape, Index row, Index column) {
    Tensor one = Tensor::zeros(shape);
    one(0, 0, row, column) = 1;
    return one;
}

Tensor row_of_here(const Tensor& x) { return x[0][0].slice(0, here, here + 1); }

/// Through softmax: what is right, and what the diagonal alone gives.
void softmax(Blocks& blocks, const Head& head) {
    const Tensor weights = head.attend().weights;
    const Tensor grad = one_at(weights.shape(), here, cat);
    const Tensor right = ex07::softmax_backward(weights, grad);
    const Tensor diagonal = weights * (1.0F - weights) * grad;
    blocks.text("07/softmax",
                matrix("here, head 0", {"weights", "gradient of the weights", "gradient of the scores"}, tokens,
                       ops::cat({row_of_here(weights), row_of_here(grad), row_of_here(right)}, 0)));
    const Tensor even = Tensor::full(weights.shape(), 1.0F);
    blocks.text("07/elementwise",
                matrix("loss: the sum of all weights", {"w · (grad - mean)", "w · (1 - w) · grad"}, tokens,
                       ops::cat({row_of_here(ex07::softmax_backward(weights, even)),
                                 row_of_here(weights * (1.0F - weights) * even)},
                                0)));
    blocks.text("07/diagonal", matrix("loss: the weight on cat", {"w · (grad - mean)", "w · (1 - w) · grad"}, tokens,
                                      ops::cat({row_of_here(right), row_of_here(diagonal)}, 0)));
}

/// The gradient of one row of q, by formula and by differences.
void differences(Blocks& blocks, const Head& head) {
    const auto grad = ex07::attention_backward(head.q, head.k, head.v, {}, one_at(head.v.shape(), here, 0));
    constexpr float h = 0.01F;
    Tensor measured = Tensor::zeros({1, 3});
    for (Index i = 0; i < 3; ++i) {
        Head up = head, down = head;
        up.q = head.q.clone();
        down.q = head.q.clone();
        up.q(0, 0, here, i) += h;
        down.q(0, 0, here, i) -= h;
        measured(0, i) = (up.loss() - down.loss()) / (2 * h);
    }
    const Tensor formula = row_of_here(grad.q);
    blocks.text("07/differences", matrix("gradient of q for here", {"by formula", "by differences", "without 1/√d"},
                                         {"0", "1", "2"}, ops::cat({formula, measured, formula * std::sqrt(3.0F)}, 0)));
    blocks.text("07/values", matrix("gradient of v, feature 0", tokens, {}, grad.v[0][0].slice(1, 0, 1)));
}

/// The three ways in which a token reaches the loss "feature 0 of all contexts".
void three_ways(Blocks& blocks, const Head& head) {
    const TwoHeads two = two_heads();
    Tensor grad_context = Tensor::zeros(head.v.shape());
    grad_context.select(3, 0).fill(1);
    const auto grad = ex07::attention_backward(head.q, head.k, head.v, {}, grad_context);
    const auto through = [&](const Tensor& gradient, const Tensor& w) {
        return matmul(gradient[0][0], w.slice(1, 0, 3).transpose(0, 1)).slice(0, cat, cat + 1);  // (1, 6)
    };
    const Tensor q = through(grad.q, two.w_q), k = through(grad.k, two.w_k), v = through(grad.v, two.w_v);
    blocks.text("07/three-ways",
                matrix("gradient of x for cat", {"through q", "through k", "through v", "sum"},
                       {"thing", "action", "place", "pos x", "pos y", "one"}, ops::cat({q, k, v, q + k + v}, 0)));
}

/// A Linear's gradients after one call and after two.
void linear(Blocks& blocks) {
    const Tensor x = Tensor::of({1, 2, 2}, {1, 2, 3, 4});
    const Tensor grad_y = Tensor::of({1, 2, 1}, {1, 10});
    Tensor weight = Tensor::zeros({1, 2}), bias = Tensor::zeros({1});
    const auto shown = [&] { return ops::cat({weight, bias.view({1, 1})}, 1); };
    std::vector<Tensor> rows;
    for (int call = 0; call < 2; ++call) {
        ex07::linear_backward(x, Tensor::rows({{5, 6}}), grad_y, weight, bias);
        rows.push_back(shown().clone());
    }
    blocks.text("07/accumulated",
                matrix("gradients", {"after one call", "after a second"}, {"w 0", "w 1", "b"}, ops::cat(rows, 0)));
}

/// What one layer keeps for the way back, in float32: B = 8, H = 8, T = S = 2048, d = 64.
void checkpointing(Blocks& blocks) {
    constexpr Index B = 8, H = 8, T = 2048, d = 64;
    std::vector<Labels> lines{{"kept", "numbers", "bytes"}};
    const auto add = [&](const std::string& name, Index numbers) {
        const double megabytes = static_cast<double>(numbers) * 4 / 1e6;
        lines.push_back({name, grouped(numbers), fixed(megabytes, 1) + " MB"});
    };
    add("q, k and v", 3 * B * H * T * d);
    add("the weights", B * H * T * T);
    add("one number per row", B * H * T);
    blocks.text("07/checkpointing", grid(lines));
}

void backward(Blocks& blocks) {
    const Head head;
    softmax(blocks, head);
    differences(blocks, head);
    three_ways(blocks, head);
    linear(blocks);
    checkpointing(blocks);
}

const Announced announced{&backward};

}  // namespace
}  // namespace headway::lessons
