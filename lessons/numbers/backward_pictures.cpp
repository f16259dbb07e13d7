#include "charts.hpp"
#include "lessons.hpp"
#include "sentence.hpp"

#include <backward.hpp>
#include <scaled_scores.hpp>

namespace headway::lessons {
namespace {

constexpr Index cat = 1, here = 3;

Tensor head_zero(const TwoHeads& two, const Tensor& w) { return two.split(w).slice(1, 0, 1).contiguous(); }

Tensor one_at(const Shape& shape, Index row, Index column) {
    Tensor one = Tensor::zeros(shape);
    one(0, 0, row, column) = 1;
    return one;
}

/// A row of numbers in boxes, blue where a larger one helps the loss grow, orange where a smaller one does.
void draw_row(Picture& picture, Point corner, const std::string& name, const std::vector<double>& values,
              int decimals) {
    constexpr double width = 68;
    picture.label({corner.x + 136, corner.y + 17}, name, {Tone::ink, Anchor::end, Type::small});
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double share = rounded(values[i], decimals);
        picture.cell({corner.x + 144 + width * static_cast<double>(i), corner.y, width, 34},
                     share < 0 ? Tone::orange : Tone::blue,
                     std::min(1.0, (share < 0 ? -share : share) * (decimals == 0 ? 0.5 : 4)),
                     fixed(values[i], decimals));
    }
}

/// From the loss "feature 0 of the context of here" back to q and v, with every number on the way.
void flow(Blocks& blocks, const TwoHeads& two) {
    const Tensor q = head_zero(two, two.w_q), k = head_zero(two, two.w_k), v = head_zero(two, two.w_v);
    const Tensor weights = ex03::scaled_dot_product_attention(q, k, v, {}).weights;
    const Tensor grad_context = one_at(v.shape(), here, 0);
    const Tensor grad_weights = matmul(grad_context, v.transpose(-2, -1));
    const Tensor grad_scores = ex07::softmax_backward(weights, grad_weights);
    const auto grad = ex07::attention_backward(q, k, v, {}, grad_context);
    const std::vector<double> context = numbers_of(grad_context[0][0][here]);
    const std::vector<double> to_weights = numbers_of(grad_weights[0][0][here]);
    const std::vector<double> to_scores = numbers_of(grad_scores[0][0][here]);
    const std::vector<double> to_q = numbers_of(grad.q[0][0][here]);
    const std::vector<double> to_v = numbers_of(grad.v[0][0].slice(1, 0, 1));

    Picture picture(480, 432);
    picture.label({16, 24}, "Back from the loss: feature 0 of here", {.type = Type::strong});
    const auto step = [&](double y, const std::string& by) {
        picture.arrow({246, y}, {246, y + 30}, Tone::ink);
        picture.label({258, y + 14}, by, {.tone = Tone::ink, .type = Type::small});
    };
    draw_row(picture, {4, 44}, "context of here", context, 0);
    step(80, "· vᵀ");
    for (std::size_t s = 0; s < 4; ++s)
        picture.label({182 + 68 * static_cast<double>(s), 118}, tokens[s], {Tone::faint, Anchor::middle, Type::small});
    draw_row(picture, {4, 128}, "weights of here", to_weights, 0);
    step(164, "softmax: w · (grad − mean)");
    draw_row(picture, {4, 196}, "scores of here", to_scores, 3);
    step(232, "· k / √d");
    draw_row(picture, {4, 264}, "q of here", to_q, 3);
    picture.line({16, 318}, {464, 318}, Tone::faint, Dash::yes);
    picture.label({16, 338}, "The other way, to the values: weightsᵀ ·", {.type = Type::small});
    for (std::size_t s = 0; s < 4; ++s)
        picture.label({182 + 68 * static_cast<double>(s), 364}, tokens[s], {Tone::faint, Anchor::middle, Type::small});
    draw_row(picture, {4, 376}, "v, feature 0", to_v, 3);
    blocks.picture("07/flow", picture,
                   "Gradients on their way back. Of the context of here: " + in_words({"0:", "1:", "2:"}, context, 0) +
                       ". Times v transposed, of its weights: " + in_words(tokens, to_weights, 0) +
                       ". Through softmax, of its scores: " + in_words(tokens, to_scores) +
                       ". Times k and divided by √d, of its query: " + in_words({"0:", "1:", "2:"}, to_q) +
                       ". The other way, of feature 0 of the values: " + in_words(tokens, to_v) + ".");
}

/// What the scores hear when the weight on "cat" should grow: from the whole row, and from the diagonal alone.
void softmax(Blocks& blocks, const TwoHeads& two) {
    const Tensor weights = ex03::scaled_dot_product_attention(head_zero(two, two.w_q), head_zero(two, two.w_k),
                                                              head_zero(two, two.w_v), {})
                               .weights;
    const Tensor grad = one_at(weights.shape(), here, cat);
    const std::vector<double> row = numbers_of(weights[0][0][here]);
    const std::vector<double> whole = numbers_of(ex07::softmax_backward(weights, grad)[0][0][here]);
    const std::vector<double> diagonal = numbers_of((weights * (1.0F - weights) * grad)[0][0][here]);
    Picture picture(480, 440);
    draw_bars(picture, {16, 12}, {"The weights of here; cat should grow", tokens, row, 1, 330, 44, Tone::blue});
    draw_bars(picture, {16, 156}, {"Gradient of the scores: they sum to 0", tokens, whole, 0, 330, 44, Tone::green});
    // As long as above, so that the two can be compared.
    draw_bars(picture, {16, 300},
              {"The diagonal alone: the others hear nothing", tokens, diagonal, 0, 206, 168, Tone::orange});
    blocks.picture("07/softmax", picture,
                   "Bars for the row of here. Weights: " + in_words(tokens, row) +
                       ". If the weight on cat should grow, the gradient of the scores is " + in_words(tokens, whole) +
                       ". With the diagonal alone it would be " + in_words(tokens, diagonal) + ".");
}

void backward_pictures(Blocks& blocks) {
    const TwoHeads two = two_heads();
    flow(blocks, two);
    softmax(blocks, two);
}

const Announced announced{&backward_pictures};

}  // namespace
}  // namespace headway::lessons
