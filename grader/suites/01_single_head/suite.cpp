// Hidden tests of exercise 01.        T tokens · S keys · D model width · d key width · d_v value width
#include "reference/attention.hpp"
#include "student/hidden_test.hpp"

#include <algorithm>
#include <cmath>

namespace headway::judge {
namespace {

using reference::Array;
using reference::exact;
using reference::to_tensor;

HIDDEN_SUITE(SingleHead);

const CheckedPart rows{"softmax rows", Stage::softmax, {"row", "column"}};
const CheckedPart weights{"attention weights", Stage::scale, {"query", "key"}};
const CheckedPart outputs{"attention outputs", Stage::weigh, {"token", "feature"}};
const CheckedPart sums{"residual sums", Stage::output, {"token", "feature"}};

/// Inputs of one head, and what a right head makes of them.
struct Head {
    Tensor x, w_q, w_k, w_v;

    Head(Random& random, Index T, Index D, Index d, Index d_v)
        : x(random_tensor(random, {T, D})),
          w_q(weight(random, D, d)),
          w_k(weight(random, D, d)),
          w_v(weight(random, D, d_v)) {}

    /// Small enough that softmax does not saturate: a saturated softmax hides mistakes.
    static Tensor weight(Random& random, Index width, Index columns) {
        return random_tensor(random, {width, columns}) * (1.5F / std::sqrt(static_cast<float>(width)));
    }

    Arguments arguments() const { return {{"x", x}, {"w_q", w_q}, {"w_k", w_k}, {"w_v", w_v}}; }
    Array q() const { return reference::matmul(exact(x), exact(w_q)); }
    Array k() const { return reference::matmul(exact(x), exact(w_k)); }
    Array v() const { return reference::matmul(exact(x), exact(w_v)); }
    Array expected() const { return reference::attention(q(), k(), v(), Mask{}).context; }
};

Array expected_rows(const Tensor& scores) { return reference::masked_softmax(exact(scores), Mask{}); }

Array expected_weights(const Array& q, const Array& k) {
    return reference::masked_softmax(reference::scores(q, k), Mask{});
}

/// What follows if the student's own attention_weights are right.
std::optional<Array> from_own_weights(Student& student, const Head& head) {
    const Outcome own_weights =
        student.outcome("attention_weights", {{"q", to_tensor(head.q())}, {"k", to_tensor(head.k())}});
    const auto* tensor = std::get_if<Tensor>(&own_weights.value);
    const Index T = head.x.size(0);
    if (tensor == nullptr || tensor->shape() != Shape{T, T}) return std::nullopt;
    return reference::matmul(own(*tensor), head.v());
}

/// What follows if the student's own softmax_rows is right.
std::optional<Array> from_own_softmax(Student& student, const Array& scores) {
    const Outcome own_rows = student.outcome("softmax_rows", {{"scores", to_tensor(scores)}});
    const auto* tensor = std::get_if<Tensor>(&own_rows.value);
    return tensor == nullptr ? std::nullopt : std::optional(own(*tensor));
}

void expect_head(Student& student, const Head& head) {
    const FunctionCall call{"single_head_attention", head.arguments()};
    const Tensor output = student.tensor(call.function, call.arguments);
    expect_close_given(
        student, outputs, output, head.expected(), {"attention_weights", "softmax_rows"},
        [&] { return from_own_weights(student, head); }, computes(student, call));
}

PROPERTY(SingleHead, SoftmaxRowsAreExpOverSum, 1, "each softmax row is exp(score) / Σ exp(score)") {
    for (const Shape& shape : {Shape{5, 7}, Shape{6, 3}, Shape{1, 9}, Shape{2, 1'030}}) {
        const Tensor scores = random_tensor(random, shape) * 3.0F;
        expect_close(student, rows, student.tensor("softmax_rows", {{"scores", scores}}), expected_rows(scores));
    }
    const Tensor view = random_tensor(random, {5, 7}).transpose(0, 1);
    expect_close(student, rows, student.tensor("softmax_rows", {{"scores (a transposed view)", view}}),
                 expected_rows(view));
    for_every_relation(student, random, "T S", [&](const AxisSizes& n, Random& own) {
        const Tensor scores = with_zeros(random_tensor(own, {n["T"], n["S"]}) * 3.0F);
        expect_close(student, rows, student.tensor("softmax_rows", {{"scores", scores}}), expected_rows(scores));
    });
}

PROPERTY(SingleHead, SoftmaxSurvivesLargeScores, 1, "softmax works for scores of ±1e4") {
    Tensor scores = random_tensor(random, {8, 5});
    scores[1] += 1e4F;
    scores[2] -= 1e4F;
    scores[3] *= 1e4F;
    scores(4, 2) = 1e4F;
    scores(5, 0) = -1e4F;
    scores(6, 0) = scores(7, 4) = 1e3F;  // whose maximum is found first, and last
    expect_close(student, rows, student.tensor("softmax_rows", {{"scores", scores}}), expected_rows(scores));
}

void expect_weights(Student& student, const Tensor& q, const Tensor& k) {
    const FunctionCall call{"attention_weights", {{"q", q}, {"k", k}}};
    expect_close_given(
        student, weights, student.tensor(call.function, call.arguments), expected_weights(exact(q), exact(k)),
        {"softmax_rows"}, [&] { return from_own_softmax(student, reference::scores(exact(q), exact(k))); },
        computes(student, call));
}

bool all_finite(const Tensor& tensor) {
    const Array numbers = exact(tensor);
    return std::all_of(numbers.value.begin(), numbers.value.end(), [](double x) { return std::isfinite(x); });
}

/// Large scores overflow nothing, unless the student's softmax_rows lets them: that is another test's business, and so
/// is whatever else is wrong with these weights.
void expect_finite_weights(Student& student, const Tensor& q, const Tensor& k) {
    if (all_finite(student.tensor("attention_weights", {{"q (large)", q}, {"k (large)", k}}))) return;
    const Outcome own_rows = student.outside_story([&] {
        return student.outcome("softmax_rows", {{"scores", to_tensor(reference::scores(exact(q), exact(k)))}});
    });
    const auto* softmax = std::get_if<Tensor>(&own_rows.value);
    if (softmax == nullptr || !softmax->defined() || !all_finite(*softmax)) return;
    expect(false, Stage::softmax, "of a large q and k your attention weights hold NaN or infinity");
}

PROPERTY(SingleHead, WeightsAreSoftmaxOfScoresDividedBySqrtD, 2, "weights are softmax(q·kᵀ / √d) over keys") {
    for (int round = 0; round < 3; ++round) {
        const Sizes n = random_sizes(random);
        // The last k is a view: k of two heads side by side, of which this is one.
        const Tensor q = random_tensor(random, {n.T, n.d});
        const Tensor k = round < 2 ? random_tensor(random, {n.S, n.d})
                                   : random_tensor(random, {n.S, 2 * n.d}).slice(1, n.d, 2 * n.d);
        expect_weights(student, q, k);
    }
    expect_finite_weights(student, random_tensor(random, {6, 4}) * 100.0F, random_tensor(random, {5, 4}) * 100.0F);
    for_every_relation(student, random, "T S d", [&](const AxisSizes& n, Random& own) {
        expect_weights(student, random_tensor(own, {n["T"], n["d"]}), random_tensor(own, {n["S"], n["d"]}));
    });
}

/// Large scores are scores like any other, if attention_weights takes them: else another test says so.
void expect_head_with_large_scores(Student& student, Head head) {
    head.w_q = head.w_q * 300.0F;
    const Tensor q = to_tensor(head.q()), k = to_tensor(head.k());
    const Outcome own_weights = student.outside_story([&] {
        return student.outcome("attention_weights", {{"q", q}, {"k", k}});
    });
    const auto* tensor = std::get_if<Tensor>(&own_weights.value);
    if (tensor == nullptr || difference(weights, *tensor, expected_weights(exact(q), exact(k)))) return;
    expect_head(student, head);
}

PROPERTY(SingleHead, OneOutputRowPerTokenIsItsWeightedSumOfValues, 1,
         "each token gets its own weighted sum of the values x·w_v") {
    for (int round = 0; round < 2; ++round) {
        const Sizes n = random_sizes(random);
        expect_head(student, Head(random, n.T, n.D(), n.d, n.d_v));
    }
    // Square projections: there nothing but the numbers tells a weight from its transpose.
    const Sizes n = random_sizes(random);
    expect_head(student, Head(random, n.T, n.d, n.d, n.d));
    expect_head_with_large_scores(student, Head(random, n.T, n.D(), n.d, n.d_v));
    for_every_relation(student, random, "T D d d_v", [&](const AxisSizes& sizes, Random& own) {
        expect_head(student, Head(own, sizes["T"], sizes["D"], sizes["d"], sizes["d_v"]));
    });
}

PROPERTY(SingleHead, IdentityValueProjectionAttendsOverTheEmbeddings, 1,
         "with w_v = I the head attends over x itself") {
    const Sizes n = random_sizes(random);
    Head head(random, n.T, n.S, n.d, n.S);
    head.w_v = Tensor::eye(n.S);
    expect_head(student, head);
}

PROPERTY(SingleHead, ValuesMayBeTheKeys, 1, "with w_v = w_k what is matched is what is gathered") {
    const Sizes n = random_sizes(random);
    Head head(random, n.T, n.D(), n.d, n.d);
    head.w_v = head.w_k.clone();
    expect_head(student, head);
}

PROPERTY(SingleHead, ResidualAddsToTheToken, 1, "the residual is x + attended") {
    const Sizes n = random_sizes(random);
    const Tensor x = random_tensor(random, {n.T, n.S});
    const Tensor attended = random_tensor(random, {n.T, n.S});
    const Tensor sum = student.tensor("with_residual", {{"x", x}, {"attended", attended}});
    expect_close(student, sums, sum, reference::add(exact(x), exact(attended)));
    for_every_relation(student, random, "T D", [&](const AxisSizes& sizes, Random& own) {
        const Tensor token = random_tensor(own, {sizes["T"], sizes["D"]});
        const Tensor gathered = random_tensor(own, {sizes["T"], sizes["D"]});
        expect_close(student, sums, student.tensor("with_residual", {{"x", token}, {"attended", gathered}}),
                     reference::add(exact(token), exact(gathered)));
    });
}

PROPERTY(SingleHead, ShapesThatDoNotFitAreRefused, 1, "shapes that do not fit throw std::invalid_argument") {
    const Sizes n = random_sizes(random);
    student.refuses("attention_weights",
                    {{"q", random_tensor(random, {n.T, n.d})}, {"k", random_tensor(random, {n.S, n.d + 1})}},
                    "q and k differ in width");
    Head head(random, n.T, n.D(), n.d, n.d_v);
    head.w_q = random_tensor(random, {n.D() - 1, n.d});
    student.refuses("single_head_attention", head.arguments(), "w_q has fewer rows than x has features");
    head = Head(random, n.T, n.D(), n.d, n.d_v);
    head.w_v = random_tensor(random, {n.D() + 1, n.d_v});
    student.refuses("single_head_attention", head.arguments(), "w_v has more rows than x has features");
    head = Head(random, n.T, n.D(), n.d, n.d_v);
    head.w_k = random_tensor(random, {n.D(), n.d + 2});
    student.refuses("single_head_attention", head.arguments(), "w_q and w_k differ in width");
    student.refuses("with_residual",
                    {{"x", random_tensor(random, {n.T, n.D()})}, {"attended", random_tensor(random, {n.T, n.d})}},
                    "x and attended differ in width");
    student.refuses("with_residual",
                    {{"x", random_tensor(random, {n.T, n.D()})}, {"attended", random_tensor(random, {n.S, n.D()})}},
                    "x and attended differ in tokens");
    refuses_misfits(student, random, "attention_weights",
                    {{"q", random_tensor(random, {n.T, n.d})}, {"k", random_tensor(random, {n.S, n.d})}},
                    "q: T d, k: S d");
    refuses_misfits(student, random, "single_head_attention", Head(random, n.T, n.D(), n.d, n.d_v).arguments(),
                    "x: T D, w_q: D d, w_k: D d, w_v: D d_v");
    refuses_misfits(student, random, "with_residual",
                    {{"x", random_tensor(random, {n.T, n.d})}, {"attended", random_tensor(random, {n.T, n.d})}},
                    "x: T D, attended: T D", Broadcast::may_pass);
}

PROPERTY(SingleHead, CallsLeaveNothingBehind, 1,
         "functions take views, change no argument, and remember no earlier call") {
    const Sizes n = random_sizes(random);
    const Head head(random, n.T, n.S, n.d, n.S);
    const Tensor scores = random_tensor(random, {n.T, n.S});
    const Tensor attended = random_tensor(random, {n.T, n.S});
    expect_untouched(student, {{"softmax_rows", {{"scores", scores}}},
                               {"attention_weights", {{"q", to_tensor(head.q())}, {"k", to_tensor(head.k())}}},
                               {"single_head_attention", head.arguments()},
                               {"with_residual", {{"x", head.x}, {"attended", attended}}}});
    expect_same_if_repeated(student, {"softmax_rows", {{"scores", scores}}}, "scores", 0);
    expect_same_if_repeated(student, {"single_head_attention", head.arguments()}, "x", 0);
}

}  // namespace
}  // namespace headway::judge
