// Hidden tests of exercise 05: the module's parameters, its attention, its state and its refusals.
// B batch · T queries · S keys · D embed_dim · H num_heads · d head_dim · E = H·d
#include "student/record_field.hpp"
#include "suites/05_module/expectations.hpp"

#include <functional>
#include <optional>
#include <utility>

namespace headway::judge {
namespace {

using reference::exact;

HIDDEN_SUITE(Module);

PROPERTY(Module, ParametersAreFourLinearMaps, 1, "the parameters are q_proj, k_proj, v_proj and out_proj: 4D² (+ 4D)") {
    const Sizes n = random_sizes(random);
    const Index D = n.H * n.B * 2;  // divisible by several H
    for (const Index H : {n.H, n.B, Index{1}, Index{2}})
        for (const bool bias : {true, false}) {
            AttentionObject object(student, {.D = D, .H = H, .bias = bias});
            object.expect_parameters();
            object.expect_first_numbers_of_each();
        }
}

STATES(Module, SelfAttentionUsesItsParameters, "project", "split", "scores", "scale", "softmax", "merge", "output");
PROPERTY(Module, SelfAttentionUsesItsParameters, 1, "self-attention is what the parameters say, biases included") {
    for (const bool bias : {true, false}) {
        const Sizes n = random_sizes(random);
        AttentionObject object(student, {.D = n.D(), .H = n.H, .bias = bias});
        const Tensor x = random_tensor(random, {n.B, n.T, n.D()});
        object.forward_of(x);  // what is prepared in a first call must give way to what is loaded
        object.load(object.random_state(random));
        object.eval();
        expect_self_attention(object, x);
        expect_large_scores(object, x);
        object.train();  // without dropout, training changes nothing
        expect_self_attention(object, x);
        // What was prepared must give way to a single number that is another, as after a step of training.
        wire::Record stepped = object.random_state(random);
        object.load(stepped);
        object.forward_of(x);
        for (wire::Field& field : stepped.fields) {
            auto& numbers = std::get<Tensor>(field.value);
            numbers = numbers.clone();
            numbers.data()[random.integer(1, numbers.numel() - 1)] += 1.0F;
        }
        object.load(stepped);
        expect_self_attention(object, x);
    }
    AttentionObject wide(student, {.D = 264, .H = 3, .bias = true});
    wide.load(wide.random_state(random));
    wide.eval();
    expect_self_attention(wide, random_tensor(random, {1, 2, 264}) * 0.1F);  // small: else errors add up
    ask_objects(student, random, "B H T d D=H*d", Masked::no,
                [](AttentionObject& object, const Question& question, Random&) {
                    expect_self_attention(object, question.query);
                });
}

STATES(Module, CrossAttentionTakesKeysAndValuesFromElsewhere, "roles", "roles_of_scores", "key_count");
PROPERTY(Module, CrossAttentionTakesKeysAndValuesFromElsewhere, 1,
         "cross-attention: query, key and value may all differ") {
    const Sizes n = random_sizes(random);
    AttentionObject object(student, {.D = n.D(), .H = n.H, .bias = true});
    object.load(object.random_state(random));
    object.eval();
    for (const Index S : {n.S, n.T}) expect_forward(object, random_question(random, n, S));
    expect_forward(object, in_views(random, random_question(random, n, n.S)));
    ask_objects(student, random, "B H T S d D=H*d", Masked::no,
                [](AttentionObject& asked, const Question& question, Random&) { expect_forward(asked, question); });
}

STATES(Module, HeadDimMayBeChosen, "head_dim", "scale");
PROPERTY(Module, HeadDimMayBeChosen, 1, "head_dim may be chosen apart from D / H: it sets the scale and the widths") {
    const Sizes n = random_sizes(random);
    const auto expect_with_head_dim = [&](AttentionObject& object, const Question& question, const Tensor& output) {
        const auto failure = forward_difference(object, question, output);
        if (!failure) return;
        const bool is_wrong_anyway = student.outside_story([&] {  // the story ends with the call that went wrong
            AttentionObject usual(student, {.D = n.D(), .H = n.H, .bias = true});
            usual.load(usual.random_state(random));
            usual.eval();
            return is_wrong_without_it(usual, random_tensor(random, {n.B, n.T, n.D()}), *failure,
                                       object.expected_output(question), object.computes_what_is_asked_for(question));
        });
        if (!is_wrong_anyway) fail(*failure);
    };
    for (const bool bias : {true, false})
        for (const bool causal : {false, true}) {
            AttentionObject object(student,
                                   {.D = n.D() + 1, .H = n.H, .head_dim = n.d_v, .bias = bias, .causal = causal});
            object.expect_parameters();
            object.load(object.random_state(random));
            if (causal) continue;
            object.eval();
            const Tensor x = random_tensor(random, {n.B, n.T, n.D() + 1});
            expect_with_head_dim(object, {x, x, x, Mask{}}, object.forward_of(x));
        }
    const auto head_dim_alone = [](const Together& choice) {
        return choice.head_dim == Chosen::yes && choice.masked == Chosen::no && choice.causal == Chosen::no;
    };
    ask_small(student, random, 0, head_dim_alone,
              [&](AttentionObject& object, const Together& choice, const Question& question) {
                  expect_with_head_dim(object, question, answer_together(object, choice, question));
              });
}

STATES(Module, MasksAndCausalAddUp, "mask");
PROPERTY(Module, MasksAndCausalAddUp, 1, "the causal option and the mask of a call both block; blocked rows are zero") {
    const Sizes n = random_sizes(random);
    for (const bool causal : {false, true}) {
        AttentionObject object(student, {.D = n.D(), .H = n.H, .bias = true, .causal = causal});
        object.load(object.random_state(random));
        object.eval();
        for (const Index S : {n.S, n.T})
            for (const Mask& mask : {Mask{}, random_mask(random, {n.B, 1, 1, S}), random_mask(random, {n.H, n.T, S}),
                                     random_mask(random, {n.B, n.H, n.T, S}), Mask::block_all({n.T, S})}) {
                Question question = random_question(random, n, S);
                question.mask = mask;
                expect_forward(object, question);
            }
    }
    Sizes narrow = n;  // masks do not see features
    narrow.d = 2;
    for_every_mask(student, random, {n.B, n.H, n.T, n.S}, [&](const Mask& mask, Random& own) {
        AttentionObject object(student, {.D = narrow.D(), .H = n.H, .bias = true, .causal = own.integer(0, 1) == 1});
        object.load(object.random_state(own));
        object.eval();
        Question question = random_question(own, narrow, n.S);
        question.mask = mask;
        expect_forward(object, question);
        question.mask = Mask{};  // which does not mean the mask of the call before
        expect_forward(object, question);
    });
    ask_objects(student, random, "B H T S d D=H*d", Masked::yes,
                [](AttentionObject& object, const Question& question, Random&) { expect_forward(object, question); });
    const auto blocks = [](const Together& choice) {
        return choice.masked == Chosen::yes || choice.causal == Chosen::yes;
    };
    ask_small(student, random, 0, blocks,
              [](AttentionObject& object, const Together& choice, const Question& question) {
                  expect_forward(object, question, answer_together(object, choice, question));
              });
}

PROPERTY(Module, WeightsAreReturnedPerHead, 1, "attention_weights is (B, H, T, S), masked, and before dropout") {
    const Sizes n = random_sizes(random);
    for (const bool causal : {false, true}) {
        AttentionObject object(student, {.D = n.D(), .H = n.H, .bias = true, .causal = causal, .dropout = 0.4});
        object.load(object.random_state(random));
        Question question = random_question(random, n, n.S);
        question.mask = random_mask(random, {n.B, 1, n.T, n.S});
        for (int mode = 0; mode < 2; ++mode) {
            expect_close(student, weights_axes, object.attention_weights(question), object.expected_weights(question));
            object.eval();
        }
        question.mask = random_mask(random, {n.H, n.T, n.S});
        expect_close(student, weights_axes, object.attention_weights(question), object.expected_weights(question));
        const Question large = large_question(random, n);
        expect_close(student, weights_axes, object.attention_weights(large), object.expected_weights(large));
        const Question towering = towering_question(random, n, object);
        expect_close(student, weights_axes, object.attention_weights(towering), object.expected_weights(towering));
        Sizes fewer = n;
        --fewer.T;
        const Question shorter = random_question(random, fewer, n.S);
        expect_close(student, weights_axes, object.attention_weights(shorter), object.expected_weights(shorter));
        Sizes narrow = n;
        narrow.d = 2;  // wider, such scores are less well known
        AttentionObject other(student, {.D = narrow.D(), .H = n.H, .bias = true, .causal = causal});
        const Question low = low_question(random, narrow, other);
        expect_close(student, weights_axes, other.attention_weights(low), other.expected_weights(low));
    }
    ask_objects(student, random, "B H T S d D=H*d", Masked::yes,
                [&](AttentionObject& object, const Question& question, Random& own) {
                    Question before = question;  // whose weights are not asked for
                    before.query = random_tensor(own, question.query.shape());
                    student.outcome("forward", object.arguments(before));
                    expect_close(student, weights_axes, object.attention_weights(question),
                                 object.expected_weights(question));
                });
    ask_small(
        student, random, 0.5, [](const Together&) { return true; },
        [&](AttentionObject& object, const Together&, const Question& question) {
            expect_close(student, weights_axes, object.attention_weights(question), object.expected_weights(question));
        });
}

PROPERTY(Module, StateMakesTheRoundTrip, 1,
         "load_state_dict(state_dict()) gives another module the same answers; other states are refused") {
    const Sizes n = random_sizes(random);
    const ObjectOptions options{.D = n.D(), .H = n.H, .bias = true};
    AttentionObject first(student, options);
    AttentionObject second(student, options.seeded(77));
    const Question question = random_question(random, n, n.S);
    first.eval();
    second.eval();
    first.forward(question);
    const Tensor before = first.forward(question);  // the second, so that no answer is what the call before asked
    const wire::Record state = first.random_state(random);
    first.load(state);
    first.expect_state(state);
    second.load(first.state());
    second.expect_state(state);
    const Tensor answer = first.forward(question);
    expect(difference(output_axes, before, exact(answer)).has_value(), Stage::project,
           "forward answers as before another state was loaded: it does not use the parameters");
    expect_alike(output_axes, second.forward(question), answer);
    first.refuses_state(without_last(state), "an entry is missing");
    first.refuses_state(with_extra(state), "there is an unexpected entry");
    first.refuses_state(with_wrong_shape(state), "an entry has the wrong shape");
    expect_alike(output_axes, first.forward(question), answer);
}

STATES(Module, DropoutZeroesWeightsInTraining, "dropout_what", "dropout_rescale", "dropout_share", "dropout_mode",
       "dropout_draws", "dropout_calls");
PROPERTY(Module, DropoutZeroesWeightsInTraining, 1,
         "in training each weight is 0 with probability p, else weight / (1 - p)") {
    expect_dropout(session, random);
}

bool differ(const wire::Record& a, const wire::Record& b) {
    return std::any_of(a.fields.begin(), a.fields.end(), [&](const wire::Field& field) {
        const wire::Field* other = b.find(field.name);
        return other == nullptr || difference(output_axes, value_of<Tensor>(*other), exact(value_of<Tensor>(field)));
    });
}

STATES(Module, EvalDropsNothingAndSeedsRepeat, "dropout_mode", "dropout_after_eval", "dropout_seed", "seed");
PROPERTY(Module, EvalDropsNothingAndSeedsRepeat, 1,
         "eval drops nothing; equal seeds repeat, parameters and dropout alike") {
    const Sizes n = random_sizes(random);
    const ObjectOptions options{.D = n.D(), .H = n.H, .bias = true, .dropout = 0.4};
    AttentionObject first(student, options.seeded(5));
    AttentionObject second(student, options.seeded(5));
    const Question question = random_question(random, n, n.S);
    second.expect_state(first.state());
    AttentionObject third(student, options.seeded(6));
    expect(differ(first.state(), third.state()), Stage::project, "seeds 5 and 6 give the same initial parameters");
    for (int step = 0; step < 2; ++step) expect_alike(output_axes, second.forward(question), first.forward(question));
    const wire::Record state = first.random_state(random);
    first.load(state);
    first.eval();
    expect_forward(first, question);
    const Tensor in_eval = first.forward(question);
    expect_alike(output_axes, first.first_of_two(question, random_question(random, n, n.S)), in_eval);
    first.train();
    first.attention_weights(question);  // looking does not change the mode
    expect(difference(output_axes, first.forward(question), exact(in_eval)).has_value(), Stage::dropout,
           "after train() the module answers as after eval(): it drops weights in both, or in neither");
    AttentionObject fourth(student, options.seeded(5));
    third.load(state);
    fourth.load(state);
    expect(difference(output_axes, third.forward(question), exact(fourth.forward(question))).has_value(),
           Stage::dropout, "with equal parameters, seeds 5 and 6 drop the same weights");
    Question masked = question;
    masked.mask = random_mask(random, {n.B, n.H, n.T, n.S});
    const Tensor masked_in_training = first.forward(masked);
    first.eval();
    for (int turn = 0; turn < 3; ++turn) {
        first.train();
        expect(difference(output_axes, first.forward(question), exact(in_eval)).has_value(), Stage::dropout,
               "after eval() and train() once more the module answers as after eval()");
        first.eval();
        expect_alike(output_axes, first.forward(question), in_eval);
    }
    expect(difference(output_axes, masked_in_training, exact(first.forward(masked))).has_value(), Stage::dropout,
           "in training nothing is dropped where there is a mask");
}

/// A refusal that is missing hides nothing of what comes after it: where both are wrong, both are told.
void in_turn(Student& student, const std::function<void()>& refusals, const std::function<void()>& others) {
    TestRecord& record = student.test_record();
    refusals();
    try {
        others();
    } catch (const StopTest& stop) {
        if (stop.failure) record.besides = record.completed(stop).message;
        throw;
    }
}

PROPERTY(Module, TheFactoryRefusesBadOptions, 1,
         "the factory and forward refuse what does not fit; calls leave nothing behind") {
    const Sizes n = random_sizes(random);
    const auto refuses = [&](const ObjectOptions& options, const std::string& because) {
        student.refuses("make_multi_head_attention", {{"options", options.seeded(1).record()}}, because);
    };
    const auto all_refused = [&] {
        refuses({.D = n.D(), .H = 0}, "there must be a head");
        refuses({.D = n.D(), .H = -n.H}, "there must be a head");
        refuses({.D = n.D() + 1, .H = n.H}, "embed_dim is not divisible by num_heads");
        refuses({.D = n.D(), .H = n.H, .dropout = 1.0}, "dropout = 1 would leave nothing");
        refuses({.D = n.D(), .H = n.H, .dropout = -0.1}, "dropout is a probability");
        refuses({.D = n.D(), .H = n.H, .dropout = 1.5}, "dropout is a probability");
        refuses({.D = n.D(), .H = n.H, .dropout = std::nan("")}, "dropout = NaN is not in [0, 1)");
        refuses({.D = n.D(), .H = n.H, .head_dim = 0}, "head_dim must be at least 1");
        refuses({.D = 0, .H = n.H}, "embed_dim must be at least 1");
    };
    const auto the_rest = [&] {
        AttentionObject object(student, {.D = n.D(), .H = n.H, .bias = true, .causal = true});
        Question question = random_question(random, n, n.S);
        question.mask = random_mask(random, {n.B, n.H, n.T, n.S});
        AttentionObject(student, {.D = n.D(), .H = n.H, .bias = true, .dropout = 0.4}).expect_mode_stays(question);
        expect_untouched(student, {{"attention_weights", object.weights_arguments(question)}});
        object.eval();
        if (object.outcome("forward", question).error)
            remark(student,
                   "forward throws here at a call that fits, too: that it refuses those that do not says nothing");
        expect_untouched(student, {{"forward", object.arguments(question)}});
        expect_same_if_repeated(student, {"forward", object.arguments(question)}, "query", 0);
        question.value = random_tensor(random, {n.B, n.S + 1, n.D()});
        student.refuses("forward", object.arguments(question), "there are more values than keys");
        question = random_question(random, n, n.S);
        question.query = random_tensor(random, {n.B, n.T, n.D() + 1});
        student.refuses("forward", object.arguments(question), "query is wider than embed_dim");
        refuses_misfits(student, random, "forward", object.arguments(random_question(random, n, n.S)),
                        "query: B T D, key: B S D, value: B S D", Broadcast::may_pass);
        refuses_masks(student, random, {n.B, n.H, n.T, n.S}, "forward", [&](const Mask& mask) {
            Question masked = random_question(random, n, n.S);
            masked.mask = mask;
            return object.arguments(masked);
        });
        expect_as_fresh_for_other_lengths(student, random, n);
    };
    in_turn(student, all_refused, the_rest);
}

}  // namespace
}  // namespace headway::judge
