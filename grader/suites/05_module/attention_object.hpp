#pragma once

#include "reference/attention.hpp"
#include "student/hidden_test.hpp"

#include <optional>
#include <string>

namespace headway::judge {

/// What the factory is asked for; absent fields keep the defaults of AttentionOptions.
struct ObjectOptions {
    Index D = 0;
    Index H = 1;
    std::optional<Index> head_dim = {};
    bool bias = true;
    bool causal = false;
    double dropout = 0;

    Index d() const { return head_dim.value_or(D / H); }
    Index E() const { return H * d(); }
};

wire::Record to_record(const ObjectOptions& options, Index seed);

/// The arguments of one forward call.
struct Question {
    Tensor query, key, value;
    Mask mask;
};

/// query (B, T, D), key and value (B, S, D), all independent.
Question random_question(Random& random, const Sizes& n, Index S);

/// One module in the worker, and what a right module with its parameters answers.
class AttentionObject {
public:
    AttentionObject(Student& student, const ObjectOptions& options, Index seed = 1);
    ~AttentionObject();
    AttentionObject(const AttentionObject&) = delete;
    AttentionObject& operator=(const AttentionObject&) = delete;

    Tensor forward(const Question& question);
    /// Self-attention as C++ code calls it: query, key and value are one and the same tensor.
    Tensor forward_of(const Tensor& x);
    /// What forward(first) returned, read after forward(second).
    Tensor first_of_two(const Question& first, const Question& second);
    Tensor attention_weights(const Question& question);
    Outcome weights_outcome(const Question& question);
    Arguments arguments(const Question& question) const;
    Arguments weights_arguments(const Question& question) const;

    void train();
    void eval();

    wire::Record state();
    /// Values for all parameters, biases away from zero.
    wire::Record random_state(Random& random) const;
    void load(const wire::Record& state);
    void refuses_state(const wire::Record& state, const std::string& because);

    /// Names, shapes and count, as the specification says.
    void expect_parameters();
    void expect_state(const wire::Record& expected);

    reference::Array expected_weights(const Question& question) const;
    reference::Array expected_output(const Question& question) const;
    reference::Array output_from(const reference::Array& weights, const Question& question) const;
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
    wire::Handle handle_;
    wire::Record loaded_;
};

wire::Record without_last(wire::Record state);
wire::Record with_extra(wire::Record state);
wire::Record with_wrong_shape(wire::Record state);

/// The statistics of dropout, whatever the order in which a submission draws.
///
/// One-hot values and W_O = I make each weight visible in the output: each must be 0 or w / (1 - p), the share of zeros
/// among >= 10⁵ draws within 6σ of p, and neighbours along every axis independent of each other.
void expect_dropout(Student& student, Random& random);

/// Passes on credit if plain self-attention is wrong already in this module: then what is asked for on top of that
/// cannot be judged, and another test says what is wrong.
/// @param evidence  that it is computed, in the module with what is asked for
/// @return whether it did
bool is_wrong_without_it(AttentionObject& object, const Tensor& x, const verdict::Failure& failure,
                         const reference::Array& expected, const Evidence& evidence);

}  // namespace headway::judge
