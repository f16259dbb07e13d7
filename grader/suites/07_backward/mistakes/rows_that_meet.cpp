// The rows of x and of the gradient of y that meet in the gradient of a Linear's weight.
#include "suites/07_backward/gradients.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

/// The first tokens of all sequences come first, as in what transpose(0, 1).contiguous() is flattened to.
Array tokens_first(const Array& x) { return reference::transpose(x, 0, 1); }

/// grad_y (B, out, T) or (B, T, out) whose numbers are read as (out, B·T), and x as (B·T, in).
Array with_columns_read_anew(const Array& x, const Array& grad_y, Index out) {
    const Index rows = grad_y.numel() / out;
    return reference::matmul(reference::reshape(grad_y, {out, rows}), reference::reshape(x, {rows, x.size(-1)}));
}

constexpr Mistake rows_that_do_not_belong_together(std::string_view id, std::string_view title,
                                                   void (*make)(Choices&)) {
    return {
        .id = id,
        .decision = "gradient_of_weight",
        .title = title,
        .right = "the sum over all tokens of all sequences: each row of x meets the gradient of y of the same token",
        .symptom = "right with batch 1, and for one token; else only the shape is right",
        .question = "Which token is row 1 of your (B·T, in), and which is row 1 of your (B·T, out)?",
        .make = make};
}

}  // namespace

namespace chapters {

Chapter rows_that_meet() {
    static constexpr Mistake mistakes[] = {
        rows_that_do_not_belong_together(
            "gradient_of_weight_of_x_tokens_first",
            "for the gradient of the weight, x is flattened tokens first and grad_y sequences first: rows of different "
            "tokens meet",
            [](Choices& c) {
                c.change<Gradients>().weight = [](const Array& x, const Array& grad_y) {
                    return Gradients::right().weight(tokens_first(x), grad_y);
                };
            }),
        rows_that_do_not_belong_together(
            "gradient_of_weight_of_grad_y_tokens_first",
            "for the gradient of the weight, grad_y is flattened tokens first and x sequences first: rows of different "
            "tokens meet",
            [](Choices& c) {
                c.change<Gradients>().weight = [](const Array& x, const Array& grad_y) {
                    return Gradients::right().weight(x, tokens_first(grad_y));
                };
            }),
        {.id = "gradient_of_weight_of_a_transpose_viewed",
         .decision = "gradient_of_weight",
         .title = "grad_y is transposed to (B, out, T) and then viewed as (out, B·T): the sequences stay outside the "
                  "outputs, so rows of several outputs mix",
         .right = "view grad_y as (B·T, out) first, then transpose: each column is one token",
         .symptom = "right with batch 1, and for one output; else only the shape is right",
         .question = "In (B, out, T), which number follows the last token of output 0 in sequence 0?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().weight = [](const Array& x, const Array& grad_y) {
                     return with_columns_read_anew(x, reference::transpose(grad_y, 1, 2), grad_y.size(-1));
                 };
             }},
        {.id = "gradient_of_weight_viewed_not_transposed",
         .decision = "gradient_of_weight",
         .title = "for the gradient of the weight, grad_y is viewed as (out, B·T) instead of being transposed",
         .right = "view grad_y as (B·T, out) first, then transpose: each column is one token",
         .symptom = "right for one output, and for one token in all; else only the shape is right",
         .question = "In (B, T, out), which number follows the first one, and where does your view put it?",
         .make =
             [](Choices& c) {
                 c.change<Gradients>().weight = [](const Array& x, const Array& grad_y) {
                     return with_columns_read_anew(x, grad_y, grad_y.size(-1));
                 };
             }},
    };
    return {{}, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
