// Hidden tests of exercise 09.   B batch · H heads · H_kv heads of keys and values · T queries · S keys · d head_dim
#include "suites/09_grouped_query/inputs.hpp"

#include "student/hidden_test.hpp"

#include <algorithm>
#include <cmath>

namespace headway::judge {
namespace {

using namespace grouped_query;
using reference::to_tensor;

HIDDEN_SUITE(GroupedQuery);

const CheckedPart repeated_axes{"repeated heads", Stage::split, {"b", "h", "key", "feature"}};
const CheckedPart context_axes{"context vectors", Stage::weigh, {"b", "h", "query", "feature"}};
const CheckedPart pooled_axes{"pooled projections", Stage::project, {"row", "column"}};
const CheckedPart output_axes{"outputs", Stage::output, {"b", "token", "feature"}};

/// What follows from the student's own repeat_heads.
std::optional<Array> from_own_heads(Student& student, const Inputs& in, const Mask& mask) {
    std::vector<Array> repeats;
    for (const Tensor& kv : {in.k, in.v}) {
        const Outcome outcome = student.outcome("repeat_heads", {{"kv", kv}, {"num_heads", in.grouping.H()}});
        const auto* tensor = std::get_if<Tensor>(&outcome.value);
        if (tensor == nullptr || tensor->shape() != Shape{in.n.B, in.grouping.H(), in.n.S, kv.size(3)})
            return std::nullopt;
        repeats.push_back(own(*tensor));
    }
    return reference::attention(exact(in.q), repeats[0], repeats[1], mask).context;
}

void expect_attention(Student& student, const Inputs& in, const Mask& mask) {
    const FunctionCall call{"grouped_query_attention", in.with(mask)};
    expect_close_given(
        student, context_axes, student.tensor(call.function, call.arguments), in.expected(mask), {"repeat_heads"},
        [&] { return from_own_heads(student, in, mask); }, computes(student, call));
}

PROPERTY(GroupedQuery, CopiesOfAHeadLieSideBySide, 2, "repeat_heads gives query head h a copy of head h / (H / H_kv)") {
    for (const Grouping& grouping : {Grouping{3, 5}, Grouping{5, 3}, Grouping{1, 6}, Grouping{7, 1}}) {
        const Sizes n = random_sizes(random);
        const Tensor kv = heads(random, n.B, grouping.H_kv, n.S, n.d);
        for (const Tensor& some : {kv, kv.contiguous()})
            expect_close(student, repeated_axes,
                         student.tensor("repeat_heads", {{"kv", some}, {"num_heads", grouping.H()}}),
                         repeated(exact(some), grouping.group));
    }
    for_every_relation(student, random, "B G K S d H=G*K", [&](const AxisSizes& n, Random& own) {
        const Tensor kv = heads(own, n["B"], n["K"], n["S"], n["d"]);
        expect_close(student, repeated_axes, student.tensor("repeat_heads", {{"kv", kv}, {"num_heads", n["H"]}}),
                     repeated(exact(kv), n["G"]));
    });
}

STATES(GroupedQuery, AGroupSharesKeysAndValues, "group");
PROPERTY(GroupedQuery, AGroupSharesKeysAndValues, 1, "the query heads of a group attend to the same keys and values") {
    for (int round = 0; round < 2; ++round) expect_attention(student, Inputs(random, random_grouping(random)), Mask{});
    for_every_relation(student, random, "B G K T S d d_v H=G*K", [&](const AxisSizes& n, Random& own) {
        expect_attention(student, Inputs(own, {n["G"], n["K"]}, n.sizes()), Mask{});
    });
}

STATES(GroupedQuery, LargeScoresOverflowNothing, "softmax_shift");
PROPERTY(GroupedQuery, LargeScoresOverflowNothing, 1,
         "scores of ±1e4 are scores like any other, whatever other queries or blocked keys score") {
    Inputs in(random, random_grouping(random));
    const Inputs small = in;
    in.q = in.q.clone();
    for (Index t = 0; t < in.n.T; ++t) in.q.select(2, t) *= t % 2 == 0 ? 1e4F : 1.0F;
    for (const Mask& mask : {Mask{}, random_mask(random, {in.n.T, in.n.S})}) {
        const FunctionCall call{"grouped_query_attention", in.with(mask)};
        const Tensor actual = student.tensor(call.function, call.arguments);
        const auto failure = what_is_wrong(student, context_axes, actual, in.expected(mask));
        if (!failure) continue;
        // What is wrong for small scores too is another test's business.
        const Outcome again = student.outside_story([&] { return student.outcome(call.function, small.with(mask)); });
        const auto* tensor = std::get_if<Tensor>(&again.value);
        if (tensor != nullptr && !difference(context_axes, *tensor, small.expected(mask))) fail(*failure);
        pass_on_credit(student, {call.function, "repeat_heads"}, *failure, in.expected(mask),
                       computes(student, call, "", {.linear_in = "v"}));
    }
}

STATES(GroupedQuery, TheEndsAreMultiHeadAndMultiQuery, "group");
PROPERTY(GroupedQuery, TheEndsAreMultiHeadAndMultiQuery, 1,
         "H_kv = H is multi-head attention, H_kv = 1 is multi-query attention") {
    for (const Grouping& grouping : {Grouping{1, 6}, Grouping{6, 1}, Grouping{1, 1}})
        expect_attention(student, Inputs(random, grouping), Mask{});
}

void expect_masked(Student& student, const Inputs& in, const Mask& mask) {
    const FunctionCall call{"grouped_query_attention", in.with(mask)};
    const Tensor actual = student.tensor(call.function, call.arguments);
    const auto failure = what_is_wrong(student, context_axes, actual, in.expected(mask));
    if (!failure) return;
    // Wrong without a mask too? Then it is not the mask.
    const Outcome unmasked =
        student.outside_story([&] { return student.outcome("grouped_query_attention", in.with(Mask{})); });
    const auto* tensor = std::get_if<Tensor>(&unmasked.value);
    if (tensor == nullptr || !difference(context_axes, *tensor, in.expected(Mask{}))) fail(*failure);
    pass_on_credit(student, {call.function, "repeat_heads"}, *failure, in.expected(mask),
                   computes(student, call, "", {.mask = true, .linear_in = "v"}));
}

STATES(GroupedQuery, MasksReachEveryQueryHead, "mask");
PROPERTY(GroupedQuery, MasksReachEveryQueryHead, 1, "each query head has its mask, within a group too") {
    const Inputs in(random, random_grouping(random));
    const Sizes& n = in.n;
    for (const Mask& mask : {reference::causal_mask(n.T, n.S), random_mask(random, {n.B, 1, 1, n.S}),
                             random_mask(random, {in.grouping.H(), n.T, n.S}),
                             random_mask(random, {n.B, in.grouping.H(), n.T, n.S}), Mask::block_all({n.T, 1})})
        expect_masked(student, in, mask);
    for_every_mask(student, random, {n.B, in.grouping.H(), n.T, n.S},
                   [&](const Mask& mask, Random& own) { expect_masked(student, Inputs(own, in.grouping, n), mask); });
    for_every_relation(student, random, "B G K T S d d_v H=G*K", [&](const AxisSizes& sizes, Random& own) {
        const Mask mask = mask_of_any_form(own, {sizes["B"], sizes["H"], sizes["T"], sizes["S"]});
        expect_masked(student, Inputs(own, {sizes["G"], sizes["K"]}, sizes.sizes()), mask);
    });
    const Arguments highest_blocked = in.with_highest_blocked();
    Inputs sharp = in;
    sharp.q = std::get<Tensor>(highest_blocked[0].value);
    expect_masked(student, sharp, std::get<Mask>(highest_blocked[3].value));
    // Three axes are one mask for each head, also where there are as many sequences.
    const Grouping pairs{2, 2};
    Sizes alike = n;
    alike.B = pairs.H();
    expect_masked(student, Inputs(random, pairs, alike), random_mask(random, {pairs.H(), n.T, n.S}));
}

PROPERTY(GroupedQuery, TheCacheHoldsTheSharedHeads, 1,
         "a cache holds 2·B·S·H_kv·d numbers: H_kv / H of multi-head attention") {
    for (const Grouping& grouping : {Grouping{3, 5}, Grouping{6, 1}, Grouping{1, 7}}) {
        const Sizes n = random_sizes(random);
        const Outcome outcome = student.outcome("cached_numbers", {{"B", n.B},
                                                                   {"S", n.S * 100'003},  // beyond 32 bits
                                                                   {"num_heads", grouping.H()},
                                                                   {"num_kv_heads", grouping.H_kv},
                                                                   {"head_dim", n.d * 1'000}});
        const Index expected = 2 * n.B * n.S * 100'003 * grouping.H_kv * n.d * 1'000;
        const auto* numbers = std::get_if<Index>(&outcome.value);
        expect(numbers != nullptr && *numbers == expected, Stage::none,
               "your cached_numbers answers " + (numbers == nullptr ? "nothing" : std::to_string(*numbers)) +
                   "; keys and values of " + std::to_string(grouping.H_kv) + " heads are " + std::to_string(expected) +
                   " numbers");
    }
    shown(student);
}

/// @param w  (D, H·d), a transposed view
void expect_pooled(Student& student, const Tensor& w, const Grouping& grouping, Index d) {
    const Array columns = exact(w);
    Array expected = exact(Tensor::zeros({w.size(0), grouping.H_kv * d}));
    const auto share = 1.0 / static_cast<double>(grouping.group);
    for (Index i = 0; i < columns.numel(); ++i) {
        const Index row = i / (grouping.H() * d), head = i / d % grouping.H(), feature = i % d;
        const auto to = static_cast<std::size_t>((row * grouping.H_kv + head / grouping.group) * d + feature);
        const double number = columns.value[static_cast<std::size_t>(i)] * share;
        expected.value[to] += number;
        expected.error[to] += static_cast<double>(grouping.group + 2) * reference::unit_roundoff * std::abs(number);
    }
    const Arguments arguments{
        {"w (a transposed view)", w}, {"num_heads", grouping.H()}, {"num_kv_heads", grouping.H_kv}};
    expect_close(student, pooled_axes, student.tensor("pool_heads", arguments), expected);
}

PROPERTY(GroupedQuery, PoolingIsTheMeanOfEachGroup, 1,
         "pooling a projection takes the mean over the heads of each group") {
    for (const Grouping& grouping : {Grouping{3, 5}, Grouping{5, 3}, Grouping{1, 3}, Grouping{6, 1}}) {
        const Sizes n = random_sizes(random);
        expect_pooled(student, random_tensor(random, {grouping.H() * n.d, n.S}).transpose(0, 1), grouping, n.d);
    }
    for_every_relation(student, random, "D G K d H=G*K", [&](const AxisSizes& n, Random& own) {
        expect_pooled(student, random_tensor(own, {n["H"] * n["d"], n["D"]}).transpose(0, 1), {n["G"], n["K"]}, n["d"]);
    });
}

/// What the layer makes of the student's own grouped_query_attention.
std::optional<Array> from_own_context(Student& student, const Layer& layer, const Mask& mask) {
    const Grouping& grouping = layer.grouping;
    const Outcome outcome =
        student.outcome("grouped_query_attention", {{"q", to_tensor(layer.split(layer.w_q, grouping.H()))},
                                                    {"k", to_tensor(layer.split(layer.w_k, grouping.H_kv))},
                                                    {"v", to_tensor(layer.split(layer.w_v, grouping.H_kv))},
                                                    {"mask", mask}});
    const auto* context = std::get_if<Tensor>(&outcome.value);
    if (context == nullptr || context->shape() != Shape{layer.n.B, grouping.H(), layer.n.T, layer.n.d})
        return std::nullopt;
    return own(to_tensor(layer.output(own(*context))));
}

void expect_layer(Student& student, const Layer& layer, const Mask& mask) {
    const FunctionCall call{"grouped_query_self_attention", layer.with(mask)};
    expect_close_given(
        student, output_axes, student.tensor(call.function, call.arguments), layer.expected(mask),
        {"grouped_query_attention", "repeat_heads"}, [&] { return from_own_context(student, layer, mask); },
        computes(student, call));
}

/// Large scores overflow nothing, if grouped_query_attention takes them: else another test says so.
void expect_layer_with_large_scores(Student& student, Layer layer, const Mask& mask) {
    layer.w_q = layer.w_q * 300.0F;
    const auto follows = what_follows(student, [&] { return from_own_context(student, layer, mask); });
    if (follows && std::ranges::all_of(follows->value, [](double number) { return std::isfinite(number); }))
        expect_layer(student, layer, mask);
}

STATES(GroupedQuery, TheLayerProjectsFewerKeysAndValues, "layer_head_dim", "joint_projection");
PROPERTY(GroupedQuery, TheLayerProjectsFewerKeysAndValues, 1,
         "the layer splits queries into H heads, keys and values into H_kv, and merges the H contexts") {
    for (const Grouping& grouping : {Grouping{3, 5}, Grouping{5, 3}, Grouping{1, 3}}) {
        const Layer layer(random, grouping);
        const Index B = layer.n.B, T = layer.n.T;
        for (const Mask& mask : {Mask{}, reference::causal_mask(T, T), random_mask(random, {B, 1, T, T}),
                                 random_mask(random, {grouping.H(), 1, T})})
            expect_layer(student, layer, mask);
        expect_layer_with_large_scores(student, layer, Mask{});
    }
    for_every_relation(student, random, "B G K T S d H=G*K E=G*K*d", [&](const AxisSizes& n, Random& own) {
        const Layer layer(own, {n["G"], n["K"]}, n.sizes());
        expect_layer(student, layer, mask_of_any_form(own, {n["B"], n["H"], n["T"], n["T"]}));
    });
}

void expect_heads_checked(Student& student, Random& random, const Inputs& in) {
    const Sizes& n = in.n;
    Arguments one_more = in.with(Mask{});
    one_more[0].value = heads(random, n.B, in.grouping.H() + 1, n.T, n.d);
    student.refuses("grouped_query_attention", one_more, "H is not divisible by H_kv");
    Arguments more_values = in.with(Mask{});
    more_values[2].value = heads(random, n.B, in.grouping.H_kv, n.S + 1, n.d_v);
    student.refuses("grouped_query_attention", more_values, "there are more values than keys");
    Arguments more_heads = in.with(Mask{});
    more_heads[2].value = heads(random, n.B, 1, n.S, n.d_v);
    student.refuses("grouped_query_attention", more_heads, "k and v differ in heads");
    const auto refuses = [&](const Tensor& q, const Tensor& k, const Tensor& v, const std::string& because) {
        student.refuses("grouped_query_attention", {{"q", q}, {"k", k}, {"v", v}, {"mask", Mask{}}}, because);
    };
    const Tensor more_k = heads(random, n.B + 1, in.grouping.H_kv, n.S, n.d);
    const Tensor more_v = heads(random, n.B + 1, in.grouping.H_kv, n.S, n.d_v);
    refuses(in.q, more_k, more_v, "there are keys and values for more sequences than there are queries");
    refuses(in.q, in.k, more_v, "there are values for more sequences than there are keys");
    refuses(heads(random, n.B + 1, in.grouping.H(), n.T, n.d), in.k, in.v,
            "there are queries for more sequences than there are keys");
    refuses(in.q, heads(random, n.B, in.grouping.H_kv, n.S, n.d + 1), in.v, "k is wider than q");
    refuses(heads(random, n.B, in.grouping.H(), n.T, n.d + 1), in.k, in.v, "q is wider than k");
}

/// What divides without a rest may yet be no number of heads. All else fits in each question.
void expect_numbers_of_heads_checked(Student& student, Random& random, const Sizes& n, const Layer& layer) {
    constexpr Index H = 6, H_kv = 3;
    const Tensor w = random_tensor(random, {n.S, H * n.d});
    const auto refuse = [&](Index times_heads, Index times_kv_heads, const char* because) {
        student.refuses("cached_numbers",
                        {{"B", n.B},
                         {"S", n.S},
                         {"num_heads", times_heads * H},
                         {"num_kv_heads", times_kv_heads * H_kv},
                         {"head_dim", n.d}},
                        because);
        student.refuses("pool_heads",
                        {{"w", w}, {"num_heads", times_heads * H}, {"num_kv_heads", times_kv_heads * H_kv}}, because);
        Arguments other = layer.with(Mask{});
        other[5].value = times_heads * layer.grouping.H();
        other[6].value = times_kv_heads * layer.grouping.H_kv;
        student.refuses("grouped_query_self_attention", other, because);
    };
    refuse(0, 1, "num_heads is 0");
    refuse(1, 0, "num_kv_heads is 0");
    refuse(-1, 1, "num_heads is negative");
    refuse(1, -1, "num_kv_heads is negative");
    refuse(-1, -1, "num_heads and num_kv_heads are negative");
}

void expect_matrices_checked(Student& student, Random& random, const Layer& layer) {
    Arguments narrow = layer.with(Mask{});
    narrow[2].value = layer.w_q;  // as wide as for multi-head attention
    student.refuses("grouped_query_self_attention", narrow, "w_k is as wide as w_q");
    student.refuses("grouped_query_self_attention", layer.with_wide_values(random), "w_v is wider than w_k");
    Arguments wide_values = layer.with(Mask{});
    wide_values[3].value = layer.with_wide_values(random)[3].value;
    student.refuses("grouped_query_self_attention", wide_values, "w_v is wider than w_k");
    student.refuses("grouped_query_self_attention", layer.with_wide_output(random),
                    "w_o is not (H·d, D): it has a column too many");
    Arguments tall_output = layer.with(Mask{});
    tall_output[4].value = random_tensor(random, {layer.w_o.size(0) + 1, layer.w_o.size(1)});
    student.refuses("grouped_query_self_attention", tall_output, "w_o is not (H·d, D): it has a row too many");
    for (std::size_t which = 1; which <= 3; ++which) {
        Arguments tall = layer.with(Mask{});
        const Tensor& w = std::get<Tensor>(tall[which].value);
        tall[which].value = random_tensor(random, {w.size(0) + 1, w.size(1)});
        student.refuses("grouped_query_self_attention", tall, tall[which].name + " has more rows than x has features");
    }
    Arguments uneven_columns = layer.with(Mask{});
    uneven_columns[1].value = random_tensor(random, {layer.w_q.size(0), layer.w_q.size(1) + 1});
    student.refuses("grouped_query_self_attention", uneven_columns, "the columns of w_q do not divide among the heads");
    Arguments flat = layer.with(Mask{});
    flat[0].value = layer.x.select(0, 1);
    student.refuses_index("grouped_query_self_attention", flat, "x must be of shape (B, T, D)");
}

PROPERTY(GroupedQuery, UnevenGroupsAreRefused, 1,
         "uneven groups of heads are refused, strides change no answer; arguments and later calls are left alone") {
    const Inputs in(random, random_grouping(random));
    const Sizes& n = in.n;
    const Inputs multi_head(random, {1, 3});  // where repeating the heads changes nothing
    const Layer layer(random, {3, 5});
    const Tensor to_pool = random_tensor(random, {n.S, 6 * n.d});
    expect_untouched(student,
                     {{"grouped_query_attention", in.with(random_mask(random, {n.T, n.S}))},
                      {"grouped_query_attention", multi_head.with(Mask{})},
                      {"repeat_heads", {{"kv", in.k}, {"num_heads", in.grouping.H()}}},
                      {"repeat_heads", {{"kv", multi_head.k}, {"num_heads", multi_head.grouping.H()}}},
                      {"pool_heads", {{"w", to_pool}, {"num_heads", Index{6}}, {"num_kv_heads", Index{3}}}},
                      {"pool_heads", {{"w", to_pool}, {"num_heads", Index{6}}, {"num_kv_heads", Index{6}}}},
                      {"grouped_query_self_attention", layer.with(random_mask(random, {layer.n.T, layer.n.T}))}});
    expect_same_if_repeated(student, {"grouped_query_attention", in.with(Mask{})}, "k", 0);
    const std::string uneven = "H is not divisible by H_kv";
    for (const Index H : {in.grouping.H() + 1, in.grouping.H_kv - 1, Index{0}})
        student.refuses("repeat_heads", {{"kv", in.k}, {"num_heads", H}}, uneven);
    expect_heads_checked(student, random, in);
    student.refuses_index("repeat_heads", {{"kv", in.k.select(0, 1)}, {"num_heads", in.grouping.H()}},
                          "kv must be of shape (B, H_kv, S, d)");
    const Arguments count{
        {"B", n.B}, {"S", n.S}, {"num_heads", Index{7}}, {"num_kv_heads", Index{3}}, {"head_dim", n.d}};
    student.refuses("cached_numbers", count, uneven);
    const Tensor w = random_tensor(random, {n.S, 7 * n.d});
    student.refuses("pool_heads", {{"w", w}, {"num_heads", Index{7}}, {"num_kv_heads", Index{3}}}, uneven);
    expect_numbers_of_heads_checked(student, random, n, layer);
    for (const Index columns : {31, 33})
        student.refuses(
            "pool_heads",
            {{"w", random_tensor(random, {n.S, columns})}, {"num_heads", Index{6}}, {"num_kv_heads", Index{3}}},
            std::to_string(columns) + " columns do not divide among 6 heads");
    expect_matrices_checked(student, random, layer);
    // With one head of keys and values for all, also who never takes those apart has to look.
    student.refuses("grouped_query_self_attention", Layer(random, {3, 1}).with_wide_output(random),
                    "w_o is not (H·d, D): it has a column too many");
    refuses_misfits(student, random, "grouped_query_attention", in.with(Mask{}),
                    "q: B H T d, k: B K S d, v: B K S d_v");
    refuses_misfits(student, random, "grouped_query_self_attention", layer.with(Mask{}),
                    "x: B T D, w_q: D H*d!, w_k: D K*d!, w_v: D K*d!, w_o: H*d! D");
    refuses_masks(student, random, {n.B, in.grouping.H(), n.T, n.S}, "grouped_query_attention",
                  [&](const Mask& mask) { return in.with(mask); });
}

}  // namespace
}  // namespace headway::judge
