// What scores are divided by.
#include "diagnosis/chapters.hpp"

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {
namespace {

double inverse_root(Index width) { return 1 / std::sqrt(static_cast<double>(width)); }

}  // namespace

Chapter chapters::scale() {
    static constexpr Decision decisions[] = {
        {.id = "scale",
         .stage = Stage::scale,
         .lesson = {{"01", "Why divide by √d?"}, {"03", "Which width is being summed?"}},
         .pseudocode =
             "scores (B,H,T,S) = q (B,H,T,d) · kᵀ (B,H,d,S), then every score divided by sqrt(size of the last "
             "axis of q)"},
    };
    static constexpr Mistake mistakes[] = {
        // Where other mistakes make the factor 1, such as √num_heads with one head, this is what can be seen.
        {.id = "scale_missing",
         .decision = "scale",
         .title = "scores are not scaled",
         .right = "they should be divided by √head_dim",
         .symptom = "wide heads saturate: softmax picks one key, and hardly learns",
         .question = "What is the variance of a sum of head_dim products of standard normal numbers?",
         .shipped = {"tiny-transformers: https://github.com/PAIR-code/tiny-transformers/issues/71",
                     "ethen8181/machine-learning: https://github.com/ethen8181/machine-learning/issues/13"},
         .make = [](Choices& c) { c.scoring.factor = [](const Widths&) { return 1.0; }; }},
        {.id = "scale_sqrt_model_width",
         .decision = "scale",
         .title = "scores are divided by √D, the model width",
         .right = "they should be divided by √head_dim, the width that q·k sums over",
         .symptom = "softmax gets too flat; nothing crashes, and training hides it",
         .question = "How many products does one score add up, and is it that width whose root you take?",
         .shipped = {"dfdx: https://github.com/chelsea0x3b/dfdx/issues/171",
                     "vit-pytorch: https://github.com/lucidrains/vit-pytorch/issues/65",
                     "ng-video-lecture: https://github.com/karpathy/ng-video-lecture/pull/6"},
         .make = [](Choices& c) { c.scoring.factor = [](const Widths& w) { return inverse_root(w.D); }; }},
        {.id = "scale_sqrt_num_heads",
         .decision = "scale",
         .title = "scores are divided by √num_heads",
         .right = "they should be divided by √head_dim, the width that q·k sums over",
         .symptom = "nothing crashes; softmax is too sharp or too flat, depending on the number of heads",
         .question = "Does a score grow with the number of heads, or with the number of features in a head?",
         .make = [](Choices& c) { c.scoring.factor = [](const Widths& w) { return inverse_root(w.H); }; }},
        {.id = "scale_sqrt_width_over_heads",
         .decision = "scale",
         .title =
             "scores are divided by √(head_dim / num_heads): the width of a head is divided by num_heads once more",
         .right = "they should be divided by √head_dim: where heads are split, the last axis of q is head_dim already",
         .symptom = "right for one head; with more of them softmax is too sharp, and nothing crashes",
         .question = "How wide is q after the split: D, or D / H?",
         .make =
             [](Choices& c) {
                 c.scoring.factor = [](const Widths& w) {
                     return inverse_root(w.d) / inverse_root(std::max<Index>(w.H, 1));
                 };
             }},
        {.id = "scale_head_dim",
         .decision = "scale",
         .title = "scores are divided by head_dim itself: the root is missing, or the scale is applied twice",
         .right = "they should be divided by √head_dim, once",
         .symptom = "softmax gets too flat; nothing crashes, training is slow",
         .question = "By which factor in all does a score shrink on its way to softmax? Print it for head_dim = 4.",
         .shipped = {"Transformers: https://github.com/huggingface/transformers/pull/38290"},
         .make = [](Choices& c) { c.scoring.factor = [](const Widths& w) { return 1 / static_cast<double>(w.d); }; }},
        {.id = "scale_inverted",
         .decision = "scale",
         .title = "scores are multiplied by √head_dim",
         .right = "they should be divided by it",
         .symptom = "softmax picks one key and hardly learns; nothing crashes",
         .question = "Is your scale √head_dim or 1/√head_dim, and do you divide by it or multiply?",
         .shipped = {"perceiver-io: https://github.com/esceptico/perceiver-io/issues/9"},
         .make = [](Choices& c) { c.scoring.factor = [](const Widths& w) { return 1 / inverse_root(w.d); }; }},
        {.id = "scale_sqrt_query_count",
         .decision = "scale",
         .title = "scores are divided by √T, the number of queries",
         .right = "they should be divided by √head_dim; the length of the sequence does not enter",
         .symptom = "the same sentence gets other weights when the batch is padded longer",
         .question = "Which axis of q does size(...) read there?",
         .make = [](Choices& c) { c.scoring.factor = [](const Widths& w) { return inverse_root(w.T); }; }},
        {.id = "scale_sqrt_key_count",
         .decision = "scale",
         .title = "scores are divided by √S, the number of keys",
         .right = "they should be divided by √head_dim; the number of keys does not enter",
         .symptom = "the same sentence gets other weights when the batch is padded longer",
         .question = "Which axis of k does size(...) read there, before or after the transpose?",
         .make = [](Choices& c) { c.scoring.factor = [](const Widths& w) { return inverse_root(w.S); }; }},
        {.id = "scale_sqrt_value_width",
         .decision = "scale",
         .title = "scores are divided by √d_v, the width of a value",
         .right = "they should be divided by √head_dim, the width of q and k; values are not in the scores",
         .symptom = "invisible while values are as wide as keys; else weights are too sharp or too flat",
         .question = "Which of q, k and v take part in a score?",
         .shipped = {"GPT-2: https://github.com/openai/gpt-2/issues/49"},
         .make = [](Choices& c) { c.scoring.factor = [](const Widths& w) { return inverse_root(w.d_v); }; }},
        {.id = "scale_constant_eight",
         .decision = "scale",
         .title = "scores are divided by a constant 8",
         .right = "they should be divided by √head_dim, which is 8 for head_dim = 64 only",
         .symptom = "right for the model it was copied from, wrong for every other",
         .question = "Where does the 8 come from, and what is it for a head of 16 features?",
         .shipped = {"attorch: https://github.com/BobMcDear/attorch/issues/14"},
         .make = [](Choices& c) { c.scoring.factor = [](const Widths&) { return 0.125; }; }},
        {.id = "scale_root_rounded",
         .decision = "scale",
         .title = "√head_dim is rounded down to an integer",
         .right = "the root should stay a floating-point number",
         .symptom = "invisible where head_dim is a square, such as 16 or 64; else weights are a little too sharp",
         .question = "What is the type of the variable that holds the root?",
         .make =
             [](Choices& c) {
                 c.scoring.factor = [](const Widths& w) { return 1 / std::floor(std::sqrt(static_cast<double>(w.d))); };
             }},
        {.id = "scale_root_to_the_nearest",
         .decision = "scale",
         .title = "√head_dim is rounded to the nearest integer",
         .right = "the root should stay a floating-point number",
         .symptom =
             "invisible where head_dim is a square, such as 16 or 64; else weights are a little too sharp or too flat",
         .question = "What is √8, and what do you divide by?",
         .make =
             [](Choices& c) {
                 c.scoring.factor = [](const Widths& w) { return 1 / std::round(std::sqrt(static_cast<double>(w.d))); };
             }},
        {.id = "scale_integer_division",
         .decision = "scale",
         .title = "1 / √head_dim is an integer division: the scale is 0, so all scores are 0",
         .right = "1.0F / √head_dim keeps the fraction",
         .symptom = "every query attends to all keys alike",
         .question = "What is 1 / 5 in C++?",
         .make = [](Choices& c) { c.scoring.factor = [](const Widths&) { return 0.0; }; }},
        {.id = "scale_integer_division_by_rounded_root",
         .decision = "scale",
         .title = "1 / √head_dim is a division of integers: 1 for head_dim below 4, 0 for every other",
         .right = "1.0F / √head_dim keeps the fraction",
         .symptom = "every query attends to all keys alike, save in the tiny examples one tries by hand",
         .question = "What are the types on both sides of your division, and what is 1 / 2 in C++?",
         .make = [](Choices& c) { c.scoring.factor = [](const Widths& w) { return w.d < 4 ? 1.0 : 0.0; }; }},
        {.id = "scale_from_default_head_dim",
         .decision = "scale",
         .title = "scores are divided by √(D / H) even where head_dim was chosen apart",
         .right = "they should be divided by the root of the head_dim that q and k really have",
         .symptom = "invisible with the default head_dim",
         .question = "What is head_dim where the option sets it?",
         .make = [](Choices& c) { c.scoring.factor = [](const Widths& w) { return inverse_root(w.default_d); }; }},
        {.id = "scale_sqrt_inner_width",
         .decision = "scale",
         .title = "scores are divided by √(num_heads · head_dim), the width before the split",
         .right = "they should be divided by √head_dim, the width after the split",
         .symptom = "softmax gets too flat; nothing crashes",
         .question = "Do you read the width of q before or after it is split into heads?",
         .shipped = {"Set Transformer: https://github.com/juho-lee/set_transformer/issues/18"},
         .make = [](Choices& c) { c.scoring.factor = [](const Widths& w) { return inverse_root(w.H * w.d); }; }},
        {.id = "scale_squared",
         .decision = "scale",
         .title = "scores are divided by head_dim² instead of its root",
         .right = "they should be divided by √head_dim",
         .symptom = "softmax is flat: every key counts alike",
         .question = "Is ^ or pow(x, 2) a root?",
         .make =
             [](Choices& c) { c.scoring.factor = [](const Widths& w) { return 1 / static_cast<double>(w.d * w.d); }; }},
        {.id = "scale_fourth_root",
         .decision = "scale",
         .title = "scores are divided by head_dim^¼: only one of q and k is scaled",
         .right = "scaling q by d^-¼ needs k scaled by d^-¼ too, so that scores are divided by √head_dim",
         .symptom = "softmax is too sharp; nothing crashes",
         .question = "Which of q and k did you scale, and by what?",
         .make = [](Choices& c) { c.scoring.factor = [](const Widths& w) { return std::sqrt(inverse_root(w.d)); }; }},
        {.id = "scale_negative",
         .decision = "scale",
         .title = "scores have the wrong sign",
         .right = "the most similar key should get the largest weight",
         .symptom = "every query attends most to what fits it least",
         .question = "Which key should the largest weight go to?",
         .make = [](Choices& c) { c.scoring.factor = [](const Widths& w) { return -inverse_root(w.d); }; }},
        {.id = "scale_sqrt_batch",
         .decision = "scale",
         .title = "scores are divided by √B, the batch size",
         .right = "they should be divided by √head_dim",
         .symptom = "the same sentence gets other weights in another batch",
         .question = "Which axis does size(...) read there?",
         .make = [](Choices& c) { c.scoring.factor = [](const Widths& w) { return inverse_root(w.B); }; }},
        {.id = "scale_at_least_two",
         .decision = "scale",
         .title = "scores are divided by no less than 2, also where √head_dim is smaller",
         .right = "they should be divided by √head_dim, however narrow a head is",
         .symptom = "right from head_dim = 4 on; with narrower heads softmax is too flat",
         .question = "By what do you divide where head_dim is 1?",
         .make =
             [](Choices& c) {
                 c.scoring.factor = [](const Widths& w) { return inverse_root(std::max<Index>(w.d, 4)); };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
