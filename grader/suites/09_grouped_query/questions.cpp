// What diagnosis asks of exercise 09.
//      B batch · T queries · S keys · D model width · H query heads · H_kv heads of keys and values · d head_dim
#include "suites/09_grouped_query/questions.hpp"

#include "suites/09_grouped_query/inputs.hpp"

#include "diagnosis/small_sizes.hpp"

#include <cmath>
#include <initializer_list>
#include <utility>

namespace headway::diagnosis {

using judge::Arguments;
using judge::random_mask;
using judge::random_tensor;
using judge::grouped_query::heads;

namespace {

/// How many query heads form a group, and how many groups there are.
using Groups = judge::grouped_query::Grouping;

judge::Sizes sizes_of(const SmallSizes& n) { return {n.B, n.H, n.T, n.S, n.d, n.d_v}; }

}  // namespace

std::vector<Arguments> ask_repeat_heads(Random& random) {
    const SmallSizes n = small_sizes(random);
    std::vector<Arguments> questions;
    const auto ask = [&](const Tensor& kv, Index H) { questions.push_back({{"kv", kv}, {"num_heads", H}}); };
    for (const Groups& groups : {Groups{3, 5}, Groups{5, 3}, Groups{2, 3}})
        ask(random_tensor(random, {n.B, groups.H_kv, n.S, n.d}), groups.H());
    const Tensor view = heads(random, n.B, 3, n.S, n.d);
    ask(view, 6);
    ask(view, 3);
    ask(heads(random, n.B, 1, n.S, n.d), 5);
    for (const Index H : {7, 2, 0}) ask(view, H);
    ask(view.select(0, 1), 6);
    return questions;
}

Questions ask_attention(Random& random) {
    const SmallSizes n = small_sizes(random);
    Questions questions;
    const auto ask = [&](const Groups& groups, Index H, const Mask& mask, Index S, Index values, Index width,
                         const char* name = "") {
        questions.add({{"q", heads(random, n.B, H, n.T, n.d)},
                       {"k", heads(random, n.B, groups.H_kv, S, width)},
                       {"v", heads(random, n.B, groups.H_kv, values, n.d_v)},
                       {"mask", mask}},
                      name);
    };
    const auto fits = [&](const Groups& groups, const Mask& mask, const char* name = "") {
        ask(groups, groups.H(), mask, n.S, n.S, n.d, name);
    };
    const Groups wide{3, 2}, narrow{2, 3};
    fits({1, 3}, Mask{}, "H = H_kv");
    fits({5, 1}, Mask{});
    fits(wide, Mask{}, "H > H_kv");
    fits(narrow, Mask{}, "H > H_kv");
    fits({1, 3}, random_mask(random, {n.B, 3, n.T, n.S}), "H = H_kv and there is a mask");
    fits(wide, reference::causal_mask(n.T, n.S));
    fits(narrow, random_mask(random, {n.B, 1, 1, n.S}));
    fits(wide, random_mask(random, {wide.H(), n.T, n.S}));
    fits(narrow, random_mask(random, {n.B, narrow.H(), n.T, n.S}));
    fits(narrow, Mask::block_all({n.T, n.S}));
    Arguments dense = questions[3];
    for (std::size_t i = 0; i < 3; ++i) dense[i].value = std::get<Tensor>(dense[i].value).contiguous();
    questions.add(std::move(dense));
    Arguments sharp = questions[2];
    sharp[0].value = std::get<Tensor>(sharp[0].value) * 60.0F;
    questions.add(sharp, "scores are large");
    sharp[3].value = Mask::block_all({n.T, n.S});  // whatever is left of scores shows there
    questions.add(std::move(sharp));
    ask(narrow, 7, Mask{}, n.S, n.S, n.d);
    ask(narrow, 2, Mask{}, n.S, n.S, n.d);
    ask(narrow, 6, Mask{}, n.S, n.S + 1, n.d);
    ask(narrow, 6, Mask{}, n.S, n.S, n.d + 1);
    for (const Index heads_of_values : {1, 6}) {
        ask(narrow, 6, Mask{}, n.S, n.S, n.d);
        questions.last()[2].value = heads(random, n.B, heads_of_values, n.S, n.d_v);
    }
    // Three axes are one mask for each head, also where there are as many sequences.
    const Groups pairs{2, 2};
    const Index B = pairs.H();
    questions.add({{"q", heads(random, B, pairs.H(), n.T, n.d)},
                   {"k", heads(random, B, pairs.H_kv, n.S, n.d)},
                   {"v", heads(random, B, pairs.H_kv, n.S, n.d_v)},
                   {"mask", random_mask(random, {B, n.T, n.S})}});
    questions.add(judge::grouped_query::Inputs(random, wide, sizes_of(n)).with_highest_blocked());
    questions.add(judge::grouped_query::Inputs(random, wide, sizes_of(n)).with_heads_far_apart());
    questions.add(judge::grouped_query::Inputs(random, wide, sizes_of(n)).with_one_query_far_above());
    // Below what somebody may put for blocked scores, and too far below 0 for float's exp, but not for double's.
    questions.add(judge::grouped_query::Inputs(random, wide, sizes_of(n))
                      .with_scores_near(-2e4F, random_mask(random, {n.T, n.S})));
    questions.add(judge::grouped_query::Inputs(random, narrow, sizes_of(n)).with_scores_near(-160.0F, Mask{}));
    const auto longer = [&](std::initializer_list<std::size_t> which) {  // by a sequence
        questions.add(questions[2]);
        for (const std::size_t i : which) {
            const Shape shape = std::get<Tensor>(questions[2][i].value).shape();
            questions.last()[i].value = random_tensor(random, {n.B + 1, shape[1], shape[2], shape[3]});
        }
    };
    longer({1, 2});
    longer({2});
    longer({0});
    fits(wide, Mask{});
    questions.last()[2].value = heads(random, 1, wide.H_kv, n.S, n.d_v);  // one sequence of values for all
    return questions;
}

std::vector<Arguments> ask_cached_numbers(Random& random) {
    const SmallSizes n = small_sizes(random);
    const auto ask = [&](Index S, Index H, Index H_kv, Index d) {
        return Arguments{{"B", n.B}, {"S", S}, {"num_heads", H}, {"num_kv_heads", H_kv}, {"head_dim", d}};
    };
    return {ask(n.S, 6, 3, n.d), ask(n.S, 5, 1, n.d), ask(n.T, 3, 3, n.d), ask(100'003 * n.S, 6, 2, 1'000 * n.d),
            ask(n.S, 7, 3, n.d), ask(n.S, 2, 3, n.d), ask(n.S, 0, 3, n.d)};
}

std::vector<Arguments> ask_pool_heads(Random& random) {
    const SmallSizes n = small_sizes(random);
    std::vector<Arguments> questions;
    const auto ask = [&](const Tensor& w, Index H, Index H_kv) {
        questions.push_back({{"w", w}, {"num_heads", H}, {"num_kv_heads", H_kv}});
    };
    for (const Groups& groups : {Groups{3, 2}, Groups{2, 3}, Groups{1, 3}, Groups{5, 1}})
        ask(random_tensor(random, {n.S, groups.H() * n.d}), groups.H(), groups.H_kv);
    ask(random_tensor(random, {6 * n.d, n.S}).transpose(0, 1), 6, 3);
    ask(random_tensor(random, {n.S, 7 * n.d}), 7, 3);
    ask(random_tensor(random, {n.S, 2 * n.d}), 2, 3);
    ask(random_tensor(random, {n.S, 6 * n.d}), 0, 3);
    ask(random_tensor(random, {n.S, 6 * n.d + 1}), 6, 3);
    ask(random_tensor(random, {n.S, 6 * n.d + 3}), 6, 3);  // as many groups as divide it, but not heads
    return questions;
}

Questions ask_layer(Random& random) {
    const SmallSizes n = small_sizes(random);
    const Index D = n.S;
    const auto weight = [&](Index in, Index out) {
        return random_tensor(random, {in, out}) * (1.5F / std::sqrt(static_cast<float>(in)));
    };
    const auto ask = [&](const Groups& groups, const Mask& mask) {
        const Index E = groups.H() * n.d, E_kv = groups.H_kv * n.d;
        return Arguments{{"x", random_tensor(random, {n.B, n.T, D})},
                         {"w_q", weight(D, E)},
                         {"w_k", weight(D, E_kv)},
                         {"w_v", weight(D, E_kv)},
                         {"w_o", weight(E, D)},
                         {"num_heads", groups.H()},
                         {"num_kv_heads", groups.H_kv},
                         {"mask", mask}};
    };
    const Groups wide{3, 2}, narrow{2, 3};
    Questions questions;
    questions.add(ask({1, 3}, Mask{}), "H = H_kv");
    questions.add(ask(wide, Mask{}), "H > H_kv");
    questions.add(ask(narrow, Mask{}), "H > H_kv");
    questions.add(ask(wide, reference::causal_mask(n.T, n.T)), "there is a mask");
    questions.add(ask(narrow, random_mask(random, {n.B, narrow.H(), n.T, n.T})));
    questions.add(ask(narrow, random_mask(random, {n.B, 1, 1, n.T})));
    // As wide as its heads together, and a view: strides and widths that could be taken for one another.
    Arguments view = questions[1];
    view[0].value = random_tensor(random, {n.B, D, n.T}).transpose(1, 2);
    view[1].value = random_tensor(random, {wide.H() * n.d, D}).transpose(0, 1);
    questions.add(std::move(view));
    // H·d = D
    Arguments square = ask(wide, Mask{});
    const Index E = wide.H() * n.d;
    square[0].value = random_tensor(random, {n.B, n.T, E});
    square[1].value = weight(E, E);
    square[2].value = weight(E, wide.H_kv * n.d);
    square[3].value = weight(E, wide.H_kv * n.d);
    square[4].value = weight(E, E);
    questions.add(std::move(square));
    Arguments too_wide = ask(narrow, Mask{});
    too_wide[2].value = weight(D, narrow.H() * n.d);
    too_wide[3].value = weight(D, narrow.H() * n.d);
    questions.add(std::move(too_wide));
    Arguments other_values = ask(narrow, Mask{});
    other_values[3].value = weight(D, narrow.H_kv * (n.d + 1));
    other_values[4].value = weight(narrow.H() * (n.d + 1), D);
    questions.add(std::move(other_values));
    Arguments other_output = ask(narrow, Mask{});
    other_output[4].value = weight(narrow.H() * n.d, D + 1);
    questions.add(std::move(other_output));
    Arguments other_output_of_one = ask({3, 1}, Mask{});
    other_output_of_one[4].value = weight(3 * n.d, D + 1);
    questions.add(std::move(other_output_of_one));
    Arguments further_columns = ask(narrow, Mask{});
    further_columns[3].value = weight(D, narrow.H_kv * (n.d + 1));
    questions.add(std::move(further_columns));
    Arguments further_rows = ask(narrow, Mask{});
    further_rows[4].value = weight(narrow.H() * n.d + 1, D);
    questions.add(std::move(further_rows));
    Arguments tall = ask(narrow, Mask{});
    tall[2].value = weight(D + 1, narrow.H_kv * n.d);
    questions.add(std::move(tall));
    for (const Index H_kv : {4, 7, 0}) {
        questions.add(ask(narrow, Mask{}));
        questions.last()[6].value = H_kv;
    }
    return questions;
}

}  // namespace headway::diagnosis
