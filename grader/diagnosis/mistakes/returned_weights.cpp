// The weights that are returned beside the context.
#include "diagnosis/chapters.hpp"
#include "diagnosis/elements.hpp"

#include "reference/attention.hpp"

namespace headway::diagnosis {

namespace {

using reference::reshape;
using reference::transpose;

}  // namespace

Chapter chapters::returned_weights() {
    static constexpr Decision decisions[] = {
        {.id = "returned",
         .stage = Stage::softmax,
         .lesson = {{"03", in_the_header}, {"05", in_the_header}},
         .pseudocode = "return {context (B,H,T,d_v), weights (B,H,T,S)}: the weights after softmax, of each head"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "scores_returned",
         .decision = "returned",
         .title = "the scores before softmax are returned as weights",
         .right = "return the weights after softmax",
         .symptom = "plots of attention show negative weights",
         .question = "Do the rows of what you return sum to 1?",
         .make = [](Choices& c) { c.weighing.returned = [](const Weighable& at) { return at.scores; }; }},
        {.id = "context_and_weights_swapped",
         .decision = "returned",
         .title = "context and weights are returned in each other's place",
         .right = "return {context, weights}",
         .symptom = "the shapes give it away, unless there are as many keys as value features",
         .question = "In which order does Attended declare its members?",
         .make = [](Choices& c) { c.weighing.swapped = true; }},
        {.id = "returned_unmasked",
         .decision = "returned",
         .title = "the weights are returned as they would be without the mask",
         .right = "return the weights that gather the values",
         .symptom = "plots of attention show what was never used",
         .question = "Is what you return what you multiply with v?",
         .make =
             [](Choices& c) {
                 c.weighing.returned = [](const Weighable& at) { return reference::masked_softmax(at.scores, Mask{}); };
             }},
        {.id = "returned_mean_in_every_head",
         .decision = "returned",
         .title = "the weights are returned averaged over the heads, once for every head",
         .right = "return the weights of each head",
         .symptom = "nobody sees what single heads do",
         .question = "Do two heads of what you return ever differ?",
         .make =
             [](Choices& c) {
                 c.weighing.returned = [](const Weighable& at) {
                     const Array& w = at.weights;
                     if (w.shape.size() != 4) return w;
                     Array mean = zeros(w.shape);
                     const auto H = static_cast<double>(w.size(1));
                     each(w.shape, [&](Coordinate where, std::size_t i) {
                         for (Index h = 0; h < w.size(1); ++h) {
                             const Index to[] = {where[0], h, where[2], where[3]};
                             mean.value[position(w.shape, to)] += w.value[i] / H;
                             mean.error[position(w.shape, to)] += w.error[i] / H;
                         }
                     });
                     return mean;
                 };
             }},
        {.id = "returned_transposed",
         .decision = "returned",
         .title = "the weights are returned keys first: (B, H, S, T)",
         .right = "return (B, H, T, S)",
         .symptom = "plots of attention are mirrored",
         .question = "Do the rows of what you return sum to 1?",
         .shipped = {"Tensor2Tensor: https://github.com/tensorflow/tensor2tensor/issues/500"},
         .make =
             [](Choices& c) {
                 c.weighing.returned = [](const Weighable& at) { return transpose(at.weights, -2, -1); };
             }},
        {.id = "returned_averaged",
         .decision = "returned",
         .title = "the weights are returned averaged over the heads",
         .right = "return the weights of each head: (B, H, T, S)",
         .symptom = "nobody sees what single heads do",
         .question = "What is the shape of what you return?",
         .shipped = {"fairseq: https://github.com/facebookresearch/fairseq/issues/3365"},
         .make =
             [](Choices& c) {
                 c.weighing.returned = [](const Weighable& at) {
                     if (at.weights.shape.size() != 4) return at.weights;
                     Array mean = zeros({at.weights.size(0), at.weights.size(2), at.weights.size(3)});
                     const auto H = static_cast<double>(at.weights.size(1));
                     each(at.weights.shape, [&](Coordinate where, std::size_t i) {
                         const Index to[] = {where[0], where[2], where[3]};
                         mean.value[position(mean.shape, to)] += at.weights.value[i] / H;
                         mean.error[position(mean.shape, to)] += at.weights.error[i] / H;
                     });
                     return mean;
                 };
             }},
        {.id = "returned_heads_in_batch",
         .decision = "returned",
         .title = "the weights are returned as (B·H, T, S)",
         .right = "return (B, H, T, S)",
         .symptom = "what reads them must know num_heads",
         .question = "What is the shape of what you return?",
         .make =
             [](Choices& c) {
                 c.weighing.returned = [](const Weighable& at) {
                     const Array& w = at.weights;
                     return w.shape.size() != 4 ? w : reshape(w, {w.size(0) * w.size(1), w.size(2), w.size(3)});
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
