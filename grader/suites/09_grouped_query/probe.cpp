// What tells submissions of exercise 09 apart: every answer, whether right or wrong.
#include "suites/09_grouped_query/inputs.hpp"

#include "student/hidden_test.hpp"

namespace headway::judge {
namespace {

using namespace grouped_query;

PROBE(GroupedQuery) {
    for (const Grouping& grouping : {random_grouping(random), Grouping{1, 6}, Grouping{6, 1}}) {
        const Inputs in(random, grouping);
        const Sizes& n = in.n;
        for (const Mask& mask : {Mask{}, random_mask(random, {n.B, grouping.H(), n.T, n.S}), Mask::block_all({n.T, 1})})
            answer_with(student, answers, "grouped_query_attention", in.with(mask));
        Arguments sharp = in.with(Mask{});
        sharp[0].value = in.q.clone();
        std::get<Tensor>(sharp[0].value).select(2, 0) *= 1e4F;
        answer_with(student, answers, "grouped_query_attention", sharp);
        Arguments dense = in.with(Mask{});
        for (std::size_t which = 0; which < 3; ++which)
            dense[which].value = std::get<Tensor>(dense[which].value).contiguous();
        answer_with(student, answers, "grouped_query_attention", dense);
        for (const Index more : {0, 1}) {  // sequences, or else features
            Arguments other = dense;
            other[1].value = heads(random, n.B + more, grouping.H_kv, n.S, n.d + 1 - more);
            other[2].value = heads(random, n.B + more, grouping.H_kv, n.S, n.d_v);
            answer_with(student, answers, "grouped_query_attention", other);
        }
        answer_with(student, answers, "repeat_heads", {{"kv", in.k}, {"num_heads", grouping.H()}});
        answer_with(student, answers, "repeat_heads", {{"kv", in.k.contiguous()}, {"num_heads", grouping.H()}});
        for (const Index H : {grouping.H() + 1, grouping.H_kv - 1, Index{0}})
            answer_with(student, answers, "repeat_heads", {{"kv", in.k}, {"num_heads", H}});
        Arguments uneven = in.with(Mask{});
        uneven[0].value = heads(random, n.B, grouping.H() + 1, n.T, n.d);
        answer_with(student, answers, "grouped_query_attention", uneven);
        for (const Index more : {0, 1})
            answer_with(student, answers, "cached_numbers",
                        {{"B", n.B},
                         {"S", n.S * 1'000'003},
                         {"num_heads", grouping.H() + more},
                         {"num_kv_heads", grouping.H_kv},
                         {"head_dim", n.d}});
        answer_with(student, answers, "pool_heads",
                    {{"w", random_tensor(random, {n.S, grouping.H() * n.d})},
                     {"num_heads", grouping.H()},
                     {"num_kv_heads", grouping.H_kv}});
        const Layer layer(random, grouping);
        answer_with(student, answers, "grouped_query_self_attention", layer.with(Mask{}));
        answer_with(student, answers, "grouped_query_self_attention",
                    layer.with(random_mask(random, {layer.n.B, 1, layer.n.T, layer.n.T})));
        Arguments wide = layer.with(random_mask(random, {layer.n.T, layer.n.T}));
        answer_with(student, answers, "grouped_query_self_attention", wide);
        wide[2].value = layer.w_q;
        answer_with(student, answers, "grouped_query_self_attention", wide);
        answer_with(student, answers, "grouped_query_self_attention", layer.with_wide_values(random));
        for (std::size_t which = 3; which <= 4; ++which) {  // w_v alone, w_o alone
            Arguments one = layer.with(Mask{});
            one[which].value = layer.with_wide_values(random)[which].value;
            answer_with(student, answers, "grouped_query_self_attention", one);
        }
        answer_with(student, answers, "grouped_query_self_attention", layer.with_wide_output(random));
    }
    for_some_relations(random, "B G K T S d d_v H=G*K E=G*K*d", [&](const AxisSizes& some) {
        const Grouping grouping{some["G"], some["K"]};
        const Shape scores{some["B"], some["H"], some["T"], some["S"]};
        const Inputs in(random, grouping, some.sizes());
        answer_with(student, answers, "grouped_query_attention", in.with(mask_of_any_form(random, scores)));
        Arguments one_sequence = in.with(Mask{});
        one_sequence[1].value = heads(random, 1, some["K"], some["S"], some["d"]);
        one_sequence[2].value = heads(random, 1, some["K"], some["S"], some["d_v"]);
        answer_with(student, answers, "grouped_query_attention", one_sequence);
        const Layer layer(random, grouping, some.sizes());
        answer_with(student, answers, "grouped_query_self_attention", layer.with(Mask{}));
        Arguments wide = layer.with(Mask{});
        for (std::size_t which = 2; which <= 3; ++which)
            wide[which].value = random_tensor(random, {some["S"], some["H"] * some["d"]});
        answer_with(student, answers, "grouped_query_self_attention", wide);
    });
}

}  // namespace
}  // namespace headway::judge
