// The small questions that a module is asked. Sizes differ pairwise: a search computes thousands of answers to them.
#include "suites/05_module/asked_module.hpp"

#include "student/inputs.hpp"

#include <cmath>
#include <utility>

namespace headway::diagnosis {

using judge::Arguments;
using judge::ObjectOptions;
using judge::random_mask;
using judge::random_state;
using judge::random_tensor;
using judge::specified;

namespace {

constexpr Index B = 2;

Arguments question(Random& random, const ObjectOptions& asking, Index T, Index S, const Mask& mask = {}) {
    const wire::Record state = random_state(random, asking);
    const judge::Question call = judge::random_question(random, {B, 1, T, S, asking.D, 1}, S);
    return {{"question", std::string("numbers")},
            {"options", asking.record()},
            {"state", state},
            {"query", call.query},
            {"key", call.key},
            {"value", call.value},
            {"mask", mask}};
}

Arguments in_views(Random& random, Arguments arguments) {
    const judge::Question views = judge::in_views(random, call_of(arguments));
    return changed(changed(std::move(arguments), "query", views.query), "key", views.key);
}

/// One head whose keys differ little and whose queries are opposed to them: all scores are near -150, where float's exp
/// is 0. Larger ones would tell less, as their rounding errors grow with them.
/// @param apart  by how much of themselves tokens differ
Arguments negative(Random& random, Arguments arguments, float score = 150, float apart = 0.01F) {
    const Tensor one = random_tensor(random, {1, 1, tensor(arguments, "key").size(2)});
    auto state = std::get<wire::Record>(argument(arguments, "state"));
    const Tensor weight = std::get<Tensor>(state.find("q_proj.weight")->value);
    for (wire::Field& field : state.fields)
        if (field.name == "k_proj.weight") field.value = weight;
    const Array projected =
        reference::matmul(reference::exact(one), reference::transpose(reference::exact(weight), 0, 1));
    double square = 0;
    for (const double x : projected.value) square += x * x;
    const float factor = score * std::sqrt(static_cast<float>(projected.size(-1))) / static_cast<float>(square);
    const Tensor key = one + tensor(arguments, "key") * apart;
    const Tensor query = (one + tensor(arguments, "query") * apart) * -factor;
    arguments = changed(std::move(arguments), "state", state);
    return changed(changed(std::move(arguments), "key", key), "query", query);
}

/// Rows of scores near 150, 1.5 and -150.
Arguments large(Random& random, Arguments arguments) {
    arguments = negative(random, std::move(arguments));
    Tensor query = tensor(arguments, "query");
    for (Index t = 0; t < query.size(1); ++t)
        if (t % 3 != 2) query.slice(1, t, t + 1) *= t % 3 == 0 ? -1.0F : -0.01F;
    return arguments;  // query is a view of the numbers in it
}

/// Scores near 1 in size, and beside them one near 150, which is blocked for every other query.
Arguments towering(Random& random, Arguments arguments) {
    arguments = negative(random, std::move(arguments));
    const Tensor alike = tensor(arguments, "key");
    Tensor key = alike.clone();
    for (Index s = 1; s < key.size(1); ++s) key.slice(1, s, s + 1) -= alike.slice(1, 0, 1);
    const Tensor query = tensor(arguments, "query") * -1.0F;
    Mask first = Mask::allow_all({query.size(1), key.size(1)});
    for (Index t = 0; t < query.size(1); t += 2) first(t, 0) = true;
    return changed(changed(changed(std::move(arguments), "query", query), "key", key), "mask", first);
}

Arguments too_wide(Random& random, Arguments arguments) {
    const Tensor query = tensor(arguments, "query");
    const Tensor wide = random_tensor(random, {query.size(0), query.size(1), query.size(2) + 1});
    return changed(std::move(arguments), "query", wide);
}

Arguments too_long(Random& random, Arguments arguments) {
    const Tensor value = tensor(arguments, "value");
    const Tensor longer = random_tensor(random, {value.size(0), value.size(1) + 1, value.size(2)});
    return changed(std::move(arguments), "value", longer);
}

constexpr Index D = 15, H = 3, T = 4, S = 6;

/// What attention_weights and forward are asked alike.
Questions shared_questions(Random& random) {
    const ObjectOptions plain{.D = D, .H = H};
    const ObjectOptions causal{.D = D, .H = H, .causal = true};
    const ObjectOptions apart{.D = 9, .H = H, .head_dim = 5, .bias = false};
    const ObjectOptions one_head{.D = 7, .H = 1, .bias = false};  // so that a row of zero weights is a row of zeros
    const ObjectOptions without_bias{.D = D, .H = H, .bias = false};
    const Mask padding = random_mask(random, {B, 1, 1, S});
    Questions questions;
    questions.add(question(random, one_head, 1, 1), "there are one head and one key");
    questions.add(question(random, one_head, T, S), "there is one head");
    questions.add(question(random, without_bias, T, S), "there are neither masks nor biases");
    for (const Arguments& arguments :
         {question(random, plain, S, S), question(random, plain, T, S), question(random, apart, T, 7),
          question(random, plain, S, T), in_views(random, question(random, plain, T, S))})
        questions.add(arguments, "there is no mask");
    for (const Arguments& arguments :
         {question(random, plain, T, S, random_mask(random, {B, H, T, S})), question(random, causal, T, S),
          question(random, causal, S, S), question(random, causal, S, T), question(random, causal, T, S, padding),
          question(random, causal, T, S, random_mask(random, {B, H, T, S})),
          question(random, causal, S, S, random_mask(random, {S, S})),
          question(random, plain, T, S, Mask::block_all({T, S}))})
        questions.add(arguments, "something is blocked");
    questions.add(large(random, question(random, one_head, T, S)));
    questions.add(negative(random, question(random, one_head, T, S)));
    questions.add(negative(random, question(random, one_head, T, S, random_mask(random, {T, S})), 1e4F, 3e-5F));
    const Arguments far_apart = towering(random, question(random, one_head, T, S));
    questions.add(far_apart);
    questions.add(changed(far_apart, "mask", Mask::block_all({T, S})));  // whatever is left of scores shows there
    questions.add(too_wide(random, question(random, plain, T, S)));
    // Else a mask that is forgotten without biases shows beside a towering score alone, and looks like its mistake.
    questions.add(question(random, without_bias, T, S, random_mask(random, {B, H, T, S})), "something is blocked");
    // A causal mask of one length alone broadcasts where that is 1.
    questions.add(question(random, causal, 1, S));
    questions.add(question(random, causal, T, 1));
    // Of three axes: other than there are sequences, and as many.
    questions.add(question(random, plain, T, S, random_mask(random, {H, T, S})), "something is blocked");
    questions.add(question(random, {.D = 10, .H = B}, T, S, random_mask(random, {B, T, S})), "something is blocked");
    // D / H is no integer, and no head is as wide.
    questions.add(question(random, {.D = 11, .H = H, .head_dim = 5, .bias = false}, T, 7));
    return questions;
}

}  // namespace

std::vector<std::pair<Stage, std::string>> stages_of_questions() {
    return {{Stage::project, "there are one head and one key"},
            {Stage::scores, "there is one head"},
            {Stage::split, "there are neither masks nor biases"},
            {Stage::project, "there is no mask"},
            {Stage::mask, "something is blocked"}};
}

Questions weights_questions(Random& random) {
    Questions questions = shared_questions(random);
    questions.add(question(random, {.D = D, .H = H, .dropout = 0.4}, S, S));
    return questions;
}

Questions forward_questions(Random& random) {
    Questions questions = shared_questions(random);
    questions.add(too_long(random, question(random, {.D = D, .H = H}, T, S)));
    return questions;
}

std::vector<Arguments> loading_questions(Random& random) {
    const ObjectOptions asking{.D = D, .H = H};
    Arguments reload = changed(question(random, asking, S, S), "question", std::string("reload"));
    reload.push_back({"later state", random_state(random, asking)});
    Arguments refused = changed(reload, "question", std::string("refused state"));
    std::vector<Arguments> questions{reload};
    for (const auto spoilt : {&judge::without_first, &judge::with_extra, &judge::with_wrong_shape})
        questions.push_back(changed(refused, "state", spoilt(random_state(random, asking))));
    return questions;
}

std::vector<Arguments> several_calls_questions(Random& random) {
    const Arguments of_one_mask = question(random, {.D = D, .H = H, .causal = true}, S, S, random_mask(random, {S}));
    // What is kept may have to fit the scores.
    const Arguments of_a_mask_each = question(random, {.D = D, .H = H}, S, S, random_mask(random, {B, H, S, S}));
    return {of_one_mask, changed(of_a_mask_each, "question", std::string(after_a_mask)),
            changed(of_a_mask_each, "question", std::string(after_forward)),
            changed(of_one_mask, "question", std::string(after_more_keys))};
}

}  // namespace headway::diagnosis
