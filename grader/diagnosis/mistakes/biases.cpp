// What is added to the projections of q, k and v.
#include "diagnosis/chapters.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* product_and_bias =
    "each of q, k and v is a product with its weight, and its own bias is added to every token";
constexpr const char* own_biases = "head h gets biases [h·d, (h+1)·d), as it gets these features";

}  // namespace

Chapter chapters::biases() {
    static constexpr Decision decisions[] = {
        {.id = "projection_bias",
         .stage = Stage::project,
         .lesson = {{"05", "As a formula"}},
         .pseudocode = "q (B,T,E) = query · w_qᵀ + b_q: the bias (E) is added to every token"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "projection_bias_missing",
         .decision = "projection_bias",
         .title = "the biases of q, k and v are not added",
         .right = product_and_bias,
         .symptom = "right while the biases are 0; nothing crashes, and all that is made of q, k and v is off",
         .question = "Which of your projections add a bias?",
         .make = [](Choices& c) { c.projecting.bias.fill(BiasOfHeads::none); }},
        {.id = "query_bias_missing",
         .decision = "projection_bias",
         .title = "the bias of q is not added",
         .right = product_and_bias,
         .symptom = "right while that bias is 0; nothing crashes, and the scores are off",
         .question = "Which of your projections add a bias?",
         .make = [](Choices& c) { c.projecting.bias[0] = BiasOfHeads::none; }},
        {.id = "value_bias_missing",
         .decision = "projection_bias",
         .title = "the bias of v is not added",
         .right = product_and_bias,
         .symptom = "right while that bias is 0; nothing crashes, and every context is off by it",
         .question = "Which of your projections add a bias?",
         .make = [](Choices& c) { c.projecting.bias[2] = BiasOfHeads::none; }},
        {.id = "query_bias_of_first_head",
         .decision = "projection_bias",
         .title = "every head gets the bias of q that belongs to head 0",
         .right = own_biases,
         .symptom = "right for one head and without biases; else heads are a little off",
         .question = "Which numbers of a bias (E) belong to head 1?",
         .make = [](Choices& c) { c.projecting.bias[0] = BiasOfHeads::first; }},
        {.id = "projection_bias_of_first_head",
         .decision = "projection_bias",
         .title = "every head gets the biases of head 0",
         .right = own_biases,
         .symptom = "right for one head and without biases; else heads are a little off",
         .question = "Which numbers of a bias (E) belong to head 1?",
         .make = [](Choices& c) { c.projecting.bias.fill(BiasOfHeads::first); }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
