// Hidden tests of exercise 03.        B batch · H heads · T queries · S keys · d head_dim · d_v value width
#include "reference/attention.hpp"
#include "student/hidden_test.hpp"
#include "student/record_field.hpp"

namespace headway::judge {
namespace {

using reference::Array;
using reference::exact;
using reference::to_tensor;

HIDDEN_SUITE(ScaledScores);

const CheckedPart scores_axes{"scores", Stage::scale, {"b", "h", "query", "key"}};
const CheckedPart weights_axes{"weights", Stage::softmax, {"b", "h", "query", "key"}};
const CheckedPart masked_axes{"masked weights", Stage::mask, {"b", "h", "query", "key"}};
const CheckedPart context_axes{"context vectors", Stage::weigh, {"b", "h", "query", "feature"}};

/// (B, H, T, d) as split_heads leaves it: a view of (B, T, H, d), not contiguous.
Tensor split_view(Random& random, Index B, Index H, Index T, Index d) {
    return random_tensor(random, {B, T, H, d}).transpose(1, 2);
}

struct Inputs {
    Tensor q, k, v;

    Inputs(Random& random, const Sizes& n)
        : q(split_view(random, n.B, n.H, n.T, n.d)),
          k(split_view(random, n.B, n.H, n.S, n.d)),
          v(split_view(random, n.B, n.H, n.S, n.d_v)) {}

    Arguments with(const Mask& mask) const { return {{"q", q}, {"k", k}, {"v", v}, {"mask", mask}}; }
};

Sizes sizes_with(Random& random, bool more_queries_than_keys) {
    Sizes n = random_sizes(random);
    if ((n.T > n.S) != more_queries_than_keys) std::swap(n.T, n.S);
    return n;
}

void expect_scores(Student& student, const Tensor& q, const Tensor& k) {
    expect_close(student, scores_axes, student.tensor("attention_scores", {{"q", q}, {"k", k}}),
                 reference::scores(exact(q), exact(k)));
}

PROPERTY(ScaledScores, ScoresAreDividedBySqrtHeadDim, 2, "scores are q·kᵀ divided by √head_dim") {
    for (int round = 0; round < 3; ++round) {
        const Sizes n = random_sizes(random);
        const Inputs in(random, n);
        expect_scores(student, in.q, in.k);
    }
    for (const Index d : {1, 2, 3})
        expect_scores(student, random_tensor(random, {3, 2, 5, d}), random_tensor(random, {3, 2, 6, d}));
    for_every_relation(student, random, "B H T S d", [&](const AxisSizes& n, Random& own) {
        const Inputs in(own, n.sizes());
        expect_scores(student, in.q, in.k);
    });
}

PROPERTY(ScaledScores, CausalMaskBlocksTheFuture, 1, "the causal mask blocks s > t + (S - T), and nothing else") {
    const Sizes n = random_sizes(random);
    for (const auto& [T, S] :
         {std::pair<Index, Index>{5, 5}, {3, 5}, {3, 7}, {7, 3}, {1, 6}, {6, 1}, {n.T, n.D()}, {n.D(), n.S}})
        expect_mask(student, {"causal mask", Stage::mask, {"query", "key"}},
                    student.mask("causal_mask", {{"T", T}, {"S", S}}), reference::causal_mask(T, S));
    for_every_relation(student, random, "T S", [&](const AxisSizes& sizes, Random&) {
        expect_mask(student, {"causal mask", Stage::mask, {"query", "key"}},
                    student.mask("causal_mask", {{"T", sizes["T"]}, {"S", sizes["S"]}}),
                    reference::causal_mask(sizes["T"], sizes["S"]));
    });
}

PROPERTY(ScaledScores, PaddingMaskBlocksKeysBehindTheEnd, 1, "the padding mask blocks keys s >= lengths[b]") {
    Shape random_lengths;
    for (int b = 0; b < 6; ++b) random_lengths.push_back(random.integer(0, 7));
    for (const Shape& lengths : {Shape{3, 7, 1, 5, 0}, Shape{2}, Shape{6, 6, 7}, random_lengths})
        expect_mask(student, {"padding mask", Stage::mask, {"b", "h", "query", "key"}},
                    student.mask("padding_mask", {{"lengths", lengths}, {"S", Index{7}}}),
                    reference::padding_mask(lengths, 7));
    for_every_relation(student, random, "B S", [&](const AxisSizes& n, Random& own) {
        Shape some(static_cast<std::size_t>(n["B"]));
        for (Index& length : some) length = own.integer(0, n["S"]);
        expect_mask(student, {"padding mask", Stage::mask, {"b", "h", "query", "key"}},
                    student.mask("padding_mask", {{"lengths", some}, {"S", n["S"]}}),
                    reference::padding_mask(some, n["S"]));
    });
}

void expect_softmax(Student& student, const CheckedPart& part, const Tensor& scores, const Mask& mask) {
    expect_close(student, part, student.tensor("masked_softmax", {{"scores", scores}, {"mask", mask}}),
                 reference::masked_softmax(exact(scores), mask));
}

PROPERTY(ScaledScores, SoftmaxRunsOverKeys, 1,
         "softmax runs over keys: small scores without a mask, laid out row by row, give weights that sum to 1") {
    for (int round = 0; round < 2; ++round) {
        const Sizes n = random_sizes(random);
        expect_softmax(student, weights_axes, random_tensor(random, {n.B, n.H, n.T, n.S}) * 2.0F, Mask{});
    }
    for_every_relation(student, random, "B H T S", [&](const AxisSizes& n, Random& own) {
        expect_softmax(student, weights_axes, with_zeros(random_tensor(own, {n["B"], n["H"], n["T"], n["S"]})), Mask{});
    });
}

STATES(ScaledScores, SoftmaxSurvivesLargeScores, "softmax_shift");
PROPERTY(ScaledScores, SoftmaxSurvivesLargeScores, 1, "scores of ±1e4 overflow nothing, masked or not") {
    const Sizes n = random_sizes(random);
    Tensor scores = random_tensor(random, {n.B, n.H, n.T, n.S});
    scores[0] *= 1e4F;
    scores[1] += 1e4F;
    scores[2] -= 1e4F;
    for (const Mask& mask : {Mask{}, random_mask(random, {n.T, n.S})}) {
        const FunctionCall call{"masked_softmax", {{"scores (up to ±1e4)", scores}, {"mask", mask}}};
        const Tensor weights = student.tensor(call.function, call.arguments);
        const Array expected = reference::masked_softmax(exact(scores), mask);
        const auto failure = what_is_wrong(student, weights_axes, weights, expected);
        if (!failure) continue;
        // A softmax or a mask that is wrong for small scores too is another test's business.
        const Tensor small = scores * 1e-5F;
        const Tensor small_weights = student.outside_story([&] {
            return student.tensor("masked_softmax", {{"scores", small}, {"mask", mask}});
        });
        const auto small_failure =
            difference(weights_axes, small_weights, reference::masked_softmax(exact(small), mask));
        if (!small_failure) fail(*failure);
        pass_on_credit(student, {"masked_softmax"}, *failure, expected,
                       computes(student, call, "", {.shifted_by = call.arguments.front().name}));
    }
}

PROPERTY(ScaledScores, MasksBroadcastAndBlock, 1, "blocked keys get weight 0 and the others share what is left") {
    const Sizes n = random_sizes(random);
    const Tensor scores = random_tensor(random, {n.B, n.H, n.T, n.S}) * 2.0F;
    Shape lengths(static_cast<std::size_t>(n.B));
    for (Index& length : lengths) length = random.integer(1, n.S);
    for (const Mask& mask : {random_mask(random, {n.T, n.S}), random_mask(random, {n.B, n.H, n.T, n.S}),
                             random_mask(random, {n.B, 1, n.T, n.S}), random_mask(random, {n.H, 1, n.S}),
                             random_mask(random, {n.S}), reference::padding_mask(lengths, n.S)})
        expect_softmax(student, masked_axes, scores, mask);
    // As many sequences as queries: a (T, S) mask is still one for all sequences.
    expect_softmax(student, masked_axes, random_tensor(random, {n.T, n.H, n.T, n.S}) * 2.0F,
                   random_mask(random, {n.T, n.S}));
    for_every_mask(student, random, scores.shape(),
                   [&](const Mask& mask, Random&) { expect_softmax(student, masked_axes, scores, mask); });
    for_every_relation(student, random, "B H T S", [&](const AxisSizes& sizes, Random& own) {
        const Tensor some = with_zeros(random_tensor(own, {sizes["B"], sizes["H"], sizes["T"], sizes["S"]}));
        expect_softmax(student, masked_axes, some, mask_of_any_form(own, some.shape()));
    });
}

/// A row that sees nothing, behind rows that see everything.
Mask last_query_blocked(const Sizes& n) {
    Mask mask = Mask::allow_all({n.T, n.S});
    for (Index s = 0; s < n.S; ++s) mask(n.T - 1, s) = true;
    return mask;
}

PROPERTY(ScaledScores, FullyBlockedRowsAreZero, 1,
         "a query that may see no key gets weights 0 and context 0, never NaN") {
    const Sizes n = sizes_with(random, true);
    const Tensor scores = random_tensor(random, {n.B, n.H, n.T, n.S}) * 2.0F;
    Shape lengths(static_cast<std::size_t>(n.B), n.S - 1);
    lengths[1] = 0;
    for (const Mask& mask : {reference::causal_mask(n.T, n.S), reference::padding_mask(lengths, n.S),
                             Mask::block_all({1, n.S}), last_query_blocked(n)})
        for (const float size : {1.0F, 1e4F}) {
            const Tensor weights = student.tensor("masked_softmax", {{"scores", scores * size}, {"mask", mask}});
            const Array expected = reference::masked_softmax(exact(scores * size), mask);
            expect_shape(masked_axes, weights.shape(), expected.shape);
            // Only the blocked rows: the others are the business of other tests.
            const Array yours = exact(weights);
            for (std::size_t row = 0; row < yours.value.size(); row += static_cast<std::size_t>(n.S)) {
                const auto begin = expected.value.begin() + static_cast<std::ptrdiff_t>(row);
                if (std::any_of(begin, begin + n.S, [](double weight) { return weight != 0; })) continue;
                for (std::size_t s = row; s < row + static_cast<std::size_t>(n.S); ++s)
                    expect(yours.value[s] == 0, Stage::mask,
                           "a row in which every key is blocked should be all zero; yours holds " +
                               digits(yours.value[s]));
            }
        }
    const Inputs in(random, n);
    const wire::Record attended = student.record("scaled_dot_product_attention", in.with(Mask::block_all({n.T, n.S})));
    for (const wire::Field& field : attended.fields)
        for (const double number : exact(value_of<Tensor>(field)).value)
            expect(number == 0, Stage::mask,
                   "with every key blocked, your " + field.name + " should be all zero; it holds " + digits(number));
}

/// The weights that follow from the student's own scores and softmax.
std::optional<Array> from_own_softmax(Student& student, const Inputs& in, const Mask& mask) {
    const Outcome own_scores = student.outcome("attention_scores", {{"q", in.q}, {"k", in.k}});
    if (own_scores.error) return std::nullopt;
    const Outcome own_weights = student.outcome("masked_softmax", {{"scores", own_scores.value}, {"mask", mask}});
    const auto* tensor = std::get_if<Tensor>(&own_weights.value);
    return tensor == nullptr ? std::nullopt : std::optional(own(*tensor));
}

void expect_attention(Student& student, const Inputs& in, const Mask& mask) {
    const FunctionCall call{"scaled_dot_product_attention", in.with(mask)};
    const wire::Record attended = student.record(call.function, call.arguments);
    const auto around = std::make_shared<Neighbourhood>(student, call);
    const Tensor& context = field<Tensor>(attended, "context");
    const Tensor& weights = field<Tensor>(attended, "weights");
    const auto expected = reference::attention(exact(in.q), exact(in.k), exact(in.v), mask);
    const std::vector<std::string> blamed{"attention_scores", "masked_softmax"};
    expect_close_given(
        student, weights_axes, weights, expected.weights, blamed, [&] { return from_own_softmax(student, in, mask); },
        computes(around, "weights"));
    expect_close_given(
        student, context_axes, context, expected.context, blamed,
        [&] { return reference::matmul(own(weights), exact(in.v)); }, computes(around, "context"));
}

/// Large scores are scores like any other, if attention_scores and masked_softmax take them: else another test says so.
void expect_attention_of_large_scores(Student& student, Inputs in, const Mask& mask) {
    in.q = in.q * 300.0F;
    const auto own_weights = what_follows(student, [&] { return from_own_softmax(student, in, mask); });
    const Array expected = reference::attention(exact(in.q), exact(in.k), exact(in.v), mask).weights;
    if (own_weights && !difference(weights_axes, to_tensor(*own_weights), expected))
        expect_attention(student, in, mask);
}

STATES(ScaledScores, ContextIsWeightsTimesValues, "weigh", "returned");
PROPERTY(ScaledScores, ContextIsWeightsTimesValues, 1, "attention returns its weights, and weights · v as context") {
    for (const bool more_queries : {false, true}) {
        const Sizes n = sizes_with(random, more_queries);
        const Inputs in(random, n);
        expect_attention(student, in, Mask{});
        expect_attention(student, in, reference::causal_mask(n.T, n.S));
        expect_attention(student, in, random_mask(random, {n.B, 1, 1, n.S}));
    }
    expect_attention(student, Inputs(random, {1, 2, 70, 66, 5, 4}), reference::causal_mask(70, 66));
    const Sizes n = random_sizes(random);
    for (const Mask& mask : {Mask{}, random_mask(random, {n.T, n.S})})
        expect_attention_of_large_scores(student, Inputs(random, n), mask);
    for_every_mask(student, random, {n.B, n.H, n.T, n.S},
                   [&](const Mask& mask, Random& own) { expect_attention(student, Inputs(own, n), mask); });
    for_every_relation(student, random, "B H T S d d_v", [&](const AxisSizes& sizes, Random& own) {
        const Mask mask = mask_of_any_form(own, {sizes["B"], sizes["H"], sizes["T"], sizes["S"]});
        expect_attention(student, Inputs(own, sizes.sizes()), mask);
    });
}

PROPERTY(ScaledScores, CallsAreCleanAndShapesChecked, 1,
         "shapes that do not fit are refused, strides change no answer; arguments and later calls are left alone") {
    const Sizes n = random_sizes(random);
    const Inputs in(random, n);
    const Tensor scores = random_tensor(random, {n.B, n.H, n.T, n.S});
    const Mask mask = random_mask(random, {n.T, n.S});
    expect_untouched(student, {{"causal_mask", {{"T", n.T}, {"S", n.S}}},
                               {"padding_mask", {{"lengths", Shape{1, n.S, 0}}, {"S", n.S}}},
                               {"attention_scores", {{"q", in.q}, {"k", in.k}}},
                               {"masked_softmax", {{"scores", scores}, {"mask", mask}}},
                               {"scaled_dot_product_attention", in.with(mask)}});
    expect_same_if_repeated(student, {"attention_scores", {{"q", in.q}, {"k", in.k}}}, "k", 1);
    expect_same_if_repeated(student, {"scaled_dot_product_attention", in.with(mask)}, "v", 1);
    student.refuses("attention_scores", {{"q", in.q}, {"k", random_tensor(random, {n.B, n.H, n.S, n.d + 1})}},
                    "q and k differ in width");
    student.refuses("attention_scores", {{"q", in.q}, {"k", random_tensor(random, {n.B + 1, n.H, n.S, n.d})}},
                    "q and k differ in batch");
    student.refuses("attention_scores", {{"q", in.q}, {"k", random_tensor(random, {n.B, n.H + 1, n.S, n.d})}},
                    "q and k differ in heads");
    student.refuses("masked_softmax", {{"scores", scores}, {"mask", Mask::allow_all({n.T, n.S + 1})}},
                    "the mask does not broadcast to the scores");
    student.refuses(
        "scaled_dot_product_attention",
        {{"q", in.q}, {"k", in.k}, {"v", random_tensor(random, {n.B, n.H, n.S + 1, n.d_v})}, {"mask", Mask{}}},
        "there are more values than keys");
    refuses_misfits(student, random, "attention_scores", {{"q", in.q}, {"k", in.k}}, "q: B H T d, k: B H S d",
                    Broadcast::may_pass);
    refuses_misfits(student, random, "scaled_dot_product_attention", in.with(Mask{}),
                    "q: B H T d, k: B H S d, v: B H S d_v", Broadcast::may_pass);
    refuses_masks(student, random, scores.shape(), "masked_softmax", [&](const Mask& some) {
        return Arguments{{"scores", scores}, {"mask", some}};
    });
    refuses_masks(student, random, scores.shape(), "scaled_dot_product_attention",
                  [&](const Mask& some) { return in.with(some); });
    // To one sequence or one head, a mask of more could be broadcast the other way round.
    for (const Index axis : {0, 1}) {
        const Tensor one = scores.slice(axis, 0, 1);
        refuses_masks(student, random, one.shape(), "masked_softmax", [&](const Mask& some) {
            return Arguments{{"scores", one}, {"mask", some}};
        });
    }
}

}  // namespace
}  // namespace headway::judge
