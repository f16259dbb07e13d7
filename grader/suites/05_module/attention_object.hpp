#pragma once

#include "reference/attention.hpp"
#include "student/hidden_test.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headway::judge {

/// What the factory is asked for; absent fields keep the defaults of AttentionOptions.
struct ObjectOptions {
    Index D = 0;
    Index H = 1;
    std::optional<Index> head_dim = {};
    bool bias = true;
    bool causal = false;
    double dropout = 0;
    Index seed = 1;

    Index d() const { return head_dim.value_or(D / H); }
    Index E() const { return H * d(); }
    ObjectOptions seeded(Index other) const;
    wire::Record record() const;
    static ObjectOptions from(const wire::Record& record);
};

using NamedShapes = std::vector<std::pair<std::string, Shape>>;

/// Names and shapes of the parameters, by the specification.
NamedShapes specified(const ObjectOptions& options);
/// Values for all parameters, biases away from zero.
wire::Record random_state(Random& random, const ObjectOptions& options);

/// The arguments of one forward call.
struct Question {
    Tensor query, key, value;
    Mask mask;
};

/// query (B, T, D), key and value (B, S, D), all independent.
Question random_question(Random& random, const Sizes& n, Index S);
/// The same keys with gaps between them, and new queries of which a sequence is no block of memory.
Question in_views(Random& random, Question question);

/// What becomes of a call that gives nothing: the hidden test fails, or a question of diagnosis proves nothing.
enum class Otherwise { test_fails, not_judged };

/// Something earlier is wrong already: the question proves nothing.
struct NotJudged {};

/// One module in the worker, and what a right module with its parameters answers.
class AttentionObject {
public:
    /// @throws NotJudged  here and in forward and load, if `otherwise` says so
    AttentionObject(Student& student, const ObjectOptions& options, Otherwise otherwise = Otherwise::test_fails);

    void from_now(Otherwise otherwise) { otherwise_ = otherwise; }

    /// What calling `function`, forward or attention_weights, comes to.
    Outcome outcome(const std::string& function, const Question& question);
    Tensor forward(const Question& question);
    /// Self-attention as C++ code calls it: query, key and value are one and the same tensor.
    Tensor forward_of(const Tensor& x, const Mask& mask = {});
    /// What forward(first) returned, read after forward(second).
    Tensor first_of_two(const Question& first, const Question& second);
    Tensor attention_weights(const Question& question);
    Student& student() { return student_; }
    Arguments arguments(const Question& question) const;
    Arguments weights_arguments(const Question& question) const;

    void train();
    void eval();
    /// No part of the story; nothing where that is not answered.
    std::optional<bool> is_training();
    /// Whatever the calls come to: attention_weights and forward leave either mode as it is.
    void expect_mode_stays(const Question& question);

    wire::Record state();
    wire::Record random_state(Random& random) const { return judge::random_state(random, options_); }
    void load(const wire::Record& state);
    void refuses_state(const wire::Record& state, const std::string& because);

    /// Names, shapes and count, as the specification says.
    void expect_parameters();
    /// No weight begins as another of its shape does.
    void expect_first_numbers_of_each();
    void expect_state(const wire::Record& expected);

    reference::Array expected_weights(const Question& question) const;
    reference::Array expected_output(const Question& question) const;
    reference::Array output_from(const reference::Array& weights, const Question& question) const;
    std::vector<double> output_bias() const;  ///< empty where there is none
    /// Of the module as it is now: of its four weights too, which a mistake may ignore one of.
    Evidence computes_forward(const Question& question);
    /// That a mask matters, too, and that with the causal option what comes later does not.
    Evidence computes_what_is_asked_for(const Question& question);
    Shape weights_shape(const Question& question) const;

private:
    Evidence with_weights(const Evidence& of_inputs, const Question& question);
    bool keeps_future_out(const Question& question);
    reference::Array projected(const std::string& name, const Tensor& x) const;
    Mask whole_mask(const Question& question) const;
    wire::Field self() const { return {"module", handle_}; }

    Student& student_;
    ObjectOptions options_;
    Otherwise otherwise_;
    wire::Handle handle_;
    wire::Record loaded_;
};

wire::Record without_last(wire::Record state);
/// An entry that every module has: the last one may be a bias that it lacks.
wire::Record without_first(wire::Record state);
wire::Record with_extra(wire::Record state);
wire::Record with_wrong_shape(wire::Record state);

/// The statistics of dropout, whatever the order in which a submission draws.
///
/// One-hot values and W_O = I make each weight visible in the output: each must be 0 or w / (1 - p), the share of zeros
/// among >= 10⁵ draws within 6σ of p, and neighbours along every axis independent of each other.
void expect_dropout(const Session& session, Random& random);

/// Passes on credit if plain self-attention is wrong already in this module: then what is asked for on top of that
/// cannot be judged, and another test says what is wrong.
/// @param evidence  that it is computed, in the module with what is asked for
/// @return whether it did
bool is_wrong_without_it(AttentionObject& object, const Tensor& x, const verdict::Failure& failure,
                         const reference::Array& expected, const Evidence& evidence);

}  // namespace headway::judge
