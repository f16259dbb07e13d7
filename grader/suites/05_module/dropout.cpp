#include "suites/05_module/expectations.hpp"

#include "student/evidence.hpp"

#include <fmt/format.h>

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
    Array weights;    ///< as they were used
    double seen = 0;  ///< weights that show whether they were dropped: not those that are blocked
    double gone = 0;  ///< of these
};

/// As many ones on the diagonal as go there.
Tensor identity(const Shape& shape) {
    Tensor matrix = Tensor::zeros(shape);
    for (Index i = 0; i < std::min(shape[0], shape[1]); ++i) matrix(i, i) = 1.0F;
    return matrix;
}

/// A state that shows the weights: W_V = W_O = I, no bias where v shows them, and v carries key s as e_s + e_{S+s} in
/// every head of d features. Each weight stands in the output twice, so that dropping features instead of weights
/// shows.
wire::Record showing_state(AttentionObject& object, Random& random, Index S, Index d) {
    wire::Record state = object.random_state(random);
    for (wire::Field& field : state.fields) {
        auto& tensor = std::get<Tensor>(field.value);
        if (field.name == "v_proj.weight" || field.name == "out_proj.weight") tensor = identity(tensor.shape());
        if (field.name != "v_proj.bias") continue;
        for (Index e = 0; e < tensor.numel(); ++e)
            if (e % d < 2 * S) tensor(e) = 0.0F;
    }
    return state;
}

/// Values that show the weights, in place of what stands there.
void show_weights(Tensor& value, Index H, Index d) {
    const Index S = value.size(1);
    for (Index b = 0; b < value.size(0); ++b)
        for (Index s = 0; s < S; ++s)
            for (Index h = 0; h < H; ++h)
                for (Index f = 0; f < 2 * S; ++f) value(b, s, h * d + f) = f % S == s ? 1.0F : 0.0F;
}

/// Each shown weight must be 0 or w / (1 - p).
/// @param bias  of out_proj; empty where there is none
Dropped read_dropped(const Tensor& output, const Array& weights, Index D, Index d, double p,
                     const std::vector<double>& bias = {}) {
    expect_shape(output_axes, output.shape(), {weights.shape[0], weights.shape[2], D});
    Dropped dropped{weights.shape, std::vector<bool>(weights.value.size()), weights};
    const Index H = weights.shape[1];
    const Index T = weights.shape[2];
    const Index S = weights.shape[3];
    for (std::size_t i = 0; i < weights.value.size(); ++i) {
        const auto flat = static_cast<Index>(i);
        const Index s = flat % S;
        const Index t = flat / S % T;
        const Index h = flat / (S * T) % H;
        const Index b = flat / (S * T * H);
        const auto added = [&](Index feature) { return bias.empty() ? 0 : bias[static_cast<std::size_t>(feature)]; };
        const auto at = [&](Index feature) {
            return static_cast<double>(std::as_const(output)(b, t, feature)) - added(feature);
        };
        const Index first = h * d + s, second = first + S;
        const double lost = 2.4e-7 * std::max(std::abs(added(first)), std::abs(added(second)));  // by adding the bias
        const double shown = at(first);
        const double kept = weights.value[i] / (1 - p);
        const bool zero = std::abs(shown) <= lost;
        const bool is_seen = weights.value[i] > 0 && kept > 100 * lost;
        if (is_seen && zero != (std::abs(at(second)) <= lost))
            expect(false, Stage::dropout,
                   "in training single features vanish, not whole weights: a weight is 0 for one feature of v and not "
                   "for another");
        if (!zero && !close(shown, kept, tolerance(kept, weights.error[i] / (1 - p)) + lost, 0))
            expect(false, Stage::dropout,
                   weights.value[i] == 0
                       ? "in training what is blocked gets the weight " + digits(shown) +
                             "; there, too, it should get none"
                       : "in training a weight of " + digits(weights.value[i]) + " became " + digits(shown) +
                             "; with p = " + fmt::format("{:.6g}", p) + " it should be 0 or " + digits(kept));
        dropped.zero[i] = zero;
        dropped.weights.value[i] = std::abs(shown) <= std::max(lost, kept / 2) ? 0 : kept;
        dropped.weights.error[i] = weights.error[i] / (1 - p) + lost;
        dropped.seen += is_seen ? 1 : 0;
        dropped.gone += is_seen && zero ? 1 : 0;
    }
    return dropped;
}

/// Whether a module with dropout is right in eval. If one without it is wrong as well, other tests say so.
bool is_right_in_eval(AttentionObject& object, ObjectOptions options, const wire::Record& state,
                      const Question& question, const Array& expected) {
    const auto is_right = [&](AttentionObject& asked) {
        const Outcome outcome = asked.outcome("forward", question);
        const auto* output = std::get_if<Tensor>(&outcome.value);
        return output != nullptr && output->defined() && !difference(output_axes, *output, expected);
    };
    if (is_right(object)) return true;
    options.dropout = 0;
    AttentionObject without(object.student(), options);
    without.load(state);
    without.eval();
    expect(!is_right(without), Stage::dropout, "in eval a module with dropout answers otherwise than one without");
    return false;
}

void expect_share(double count, double draws, double probability, const std::string& what) {
    const double deviation = std::sqrt(draws * probability * (1 - probability));
    expect(std::abs(count - draws * probability) <= sigmas * deviation, Stage::dropout,
           what + ": " + std::to_string(count / draws).substr(0, 6) + " of " +
               std::to_string(static_cast<Index>(draws)) + " draws, but it should be close to " +
               std::to_string(probability).substr(0, 6));
}

/// Whether a weight and the one `apart` places from it along `axis` are dropped independently.
void expect_independent(const Dropped& dropped, std::size_t axis, std::size_t apart, const std::string& name,
                        double p) {
    std::size_t step = 1;
    for (std::size_t inner = axis + 1; inner < 4; ++inner) step *= static_cast<std::size_t>(dropped.shape[inner]);
    const auto size = static_cast<std::size_t>(dropped.shape[axis]);
    double pairs = 0;
    double equal = 0;
    for (std::size_t i = 0; i < dropped.zero.size(); ++i) {
        const std::size_t at = i / step % size;
        if (at + apart >= size || at % (2 * apart) >= apart) continue;  // disjoint pairs
        ++pairs;
        equal += dropped.zero[i] == dropped.zero[i + apart * step] ? 1 : 0;
    }
    expect_share(equal, pairs, p * p + (1 - p) * (1 - p),
                 (apart == 1 ? "neighbours" : "weights " + std::to_string(apart) + " places apart") +
                     std::string(" along the axis of ") + name + " are dropped alike");
}

/// Whether sequences that are one and the same are answered alike in training: then they share what is dropped.
bool drops_alike_for_all(AttentionObject& object, Question question) {
    for (Tensor* tensor : {&question.query, &question.key, &question.value})
        *tensor = tensor->slice(0, 0, 1).expand(tensor->shape()).contiguous();
    constexpr int calls = 4;
    for (int call = 0; call < calls; ++call) {
        const Tensor output = object.forward(question);
        if (output.shape() != question.query.shape()) return false;
        if (reference::exact(output.select(0, 0)).value != reference::exact(output.select(0, 1)).value) return false;
    }
    return true;
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
        return !drops_alike_for_all(object, question);
    };
}

/// Expects, whatever a module computes, that each call in training drops other weights than the one before.
void expect_other_drops_in_each_call(AttentionObject& object, const Question& question) {
    const auto answer = [&] { return reference::exact(object.forward(question)).value; };
    const auto in_eval = answer();
    const bool is_alike_in_eval = answer() == in_eval;
    object.train();
    const auto first = answer(), second = answer();
    const bool is_alike = first == second && answer() == first;
    object.eval();
    expect(!is_alike_in_eval || first == in_eval || !is_alike, Stage::dropout,
           "in training all calls of a module give the same output, which is not that in eval: each call should drop "
           "other weights than the one before");
}

/// What is dropped beside every two other options: p is a weight's chance there, too, and what is kept is all that is
/// used.
void expect_dropout_together(const Session& session, Random& random) {
    ask_together(
        session.student, random, {"p = 0.25", "p >= 0.5"}, [](const Together&) { return true; },
        [&](const Together& choice, Random& own) {
            const Index B = session.sanitized ? 1 : 16, H = 2, T = 4, S = choice.more_keys(T, 1);
            const Index d = 2 * S + 2;  // of which two show what else is used
            ObjectOptions options = choice.options(own, H, d);
            options.dropout = choice.mode == 0 ? 0.25 : own.integer(0, 1) == 0 ? 0.5 : static_cast<double>(0.9F);
            auto object = loaded(session.student, own, options);
            if (!object) return;
            const wire::Record state = showing_state(*object, own, S, d);
            object->load(state);
            Question question = question_together(own, choice, options, B, T, S);
            show_weights(question.value, H, d);
            if (choice.keys == Keys::the_queries) question.query = question.key = question.value;
            object->eval();
            const Array weights = object->expected_weights(question);
            if (!is_right_in_eval(*object, options, state, question, object->output_from(weights, question))) return;
            object->train();
            const Tensor output = object->forward(question);
            const double p = options.dropout;
            const Dropped dropped = read_dropped(output, weights, options.D, d, p, object->output_bias());
            const CheckedPart part{"outputs in training", Stage::dropout, output_axes.axes};
            if (auto failure = difference(part, output, object->output_from(dropped.weights, question)))
                fail(std::move(*failure));
            if (!session.sanitized) expect_share(dropped.gone, dropped.seen, p, "share of weights dropped in training");
        });
}

}  // namespace

void expect_dropout(const Session& session, Random& random) {
    Student& student = session.student;
    const double p = 0.0899;  // of more digits than percents have, and so small that these count
    // 108,500 weights for the statistics; the sanitizers see the same code in 1,155.
    const Index B = session.sanitized ? 3 : 31, H = 5, T = session.sanitized ? 11 : 100, S = 7, d = 14;
    const Index D = H * d;
    AttentionObject object(student,
                           {.D = D, .H = H, .bias = false, .dropout = p, .seed = random.integer(1, 1'000'000)});
    object.load(showing_state(object, random, S, d));
    Question question{random_tensor(random, {B, T, D}), random_tensor(random, {B, S, D}), Tensor::zeros({B, S, D}),
                      Mask{}};
    show_weights(question.value, H, d);
    const Array weights = object.expected_weights(question);
    object.eval();
    object.outcome("attention_weights", question);  // asking for them leaves the module as it is
    expect(!object.is_training().value_or(false), Stage::state,
           "your attention_weights leaves the module in training mode, which was in eval before: ask is_training()");
    if (const auto failure =
            what_is_wrong(student, output_axes, object.forward(question), object.expected_output(question))) {
        const Question few{random_tensor(random, {2, 3, D}), random_tensor(random, {2, S, D}),
                           random_tensor(random, {2, S, D}), Mask{}};
        expect_other_drops_in_each_call(object, few);
        return pass_on_credit(student, {"forward", "attention_weights"}, *failure, object.expected_output(few),
                              drops_around_its_answer(object, few));
    }
    object.train();
    const Dropped first = read_dropped(object.forward(question), weights, D, d, p);
    const auto draws = static_cast<double>(first.zero.size());
    const auto zeros = static_cast<double>(std::count(first.zero.begin(), first.zero.end(), true));
    // Before their share: of weights that are dropped alike there are fewer draws than weights, and a share of few may
    // be off by chance.
    const char* names[] = {"the batch", "heads", "queries", "keys"};
    for (std::size_t axis = 0; axis < 4; ++axis)
        for (const std::size_t apart : {1U, 2U}) expect_independent(first, axis, apart, names[axis], p);
    expect_share(zeros, draws, p, "share of weights dropped in training");
    for (const char* which : {"in two successive calls", "in a call and the one after the next"}) {
        const Dropped later = read_dropped(object.forward(question), weights, D, d, p);
        double equal = 0;
        for (std::size_t i = 0; i < first.zero.size(); ++i) equal += first.zero[i] == later.zero[i] ? 1 : 0;
        expect_share(equal, draws, p * p + (1 - p) * (1 - p), std::string("weights dropped alike ") + which);
    }
    expect_dropout_together(session, random);
}

}  // namespace headway::judge
