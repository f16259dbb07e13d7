// What the gradients of q and k are multiplied by on the way back.
#include "suites/07_backward/gradients.hpp"

#include "diagnosis/catalogue.hpp"

#include <cmath>

namespace headway::diagnosis {
namespace {

constexpr const char* both_scaled = "the gradients of q and of k are divided by √head_dim, as scores were";

constexpr const char* alike = "Do q and k enter the scores alike?";

// What the gradients are multiplied with, given the widths of a key and of a value.
double one(Index, Index) { return 1; }
double by_width(Index d, Index) { return 1 / static_cast<double>(d); }
double by_root_of_padded_width(Index d, Index) {
    const Index padded = (d + 7) / 8 * 8;
    return 1 / std::sqrt(static_cast<double>(padded));
}

double by_root_of_value_width(Index, Index d_v) { return 1 / std::sqrt(static_cast<double>(d_v)); }
double times_root(Index d, Index) { return std::sqrt(static_cast<double>(d)); }

template <double (*factor)(Index, Index)>
void for_queries(Choices& c) {
    c.change<Gradients>().factor_of_queries = factor;
}

template <double (*factor)(Index, Index)>
void for_keys(Choices& c) {
    c.change<Gradients>().factor_of_keys = factor;
}

template <double (*factor)(Index, Index)>
void for_both(Choices& c) {
    for_queries<factor>(c);
    for_keys<factor>(c);
}

}  // namespace

namespace chapters {

Chapter gradient_scale() {
    static constexpr Decision decisions[] = {
        {.id = "gradient_scale",
         .stage = Stage::scale,
         .lesson = {{"07", "What people get wrong"}},
         .pseudocode =
             "grad_q = grad_scores / sqrt(d) · k; grad_k = (grad_scores / sqrt(d))ᵀ · q: the d of the way forward"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "gradient_scale_missing",
         .decision = "gradient_scale",
         .title = "the gradients of q and k are not divided by √head_dim",
         .right = both_scaled,
         .symptom = "both are too large by √head_dim",
         .question = "What stood between q·k and the scores on the way forward?",
         .make = &for_both<&one>},
        {.id = "gradient_scale_missing_for_keys",
         .decision = "gradient_scale",
         .title = "the gradient of q is divided by √head_dim, that of k is not",
         .right = both_scaled,
         .symptom = "k learns √head_dim times too fast",
         .question = alike,
         .make = &for_keys<&one>},
        {.id = "gradient_scale_missing_for_queries",
         .decision = "gradient_scale",
         .title = "the gradient of k is divided by √head_dim, that of q is not",
         .right = both_scaled,
         .symptom = "q learns √head_dim times too fast",
         .question = alike,
         .make = &for_queries<&one>},
        {.id = "gradient_scaled_twice",
         .decision = "gradient_scale",
         .title = "the gradients of q and k are divided by head_dim itself: the root is missing, or the scale is "
                  "applied twice",
         .right = both_scaled,
         .symptom = "both are too small by √head_dim",
         .question = "By what is divided on the way back, and how often?",
         .make = &for_both<&by_width>},
        {.id = "gradient_scaled_twice_for_keys",
         .decision = "gradient_scale",
         .title = "the gradient of k is divided by head_dim, that of q by √head_dim: for k the root is missing, or the "
                  "scale is applied twice",
         .right = both_scaled,
         .symptom = "k learns √head_dim times too slowly",
         .question = alike,
         .make = &for_keys<&by_width>},
        {.id = "gradient_scaled_twice_for_queries",
         .decision = "gradient_scale",
         .title = "the gradient of q is divided by head_dim, that of k by √head_dim: for q the root is missing, or the "
                  "scale is applied twice",
         .right = both_scaled,
         .symptom = "q learns √head_dim times too slowly",
         .question = alike,
         .make = &for_queries<&by_width>},
        {.id = "gradient_scale_of_padded_width",
         .decision = "gradient_scale",
         .title = "the scale on the way back uses head_dim rounded up to a multiple of 8",
         .right = both_scaled,
         .symptom = "right where 8 divides head_dim; else too small, by two fifths for head_dim 3",
         .question = "Is the width on the way back that of the way forward?",
         .make = &for_both<&by_root_of_padded_width>},
        {.id = "gradient_scale_of_value_width",
         .decision = "gradient_scale",
         .title = "the scale on the way back is the root of d_v, the width of a value, not of head_dim",
         .right = both_scaled,
         .symptom = "right while values are as wide as keys, as they are in the module",
         .question = "Which width was summed over in q·k?",
         .make = &for_both<&by_root_of_value_width>},
        {.id = "gradient_scale_of_value_width_for_keys",
         .decision = "gradient_scale",
         .title = "the gradient of k is divided by the root of d_v, the width of a value; that of q by √head_dim",
         .right = both_scaled,
         .symptom = "right while values are as wide as keys, as they are in the module",
         .question = "Which width was summed over in q·k?",
         .make = &for_keys<&by_root_of_value_width>},
        {.id = "gradient_scale_of_value_width_for_queries",
         .decision = "gradient_scale",
         .title = "the gradient of q is divided by the root of d_v, the width of a value; that of k by √head_dim",
         .right = both_scaled,
         .symptom = "right while values are as wide as keys, as they are in the module",
         .question = "Which width was summed over in q·k?",
         .make = &for_queries<&by_root_of_value_width>},
        {.id = "gradient_scale_missing_for_the_mean",
         .decision = "gradient_scale",
         .title = "the gradient of the weights is divided by √head_dim, the row mean that is subtracted from it is not",
         .right = "divide both by √head_dim, or their difference: weight · (gradient - mean) / √head_dim",
         .symptom = "v is right; the gradients of a row of scores do not sum to 0, so those of q and k are wrong",
         .question = "Of the two numbers that you subtract from one another, which ones met √head_dim before?",
         .make = [](Choices& c) { c.change<Gradients>().mean_is_unscaled = true; }},
        {.id = "gradient_scale_multiplied",
         .decision = "gradient_scale",
         .title = "the gradients of q and k are multiplied by √head_dim instead of divided by it",
         .right = both_scaled,
         .symptom = "both are too large by head_dim",
         .question = "What is the derivative of x/√head_dim by x?",
         .make = &for_both<&times_root>},
        {.id = "gradient_scale_multiplied_for_keys",
         .decision = "gradient_scale",
         .title = "the gradient of k is multiplied by √head_dim instead of divided by it; that of q is right",
         .right = both_scaled,
         .symptom = "k learns head_dim times too fast",
         .question = alike,
         .make = &for_keys<&times_root>},
        {.id = "gradient_scale_multiplied_for_queries",
         .decision = "gradient_scale",
         .title = "the gradient of q is multiplied by √head_dim instead of divided by it; that of k is right",
         .right = both_scaled,
         .symptom = "q learns head_dim times too fast",
         .question = alike,
         .make = &for_queries<&times_root>},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
