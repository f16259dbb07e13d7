// After the heads: output projection, bias, residual; and what is refused.
#include "diagnosis/chapters.hpp"
#include "diagnosis/elements.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

using reference::add;
using reference::matmul;
using reference::transpose;

Array with_bias(const Projected& at, const Array& output) { return at.b_o == nullptr ? output : add(output, *at.b_o); }

}  // namespace

Chapter chapters::output() {
    static constexpr Decision decisions[] = {
        {.id = "output",
         .stage = Stage::output,
         .lesson = {{"04", "As a formula"}, {"05", "As a formula"}},
         .pseudocode = "output (B,T,D) = merged (B,T,E) · w_o (E,D) + b_o (D)"},
        {.id = "output_bias",
         .stage = Stage::output,
         .lesson = {{"04", "As a formula"}, {"05", "As a formula"}},
         .pseudocode = "output (B,T,D) = (merged · w_o) + b_o (D): once, after the product"},
        {.id = "output_finish",
         .stage = Stage::output,
         .lesson = {{"04", "As a formula"}, {"05", "As a formula"}},
         .pseudocode = "output = merged · w_o + b_o, and nothing more"},
        {.id = "output_sum",
         .stage = Stage::output,
         .lesson = {{"04", "As a formula"}},
         .pseudocode = "merged (B,T,H·d) · w_o (H·d,D) = sum over h of context_h (B,T,d) · w_o[h·d : (h+1)·d, :]"},
        {.id = "residual",
         .stage = Stage::output,
         .lesson = {{"01", "Edit, do not replace"}},
         .pseudocode = "(T,D) + (T,D): x + attended, element by element"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "output_weight_missing",
         .decision = "output",
         .title = "the output projection is missing: merged heads are returned as they are",
         .right = "output = merged · w_o",
         .symptom = "heads are never mixed; training never changes w_o",
         .question = "Does w_o change your output?",
         .shipped = {"ethen8181/machine-learning: https://github.com/ethen8181/machine-learning/issues/13"},
         .make =
             [](Choices& c) {
                 c.output.product = [](const Projected& at) { return at.merged; };
                 c.output.bias = [](const Array& product, const Projected&) { return product; };
             }},
        {.id = "output_weight_transposed",
         .decision = "output",
         .title = "merged heads are multiplied with the transpose of w_o",
         .right = "function arguments are (in, out): merged · w_o",
         .symptom = "nothing crashes where w_o is square",
         .question = "Is element [i, j] of w_o from input i to output j, or the other way round?",
         .make =
             [](Choices& c) {
                 c.output.product = [](const Projected& at) { return matmul(at.merged, transpose(at.w_o, 0, 1)); };
             }},
        {.id = "output_bias_missing",
         .decision = "output_bias",
         .title = "the output bias is not added",
         .right = "output = merged · w_o + b_o",
         .symptom = "nothing crashes; training never changes b_o",
         .question = "Does b_o change your output?",
         .make = [](Choices& c) { c.output.bias = [](const Array& product, const Projected&) { return product; }; }},
        {.id = "output_bias_twice",
         .decision = "output_bias",
         .title = "the output bias is added twice",
         .right = "add it once",
         .symptom = "training hides it; numbers that someone else trained are off",
         .question = "Which functions on the way add b_o?",
         .make =
             [](Choices& c) {
                 c.output.bias = [](const Array& product, const Projected& at) {
                     return with_bias(at, with_bias(at, product));
                 };
             }},
        {.id = "output_bias_once_a_head",
         .decision = "output_bias",
         .title = "the output bias is added once for every head",
         .right = "add it once, after the heads are summed",
         .symptom = "training hides it; numbers that someone else trained are off",
         .question = "Is the bias added inside or after your loop over heads?",
         .make =
             [](Choices& c) {
                 c.output.bias = [](const Array& product, const Projected& at) {
                     Array output = product;
                     for (Index h = 0; h < at.H; ++h) output = with_bias(at, output);
                     return output;
                 };
             }},
        {.id = "output_bias_once_a_feature",
         .decision = "output_bias",
         .title = "the output bias is added once for every feature of the sum",
         .right = "add it once, after the sum over features",
         .symptom = "training hides it; numbers that someone else trained are off",
         .question = "Is the bias added inside or after your loop over features?",
         .make =
             [](Choices& c) {
                 c.output.bias = [](const Array& product, const Projected& at) {
                     Array output = product;
                     for (Index e = 0; e < at.merged.size(-1); ++e) output = with_bias(at, output);
                     return output;
                 };
             }},
        {.id = "output_bias_before_projection",
         .decision = "output_bias",
         .title = "the bias is added before the output projection",
         .right = "output = merged · w_o + b_o",
         .symptom = "the bias is mixed by w_o; nothing crashes where E = D",
         .question = "In which order do multiplication and addition happen?",
         .make = [](Choices& c) { c.output.bias_first = true; }},
        {.id = "output_bias_subtracted",
         .decision = "output_bias",
         .title = "the output bias is subtracted",
         .right = "output = merged · w_o + b_o",
         .symptom = "training hides it; numbers that someone else trained are off",
         .question = "Which sign has b_o?",
         .make =
             [](Choices& c) {
                 c.output.bias = [](const Array& product, const Projected& at) {
                     return at.b_o == nullptr ? product : add(product, reference::scale(*at.b_o, -1));
                 };
             }},
        {.id = "output_relu",
         .decision = "output_finish",
         .title = "a ReLU follows the output projection",
         .right = "the output projection is linear",
         .symptom = "the module can only add, never take away",
         .question = "Can your output be negative?",
         .shipped = {"keras-multi-head: https://github.com/CyberZHG/keras-multi-head/issues/8"},
         .make =
             [](Choices& c) {
                 c.output.finish = [](const Array& output, const Projected&) {
                     return mapped(output, [](double x) { return x > 0 ? x : 0; });
                 };
             }},
        {.id = "output_sum_goes_on",
         .decision = "output_finish",
         .title = "the sum is not set back to 0 for each output feature: it goes on from the one before",
         .right = "begin the sum anew with every output feature",
         .symptom = "feature 0 is right, each later one holds all before it too",
         .question = "Where is the variable of your sum declared: outside or inside the loop over output features?",
         .make =
             [](Choices& c) {
                 c.output.finish = [](const Array& output, const Projected&) {
                     Array sums = output;
                     for (std::size_t i = 0; i < sums.value.size(); ++i) {
                         if (i % static_cast<std::size_t>(sums.size(-1)) == 0) continue;
                         sums.value[i] += sums.value[i - 1];
                         sums.error[i] += sums.error[i - 1] + reference::unit_roundoff * std::abs(sums.value[i]);
                     }
                     return sums;
                 };
             }},
        {.id = "output_projected_twice",
         .decision = "output",
         .title = "the output projection is applied twice",
         .right = "output = merged · w_o",
         .symptom = "nothing crashes where w_o is square",
         .question = "Which functions on the way multiply by w_o?",
         .make =
             [](Choices& c) {
                 c.output.product = [](const Projected& at) { return matmul(matmul(at.merged, at.w_o), at.w_o); };
             }},
        {.id = "output_heads_never_mixed",
         .decision = "output",
         .title = "each head is projected by its own diagonal block of w_o: heads never mix",
         .right = "output = merged · w_o, the whole of it",
         .symptom = "what heads found stays apart",
         .question = "Does feature 0 of the output depend on the last head?",
         .make =
             [](Choices& c) {
                 c.output.product = [](const Projected& at) {
                     const Index rows = at.w_o.size(0) / at.H;
                     const Index columns = at.w_o.size(1) / at.H;
                     if (rows < 1 || columns < 1) throw std::invalid_argument("fewer features than heads");
                     Array w = at.w_o;
                     each(w.shape, [&](Coordinate where, std::size_t i) {
                         if (where[0] / rows != where[1] / columns) w.value[i] = 0;
                     });
                     return matmul(at.merged, w);
                 };
             }},
        {.id = "output_rows_one_apart",
         .decision = "output",
         .title = "the rows of w_o that a head meets begin at h, not at h·d: the rows of neighbouring heads overlap",
         .right = "head h meets rows [h·d, (h+1)·d) of w_o",
         .symptom = "right for one head, and for heads of width 1; else most of w_o is never used",
         .question = "Which rows of w_o does head 1 meet?",
         .make =
             [](Choices& c) {
                 c.output.product = [](const Projected& at) {
                     const Index d = at.merged.size(-1) / at.H;
                     if (d < 1) throw std::invalid_argument("fewer features than heads");
                     return matmul(
                         at.merged, gathered(at.w_o, at.w_o.shape, [&](Coordinate where) {
                             return static_cast<std::size_t>((where[0] / d + where[0] % d) * at.w_o.size(1) + where[1]);
                         }));
                 };
             }},
        {.id = "output_rows_of_first_head",
         .decision = "output",
         .title = "every head is projected with the first head's rows of w_o",
         .right = "head h meets rows [h·d, (h+1)·d) of w_o",
         .symptom = "heads are summed, not mixed; most of w_o is never used",
         .question = "Which rows of w_o does head 1 meet?",
         .make =
             [](Choices& c) {
                 c.output.product = [](const Projected& at) {
                     const Index rows = at.w_o.size(0) / at.H;
                     const Array w = gathered(at.w_o, at.w_o.shape, [&](Coordinate where) {
                         const Index from[] = {where[0] % rows, where[1]};
                         return position(at.w_o.shape, from);
                     });
                     return matmul(at.merged, w);
                 };
             }},
        {.id = "output_divided_by_heads",
         .decision = "output_sum",
         .title = "the heads' outputs are averaged instead of added",
         .right = "output = merged · w_o: a sum over the heads",
         .symptom = "the output is num_heads times too small",
         .question = "By how much does your output shrink with every head?",
         .make =
             [](Choices& c) {
                 c.merging.merge = [](const Array& context) {
                     return reference::scale(right().merging.merge(context), 1 / static_cast<double>(context.size(1)));
                 };
             }},
        {.id = "output_uses_value_weight",
         .decision = "output",
         .title = "the output is projected with w_v instead of w_o",
         .right = "output = merged · w_o",
         .symptom = "training never changes w_o; nothing crashes where weights are square",
         .question = "Does w_o change your output?",
         .make =
             [](Choices& c) {
                 c.output.product = [](const Projected& at) {
                     return matmul(at.merged, at.w_v == nullptr ? at.w_o : *at.w_v);
                 };
             }},
        {.id = "residual_added_inside",
         .decision = "output_finish",
         .title = "the input is added to the output",
         .right = "the residual belongs to the block around attention",
         .symptom = "the block adds the token twice",
         .question = "Does the formula of multi-head attention contain x by itself?",
         .make =
             [](Choices& c) {
                 c.output.finish = [](const Array& output, const Projected& at) { return add(output, at.query); };
             }},
        {.id = "residual_missing",
         .decision = "residual",
         .title = "the residual is missing: attention replaces the token",
         .right = "x + attended",
         .symptom = "deep stacks do not train",
         .question = "Where is x in your result?",
         .make = [](Choices& c) { c.residual.add = [](const Array&, const Array& attended) { return attended; }; }},
        {.id = "residual_only",
         .decision = "residual",
         .title = "the attended vector is missing: the token comes back unchanged",
         .right = "x + attended",
         .symptom = "attention has no effect",
         .question = "Where is attended in your result?",
         .make = [](Choices& c) { c.residual.add = [](const Array& x, const Array&) { return x; }; }},
        {.id = "residual_twice",
         .decision = "residual",
         .title = "x is added twice",
         .right = "x + attended",
         .symptom = "attention has too little effect",
         .question = "How often is x in your result?",
         .shipped = {"darknet-pytorch: https://github.com/yakhyo/darknet-pytorch/issues/2"},
         .make =
             [](Choices& c) {
                 c.residual.add = [](const Array& x, const Array& attended) { return add(add(x, x), attended); };
             }},
        {.id = "attended_twice",
         .decision = "residual",
         .title = "the attended vector is added to itself",
         .right = "x + attended",
         .symptom = "the token is lost, as without a residual",
         .question = "Is x still x when you add it?",
         .shipped = {"BitNet: https://github.com/kyegomez/BitNet/issues/32",
                     "TorchMultimodal: https://github.com/facebookresearch/multimodal/pull/305"},
         .make =
             [](Choices& c) {
                 c.residual.add = [](const Array&, const Array& attended) { return add(attended, attended); };
             }},
        {.id = "residual_averaged",
         .decision = "residual",
         .title = "x and the attended vector are averaged instead of added",
         .right = "x + attended",
         .symptom = "the token fades by half in every layer",
         .question = "What is your result if attended is 0?",
         .make =
             [](Choices& c) {
                 c.residual.add = [](const Array& x, const Array& attended) {
                     return reference::scale(add(x, attended), 0.5);
                 };
             }},
        {.id = "residual_subtracted",
         .decision = "residual",
         .title = "the attended vector is subtracted",
         .right = "x + attended",
         .symptom = "training turns the sign; weights that someone else trained give nonsense",
         .question = "Which sign has attended?",
         .make =
             [](Choices& c) {
                 c.residual.add = [](const Array& x, const Array& attended) {
                     return add(x, reference::scale(attended, -1));
                 };
             }},
        {.id = "residual_multiplied",
         .decision = "residual",
         .title = "x and the attended vector are multiplied",
         .right = "x + attended",
         .symptom = "tokens explode or vanish",
         .question = "What is your result if attended is 0?",
         .make =
             [](Choices& c) {
                 c.residual.add = [](const Array& x, const Array& attended) {
                     Array product = x;
                     for (std::size_t i = 0; i < x.value.size(); ++i) {
                         product.value[i] *= attended.value.at(i);
                         product.error[i] = std::abs(product.value[i]) * 4 * reference::unit_roundoff;
                     }
                     return product;
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
