// Hidden tests of exercise 04.        B batch · H heads · T tokens · D model width · d = D / H
#include "reference/attention.hpp"
#include "student/hidden_test.hpp"

#include <cmath>

namespace headway::judge {
namespace {

using reference::Array;
using reference::exact;
using reference::to_tensor;

HIDDEN_SUITE(MergeHeads);

const CheckedPart merged_axes{"merged features", Stage::merge, {"b", "token", "feature"}};
const CheckedPart projected_axes{"projected features", Stage::output, {"b", "token", "feature"}};
const CheckedPart output_axes{"outputs", Stage::output, {"b", "token", "feature"}};

struct Inputs {
    Sizes n;
    Tensor x, w_q, w_k, w_v, w_o;

    Inputs(Random& random, const Sizes& sizes)
        : n(sizes),
          x(random_tensor(random, {n.B, n.T, n.D()})),
          w_q(weight(random)),
          w_k(weight(random)),
          w_v(weight(random)),
          w_o(weight(random)) {}

    void enlarge_last_token() const {
        Tensor last = x.slice(1, n.T - 1, n.T);
        last *= 40.0F;
    }
    void lower_scores() const {
        x.select(2, 0).fill(1);
        bring_scores_to(low_score, n.H, w_q.transpose(0, 1), w_k.transpose(0, 1));
    }
    Arguments with(const Mask& mask) const {
        return {{"x", x}, {"w_q", w_q}, {"w_k", w_k}, {"w_v", w_v}, {"w_o", w_o}, {"num_heads", n.H}, {"mask", mask}};
    }

    Array heads(const Tensor& w) const { return reference::split_heads(reference::matmul(exact(x), exact(w)), n.H); }
    Array context(const Mask& mask) const {
        return reference::attention(heads(w_q), heads(w_k), heads(w_v), mask).context;
    }
    Array expected(const Mask& mask) const {
        return reference::matmul(reference::merge_heads(context(mask)), exact(w_o));
    }

private:
    /// Small enough that softmax does not saturate: a saturated softmax hides mistakes.
    Tensor weight(Random& random) const {
        return random_tensor(random, {n.D(), n.D()}) * (1.5F / std::sqrt(static_cast<float>(n.D())));
    }
};

/// What follows from the student's own merge_heads and project_output.
std::optional<Array> from_own_parts(Student& student, const Inputs& in, const Mask& mask) {
    const Outcome merged = student.outcome("merge_heads", {{"context", to_tensor(in.context(mask))}});
    if (merged.error) return std::nullopt;
    const Outcome projected =
        student.outcome("project_output", {{"merged", merged.value}, {"w_o", in.w_o}, {"b_o", Tensor{}}});
    const auto* tensor = std::get_if<Tensor>(&projected.value);
    return tensor == nullptr ? std::nullopt : std::optional(own(*tensor));
}

/// @param needs  what the answer has to change with where it is right only given the student's own parts
void expect_attention(Student& student, const Inputs& in, const Mask& mask, const Array& expected,
                      const Needs& needs = {}) {
    const FunctionCall call{"multi_head_attention", in.with(mask)};
    expect_close_given(
        student, output_axes, student.tensor(call.function, call.arguments), expected,
        {"merge_heads", "project_output"}, [&] { return from_own_parts(student, in, mask); },
        computes(student, call, "", needs));
}

void expect_merged(Student& student, const Tensor& heads) {
    expect_close(student, merged_axes, student.tensor("merge_heads", {{"context", heads}}),
                 reference::merge_heads(exact(heads)));
}

PROPERTY(MergeHeads, HeadsReturnToTheirFeatures, 2, "merging returns head h to features [h·d, (h+1)·d) of its token") {
    for (int round = 0; round < 2; ++round) {
        const Sizes n = random_sizes(random);
        const Tensor context = random_tensor(random, {n.B, n.H, n.T, n.d});
        const Tensor view = random_tensor(random, {n.B, n.T, n.H, n.d}).transpose(1, 2);
        for (const Tensor& heads : {context, view, context.slice(2, n.T - 1, n.T)}) expect_merged(student, heads);
    }
    for_every_relation(student, random, "B H T d D=H*d", [&](const AxisSizes& n, Random& own) {
        expect_merged(student, random_tensor(own, {n["B"], n["H"], n["T"], n["d"]}));
        expect_merged(student, random_tensor(own, {n["B"], n["T"], n["H"], n["d"]}).transpose(1, 2));
    });
}

PROPERTY(MergeHeads, OutputIsProjectedByWo, 1, "the output projection is merged·w_o") {
    const Sizes n = random_sizes(random);
    const Tensor merged = random_tensor(random, {n.B, n.T, n.D()});
    for (const Index D : {n.D(), n.S}) {
        const Tensor w_o = random_tensor(random, {n.D(), D});
        expect_close(student, projected_axes,
                     student.tensor("project_output", {{"merged", merged}, {"w_o", w_o}, {"b_o", Tensor{}}}),
                     reference::matmul(exact(merged), exact(w_o)));
    }
    for_every_relation(student, random, "B T E D", [&](const AxisSizes& sizes, Random& own) {
        const Tensor features = random_tensor(own, {sizes["B"], sizes["T"], sizes["E"]});
        const Tensor w_o = random_tensor(own, {sizes["E"], sizes["D"]});
        expect_close(student, projected_axes,
                     student.tensor("project_output", {{"merged", features}, {"w_o", w_o}, {"b_o", Tensor{}}}),
                     reference::matmul(exact(features), exact(w_o)));
    });
}

void expect_bias(Student& student, const Tensor& merged, const Tensor& w_o, const Tensor& b_o) {
    const FunctionCall call{"project_output", {{"merged", merged}, {"w_o", w_o}, {"b_o", b_o}}};
    const Tensor actual = student.tensor(call.function, call.arguments);
    const Array expected = reference::add(reference::matmul(exact(merged), exact(w_o)), exact(b_o));
    const auto from_own_product = [&]() -> std::optional<Array> {
        const Outcome without =
            student.outcome("project_output", {{"merged", merged}, {"w_o", w_o}, {"b_o", Tensor{}}});
        const auto* product = std::get_if<Tensor>(&without.value);
        if (product == nullptr || product->shape() != expected.shape) return std::nullopt;
        return reference::add(own(*product), exact(b_o));
    };
    expect_close_given(student, projected_axes, actual, expected, {"project_output"}, from_own_product,
                       computes(student, call));
}

STATES(MergeHeads, BiasIsAddedOnce, "output_bias");
PROPERTY(MergeHeads, BiasIsAddedOnce, 1, "the bias is added once, after the projection") {
    const Sizes n = random_sizes(random);
    const Tensor merged = random_tensor(random, {n.B, n.T, n.D()});
    const Tensor w_o = random_tensor(random, {n.D(), n.D()});
    expect_bias(student, merged, w_o, random_tensor(random, {n.D()}) + 1.0F);
    for_every_relation(student, random, "B T E D", [&](const AxisSizes& sizes, Random& own) {
        expect_bias(student, random_tensor(own, {sizes["B"], sizes["T"], sizes["E"]}),
                    random_tensor(own, {sizes["E"], sizes["D"]}), random_tensor(own, {sizes["D"]}) + 1.0F);
    });
}

PROPERTY(MergeHeads, AttentionRunsInEveryHead, 2, "attention runs in every head on projected q, k and v") {
    for (int round = 0; round < 2; ++round) {
        const Inputs in(random, random_sizes(random));
        expect_attention(student, in, Mask{}, in.expected(Mask{}));
    }
    for_every_relation(student, random, "B H T d D=H*d", [&](const AxisSizes& n, Random& own) {
        const Inputs in(own, n.sizes());
        expect_attention(student, in, Mask{}, in.expected(Mask{}));
    });
}

/// @return false if the test ends here, on credit
bool expect_masked(Student& student, const Inputs& in, const Mask& mask) {
    const Tensor actual = student.tensor("multi_head_attention", in.with(mask));
    const Array expected = in.expected(mask);
    const auto failure = what_is_wrong(student, output_axes, actual, expected);
    if (!failure) return true;
    // Wrong without a mask too, in the same way? Then it is not the mask.
    const Outcome unmasked =
        student.outside_story([&] { return student.outcome("multi_head_attention", in.with(Mask{})); });
    const auto* tensor = std::get_if<Tensor>(&unmasked.value);
    const bool wrong_unmasked = tensor != nullptr && difference(output_axes, *tensor, in.expected(Mask{}));
    const bool mask_matters = student.test_record().has_computed || tensor == nullptr ||
                              difference(output_axes, *tensor, exact(actual)).has_value();
    if (!wrong_unmasked || !mask_matters) fail(*failure);
    pass_on_credit(student, {"multi_head_attention", "merge_heads", "project_output"}, *failure, expected,
                   computes(student, {"multi_head_attention", in.with(mask)}, "", {.mask = true, .linear_in = "w_o"}));
    return false;
}

STATES(MergeHeads, MasksReachEveryHead, "mask");
PROPERTY(MergeHeads, MasksReachEveryHead, 1, "masks reach every head and every sequence of the batch") {
    Inputs in(random, random_sizes(random));
    Shape lengths(static_cast<std::size_t>(in.n.B));
    for (Index& length : lengths) length = random.integer(1, in.n.T);
    const Mask causal = reference::causal_mask(in.n.T, in.n.T);
    for (const Mask& mask :
         {causal, reference::padding_mask(lengths, in.n.T), random_mask(random, {in.n.B, in.n.H, in.n.T, in.n.T})})
        if (!expect_masked(student, in, mask)) return;
    // What is blocked must not count in any way, however large: the last token, for all before it.
    in.enlarge_last_token();
    if (!expect_masked(student, in, causal)) return;
    Sizes narrow = random_sizes(random);
    narrow.d = 2;  // wider, such scores are less well known
    Inputs low(random, narrow);
    low.lower_scores();
    if (!expect_masked(student, low, random_mask(random, {low.n.T, low.n.T}))) return;
    const Sizes n = random_sizes(random);
    for_every_mask(student, random, {n.B, n.H, n.T, n.T},
                   [&](const Mask& mask, Random& own) { expect_masked(student, Inputs(own, n), mask); });
    for_every_relation(student, random, "B H T d D=H*d", [&](const AxisSizes& sizes, Random& own) {
        const Mask mask = mask_of_any_form(own, {sizes["B"], sizes["H"], sizes["T"], sizes["T"]});
        expect_masked(student, Inputs(own, sizes.sizes()), mask);
    });
}

PROPERTY(MergeHeads, OneProjectionIsTheHeadsSideBySide, 1,
         "one (D, D) projection is H projections (D, d) side by side") {
    const Sizes n = random_sizes(random);
    const Inputs in(random, n);
    const auto piece = [&](const Tensor& w, Index h) { return w.slice(1, h * n.d, (h + 1) * n.d); };
    const Array x = exact(in.x);
    Array expected{{n.B, n.T, n.D()}, {}, {}};
    for (Index h = 0; h < n.H; ++h) {
        const auto head = reference::attention(reference::matmul(x, exact(piece(in.w_q, h))),
                                               reference::matmul(x, exact(piece(in.w_k, h))),
                                               reference::matmul(x, exact(piece(in.w_v, h))), Mask{});
        const Array part = reference::matmul(head.context, exact(in.w_o.slice(0, h * n.d, (h + 1) * n.d)));
        expected = h == 0 ? part : reference::add(expected, part);
    }
    expect_attention(student, in, Mask{}, expected);
}

PROPERTY(MergeHeads, WoMixesWhatHeadsKeepApart, 1, "with w_o = I each head's features stay its own; w_o mixes them") {
    Inputs in(random, random_sizes(random));
    in.w_o = Tensor::eye(in.n.D());
    const Needs needs{.numbers = {"x", "w_v", "w_o"}, .linear_in = "w_o"};
    expect_attention(student, in, Mask{}, in.expected(Mask{}), needs);
    in.w_o = Tensor::zeros({in.n.D(), in.n.D()});
    // Feature 0 of the output gathers the last feature of every head.
    for (Index h = 0; h < in.n.H; ++h) in.w_o((h + 1) * in.n.d - 1, 0) = static_cast<float>(h + 1);
    expect_attention(student, in, Mask{}, in.expected(Mask{}), needs);
}

PROPERTY(MergeHeads, CallsAreCleanAndShapesChecked, 1,
         "shapes that do not fit are refused, strides change no answer; arguments and later calls are left alone") {
    const Inputs in(random, random_sizes(random));
    const Sizes& n = in.n;
    expect_untouched(student, {{"merge_heads", {{"context", to_tensor(in.context(Mask{}))}}},
                               {"project_output", {{"merged", in.x}, {"w_o", in.w_o}, {"b_o", Tensor::ones({n.D()})}}},
                               {"multi_head_attention", in.with(random_mask(random, {n.T, n.T}))}});
    expect_same_if_repeated(student, {"merge_heads", {{"context", to_tensor(in.context(Mask{}))}}}, "context", 2);
    expect_same_if_repeated(student, {"multi_head_attention", in.with(Mask{})}, "x", 0);
    // A bias that is spread over one token is no copy.
    const Tensor token = random_tensor(random, {1, 1, n.D()});
    expect_untouched(student,
                     {{"project_output", {{"merged", token}, {"w_o", in.w_o}, {"b_o", Tensor::ones({n.D()})}}}});
    student.refuses_index("merge_heads", {{"context", in.x}}, "context must be of shape (B, H, T, d)");
    student.refuses_index("merge_heads", {{"context", random_tensor(random, {n.B, n.H, n.T, n.d, 2})}},
                          "context has five axes, not (B, H, T, d)");
    student.refuses("project_output",
                    {{"merged", in.x}, {"w_o", random_tensor(random, {n.D() + 1, n.D()})}, {"b_o", Tensor{}}},
                    "w_o has more rows than merged has features");
    student.refuses("project_output", {{"merged", in.x}, {"w_o", in.w_o}, {"b_o", random_tensor(random, {n.D() - 1})}},
                    "b_o is shorter than the output is wide");
    // As many numbers as the output is wide, and a shape that does not broadcast to it.
    for (const auto& [E, shape] : {std::pair<Index, Shape>{8, {2, 3}}, {4, {6, 1}}})
        student.refuses("project_output",
                        {{"merged", random_tensor(random, {2, 5, E})},
                         {"w_o", random_tensor(random, {E, 6})},
                         {"b_o", random_tensor(random, shape)}},
                        "b_o is " + headway::to_string(shape) + ", not of shape (6)");
    Arguments uneven = in.with(Mask{});
    uneven[5].value = n.H * n.d + 1;
    student.refuses("multi_head_attention", uneven, "D is not divisible by num_heads");
    Arguments flat = in.with(Mask{});
    flat[0].value = in.x.select(0, 1);
    student.refuses_index("multi_head_attention", flat, "x must be of shape (B, T, D)");
    Arguments narrow = in.with(Mask{});
    narrow[1].value = random_tensor(random, {n.D() + n.H, n.D()});
    student.refuses("multi_head_attention", narrow, "w_q has more rows than x has features");
    refuses_uneven_heads(student, random, "multi_head_attention", in.with(Mask{}), n.D());
    refuses_misfits(student, random, "project_output",
                    {{"merged", in.x}, {"w_o", random_tensor(random, {n.D(), n.S})}, {"b_o", Tensor::ones({n.S})}},
                    "merged: B T E, w_o: E D, b_o: D", Broadcast::may_pass);
    refuses_misfits(student, random, "multi_head_attention", in.with(Mask{}),
                    "x: B T D, w_q: D D, w_k: D D, w_v: D D, w_o: D D");
    refuses_masks(student, random, {n.B, n.H, n.T, n.T}, "multi_head_attention",
                  [&](const Mask& mask) { return in.with(mask); });
}

}  // namespace
}  // namespace headway::judge
