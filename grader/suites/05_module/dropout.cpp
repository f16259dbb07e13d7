#include "suites/05_module/attention_object.hpp"

#include "student/evidence.hpp"

#include <algorithm>
#include <cmath>

namespace headway::judge {
namespace {

using reference::Array;

constexpr double sigmas = 6;

/// Which weights were dropped, (B, H, T, S) row-major.
struct Dropped {
    Shape shape;
    std::vector<bool> zero;
};

/// A state that shows the weights: W_V = W_O = I, no bias, and v carries key s as e_s + e_{S+s} in every head. Each
/// weight stands in the output twice, so that dropping features instead of weights shows.
wire::Record showing_state(AttentionObject& object, Random& random, Index D) {
    wire::Record state = object.random_state(random);
    for (wire::Field& field : state.fields)
        if (field.name == "v_proj.weight" || field.name == "out_proj.weight") field.value = Tensor::eye(D);
    return state;
}

Tensor one_hot_values(Index B, Index S, Index H, Index d) {
    Tensor value = Tensor::zeros({B, S, H * d});
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < S; ++s)
            for (Index h = 0; h < H; ++h) value(b, s, h * d + s) = value(b, s, h * d + S + s) = 1.0F;
    return value;
}

/// Each shown weight must be 0 or w / (1 - p).
Dropped read_dropped(const Tensor& output, const Array& weights, Index D, double p) {
    expect_shape({"outputs", Stage::output, {}}, output.shape(), {weights.shape[0], weights.shape[2], D});
    Dropped dropped{weights.shape, std::vector<bool>(weights.value.size())};
    const Index H = weights.shape[1];
    const Index T = weights.shape[2];
    const Index S = weights.shape[3];
    const Index d = D / H;
    for (std::size_t i = 0; i < weights.value.size(); ++i) {
        const auto flat = static_cast<Index>(i);
        const Index s = flat % S;
        const Index t = flat / S % T;
        const Index h = flat / (S * T) % H;
        const Index b = flat / (S * T * H);
        const double shown = static_cast<double>(std::as_const(output)(b, t, h * d + s));
        const double again = static_cast<double>(std::as_const(output)(b, t, h * d + S + s));
        const double kept = weights.value[i] / (1 - p);
        dropped.zero[i] = shown == 0;
        if ((shown == 0) != (again == 0))
            expect(false, Stage::dropout,
                   "in training whole weights are dropped: a weight that is gone for one feature of v is gone for all");
        if (!(shown == 0 || close(shown, kept, tolerance(kept, weights.error[i] / (1 - p)), 0)))
            expect(false, Stage::dropout,
                   "in training a weight of " + digits(weights.value[i]) + " became " + digits(shown) +
                       "; with p = " + std::to_string(p).substr(0, 4) + " it should be 0 or " + digits(kept));
    }
    return dropped;
}

void expect_share(double count, double draws, double probability, const std::string& what) {
    const double deviation = std::sqrt(draws * probability * (1 - probability));
    expect(std::abs(count - draws * probability) <= sigmas * deviation, Stage::dropout,
           what + ": " + std::to_string(count / draws).substr(0, 6) + " of " +
               std::to_string(static_cast<Index>(draws)) + " draws, but it should be close to " +
               std::to_string(probability).substr(0, 6));
}

/// Whether a weight and its neighbour along `axis` are dropped independently.
void expect_independent(const Dropped& dropped, std::size_t axis, const std::string& name, double p) {
    std::size_t step = 1;
    for (std::size_t inner = axis + 1; inner < 4; ++inner) step *= static_cast<std::size_t>(dropped.shape[inner]);
    const auto size = static_cast<std::size_t>(dropped.shape[axis]);
    double pairs = 0;
    double equal = 0;
    for (std::size_t i = 0; i < dropped.zero.size(); ++i) {
        if (i / step % size + 1 == size || i / step % 2 != 0) continue;  // disjoint pairs
        ++pairs;
        equal += dropped.zero[i] == dropped.zero[i + step] ? 1 : 0;
    }
    expect_share(equal, pairs, p * p + (1 - p) * (1 - p),
                 "neighbours along the axis of " + name + " are dropped alike");
}

/// What a wrong module's dropout is held to: whatever comes behind the weights is linear in them, so on average the
/// answers in training are the answer in eval, and they differ from call to call.
Evidence drops_around_its_answer(AttentionObject& object, const Question& question) {
    return [&object, question](const Array& expected) {
        if (!object.computes_forward(question)(expected)) return false;
        constexpr int calls = 48;
        const Array in_eval = reference::exact(object.forward(question));
        object.train();
        std::vector<double> sum(in_eval.value.size()), squares(in_eval.value.size());
        for (int call = 0; call < calls; ++call) {
            const Array answer = reference::exact(object.forward(question));
            if (answer.shape != in_eval.shape) return false;
            for (std::size_t i = 0; i < sum.size(); ++i) {
                const double off = answer.value[i] - in_eval.value[i];
                sum[i] += off;
                squares[i] += off * off;
            }
        }
        for (std::size_t i = 0; i < sum.size(); ++i) {
            const double mean = sum[i] / calls;
            const double variance = squares[i] / calls - mean * mean;
            if (!(variance > 0) || !(std::abs(mean) <= sigmas * std::sqrt(variance / (calls - 1)))) return false;
        }
        return true;
    };
}

}  // namespace

void expect_dropout(const Session& session, Random& random) {
    Student& student = session.student;
    const double p = 0.3;
    // 108,500 weights for the statistics; the sanitizers see the same code in 1,155.
    const Index B = session.sanitized ? 3 : 31, H = 5, T = session.sanitized ? 11 : 100, S = 7, d = 14;
    const Index D = H * d;
    AttentionObject object(student,
                           {.D = D, .H = H, .bias = false, .dropout = p, .seed = random.integer(1, 1'000'000)});
    object.load(showing_state(object, random, D));
    const Question question{random_tensor(random, {B, T, D}), random_tensor(random, {B, S, D}),
                            one_hot_values(B, S, H, d), Mask{}};
    const Array weights = object.expected_weights(question);
    object.eval();
    object.outcome("attention_weights", question);  // asking for them leaves the module as it is
    const CheckedPart part{"outputs", Stage::output, {"b", "token", "feature"}};
    if (const auto failure = what_is_wrong(student, part, object.forward(question), object.expected_output(question))) {
        const Question few{random_tensor(random, {2, 3, D}), random_tensor(random, {2, S, D}),
                           random_tensor(random, {2, S, D}), Mask{}};
        return pass_on_credit(student, {"forward", "attention_weights"}, *failure, object.expected_output(few),
                              drops_around_its_answer(object, few));
    }
    object.train();
    const Dropped first = read_dropped(object.forward(question), weights, D, p);
    const auto draws = static_cast<double>(first.zero.size());
    const auto zeros = static_cast<double>(std::count(first.zero.begin(), first.zero.end(), true));
    expect_share(zeros, draws, p, "share of weights dropped in training");
    const char* names[] = {"the batch", "heads", "queries", "keys"};
    for (std::size_t axis = 0; axis < 4; ++axis) expect_independent(first, axis, names[axis], p);
    const Dropped second = read_dropped(object.forward(question), weights, D, p);
    double equal = 0;
    for (std::size_t i = 0; i < first.zero.size(); ++i) equal += first.zero[i] == second.zero[i] ? 1 : 0;
    expect_share(equal, draws, p * p + (1 - p) * (1 - p), "weights dropped alike in two successive calls");
}

}  // namespace headway::judge
