// Heads and values of a group: which of them are refused, how far they are gathered, and what they are compared with;
// and a few more ways to pool and to count them.
#include "suites/09_grouped_query/grouped_layer.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/elements.hpp"

#include <cmath>

namespace headway::diagnosis {
namespace {

/// The mean of heads g, g + 1, …, as many as a group has.
Array mean_from_the_number_of_the_group(const Array& w, Index H, Index H_kv) {
    const Index d = w.size(1) / H, group = H / H_kv;
    const double share = 1 / static_cast<double>(group);
    Array pooled = zeros({w.size(0), H_kv * d});
    each(pooled.shape, [&](Coordinate at, std::size_t to) {
        for (Index i = 0; i < group; ++i) {
            const Index from[] = {at[0], at[1] + i * d};
            const std::size_t source = position(w.shape, from);
            pooled.value[to] += share * w.value[source];
            pooled.error[to] += share * (w.error[source] + static_cast<double>(group + 2) * reference::unit_roundoff *
                                                               std::abs(w.value[source]));
        }
    });
    return pooled;
}

}  // namespace

namespace chapters {

Chapter group_values() {
    static constexpr Decision decisions[] = {
        {.id = "check_value_heads",
         .stage = Stage::none,
         .lesson = {{"09", in_the_header}},
         .pseudocode = "if k and v differ in B, heads or S: throw std::invalid_argument"},
        {.id = "check_pooled_columns",
         .stage = Stage::none,
         .lesson = {{"09", in_the_header}},
         .pseudocode = "if the columns of w are not divisible by num_heads: throw std::invalid_argument"},
        {.id = "repeat_views",
         .stage = Stage::split,
         .lesson = {{"09", in_the_header}},
         .pseudocode = "kv.contiguous() before view: heads as split_heads leaves them are a view with gaps"},
        {.id = "group_values",
         .stage = Stage::weigh,
         .lesson = {{"09", in_the_header}},
         .pseudocode = "context (B,H,T,d_v): feature i of all d_v is Σ_s weights[s]·v[s,i], however wide k is"},
        {.id = "group_largest",
         .stage = Stage::softmax,
         .lesson = {{"09", in_the_header}},
         .pseudocode = "for each row [b,h,t]: largest = -infinity, then the maximum over its own scores"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "accepts_values_of_other_heads",
         .decision = "check_value_heads",
         .title = "v of another number of heads than k is not refused",
         .right = "throw std::invalid_argument, as the header says: nothing broadcasts but the mask",
         .symptom = "numbers come out where keys and values do not belong together",
         .question = "Which of your checks compares the heads of v with those of k?",
         .make = [](Choices& c) { c.change<GroupedLayer>().value_heads_checked = false; }},
        {.id = "pooled_columns_checked_by_groups",
         .decision = "check_pooled_columns",
         .title = "the columns of w are checked against num_kv_heads, not against num_heads",
         .right = "refuse columns that are not divisible by num_heads: they are not so many heads",
         .symptom = "columns that num_kv_heads divides and num_heads does not are accepted, and the last ones lost",
         .question = "How wide is a head where w has 6 columns and num_heads is 4?",
         .make = [](Choices& c) { c.change<GroupedLayer>().columns_checked_by_groups = true; }},
        {.id = "accepts_indivisible_columns",
         .decision = "check_pooled_columns",
         .title = "a weight with columns that num_heads does not divide is not refused",
         .right = "throw std::invalid_argument, as the header says",
         .symptom = "the columns are no whole number of heads: wrong numbers, or a crash far away from the cause",
         .question = "With 13 columns and 3 heads: how wide is a head, and what becomes of column 12?",
         .make = [](Choices& c) { c.checking.columns = false; }},
        {.id = "repeat_heads_views_gaps",
         .decision = "repeat_views",
         .title = "kv is viewed as it is, which throws for keys and values that are a view with gaps",
         .right = "tensors may be views of any strides: make a contiguous copy first, or follow the strides",
         .symptom = "right for contiguous tensors; what split_heads gives is refused",
         .question = "Which tensors does view take, and is a transposed one of them?",
         .make = [](Choices& c) { c.change<GroupedLayer>().gaps_refused = true; }},
        {.id = "values_gathered_up_to_width_of_keys",
         .decision = "group_values",
         .title = "as many features of the values are gathered as keys have: d of them, not d_v",
         .right = "the context is as wide as a value: all d_v features",
         .symptom = "right where d_v = d; wider values lose features, and narrower ones are read past their end",
         .question = "Which size ends your loop over the features of a value?",
         .make = [](Choices& c) { c.change<GroupedLayer>().features_of_keys = true; }},
        {.id = "mask_lowered_by_ten_thousand_but_for_empty_rows",
         .decision = "mask_block",
         .title = "blocked scores are lowered by 1e4, which scores can outweigh; fully masked rows are zero, as they "
                  "should",
         .right = "blocked scores become -infinity",
         .symptom = "right until a blocked key scores 1e4 higher than all open ones",
         .question = "Which key wins where a blocked one scores 20000 and the open one 0?",
         .make = [](Choices& c) { c.softmaxing.blocked_score = [](double score) { return score - 1e4; }; }},
        {.id = "largest_goes_on_in_the_group",
         .decision = "group_largest",
         .title = "the largest score is not begun anew for each query head: heads of a group are compared with those "
                  "before them too",
         .right = "each row of scores is compared with its own largest",
         .symptom = "right while the heads of a group score about alike; else all exponentials of a head vanish",
         .question = "Where does your largest score begin at -infinity: for each group, or for each query head?",
         .make = [](Choices& c) { c.change<GroupedLayer>().largest = GroupedLayer::Largest::of_heads_so_far; }},
        {.id = "one_largest_for_heads_of_a_group",
         .decision = "group_largest",
         .title =
             "the query heads of a group share one largest score for each query: a head far below another vanishes",
         .right = "each row of scores is compared with its own largest",
         .symptom = "right while the heads of a group score about alike; else all exponentials of a head vanish",
         .question = "Over which axes is your largest score taken: over the keys alone, or over heads too?",
         .make = [](Choices& c) { c.change<GroupedLayer>().largest = GroupedLayer::Largest::of_heads; }},
        {.id = "one_largest_for_a_group",
         .decision = "group_largest",
         .title = "all queries of a group share one largest score: those whose scores are far below it vanish",
         .right = "each row of scores is compared with its own largest",
         .symptom = "right while the queries of a group score about alike; else all exponentials of a query vanish",
         .question = "Over which axes is your largest score taken: over the keys alone, or over queries too?",
         .make = [](Choices& c) { c.change<GroupedLayer>().largest = GroupedLayer::Largest::of_group; }},
        {.id = "pooling_group_begins_at_its_number",
         .decision = "pooling",
         .title = "group g is pooled from head g on, instead of from head g · (H / H_kv)",
         .right = "group g holds heads g·(H / H_kv) to (g + 1)·(H / H_kv) - 1",
         .symptom = "right with one group, or one head a group; else groups overlap, and the last heads are in none",
         .question = "With 6 query heads and 2 heads of keys: which heads are in the second group?",
         .make = [](Choices& c) { c.change<GroupedLayer>().pool = &mean_from_the_number_of_the_group; }},
        {.id = "cache_counts_bytes",
         .decision = "cache_size",
         .title = "4 times too many, as where bytes of floats are counted, not numbers",
         .right = "2 · B · S · H_kv · d numbers, whatever each of them takes",
         .symptom = "right for nothing; in half precision the bytes would be others, and the numbers the same",
         .question = "What is the unit of your result, and which unit does the header ask for?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().cached = [](Index B, Index S, Index, Index H_kv, Index d) {
                     return static_cast<double>(4 * 2 * B * S * H_kv * d);
                 };
             }},
        {.id = "cache_counts_queries",
         .decision = "cache_size",
         .title = "queries are counted too: B · S · (H + 2 · H_kv) · d",
         .right = "a cache holds keys and values alone: 2 · B · S · H_kv · d",
         .symptom = "always too much, most with few heads of keys",
         .question = "Which queries of earlier tokens does attention need once more?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().cached = [](Index B, Index S, Index H, Index H_kv, Index d) {
                     return static_cast<double>(B * S * (H + 2 * H_kv) * d);
                 };
             }},
        {.id = "tokens_repeated_instead_of_heads",
         .decision = "group",
         .title = "tokens are repeated side by side instead of heads, as where the new axis stands behind S",
         .right = "view (B,H_kv,1,S,d), expand to (B,H_kv,group,S,d): a copy of a head has all S tokens, in order",
         .symptom =
             "right for H_kv = H and for S = 1; else a head has some tokens several times, and others not at all",
         .question = "Which tokens does head 0 of your result hold, with 2 query heads for each head of keys?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().token = [](Index place, Index s, Index group, Index S) {
                     return (place * S + s) / group;
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
