// Which mask a query has whose head shares its keys with others.
#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

constexpr const char* own_mask = "masks belong to queries: query head h has mask[b, h]";
constexpr const char* one_mask = "invisible while all heads share one mask";
constexpr const char* same_order = "where queries of a group are stacked, the rows of their masks are stacked alike";
constexpr const char* one_mask_in_group =
    "right where all queries and heads of a group share one mask, for T = 1 and for H_kv = H";
constexpr const char* row_one = "Which query and which head are row 1 of your stack, and which are row 1 of its mask?";

}  // namespace

namespace chapters {

Chapter group_masks() {
    static constexpr Decision decisions[] = {
        {.id = "group_mask",
         .stage = Stage::mask,
         .lesson = {{"09", "What people get wrong"}},
         .pseudocode =
             "mask broadcasts to (B,H,T,S), H the number of query heads: query head h is masked by mask[b,h]"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "mask_of_first_in_group",
         .decision = "group_mask",
         .title = "a whole group gets the mask of its first query head",
         .right = own_mask,
         .symptom = one_mask,
         .question = "Which mask does the second query head of a group get?",
         .make =
             [](Choices& c) {
                 c.grouping.mask = [](Index h, Index H, Index H_kv) { return h / (H / H_kv) * (H / H_kv); };
             }},
        {.id = "mask_of_first_in_group_alone",
         .decision = "group_mask",
         .title = "the mask reaches the first query head of each group alone; the others see all keys",
         .right = own_mask,
         .symptom = "right for H_kv = H alone; else the future and the padding are seen",
         .question = "How many rows has the mask of a group of 3 heads with T queries each?",
         .make =
             [](Choices& c) {
                 c.grouping.mask = [](Index h, Index H, Index H_kv) { return h % (H / H_kv) == 0 ? h : Index{-1}; };
             }},
        {.id = "mask_by_key_head",
         .decision = "group_mask",
         .title = "the mask is looked up by the head of the keys instead of that of the query",
         .right = own_mask,
         .symptom = one_mask,
         .question = "How many heads has the mask: H or H_kv?",
         .make = [](Choices& c) { c.grouping.mask = [](Index h, Index H, Index H_kv) { return h / (H / H_kv); }; }},
        {.id = "mask_moves_on_by_one_head",
         .decision = "group_mask",
         .title = "where queries are stacked or cut by groups, the mask moves on by one head a group instead of by the "
                  "group",
         .right = own_mask,
         .symptom = one_mask,
         .question = "At which head of the mask does the second group begin?",
         .make =
             [](Choices& c) {
                 c.grouping.mask = [](Index h, Index H, Index H_kv) { return h / (H / H_kv) + h % (H / H_kv); };
             }},
        {.id = "mask_stacked_by_place_in_group",
         .decision = "group_mask",
         .title = "the heads of the mask are laid out as (group, H_kv) instead of (H_kv, group)",
         .right = own_mask,
         .symptom = one_mask,
         .question = "Where the axis of H heads becomes two axes, which of them has the larger stride?",
         .make =
             [](Choices& c) {
                 c.grouping.mask = [](Index h, Index H, Index H_kv) { return h / (H / H_kv) + h % (H / H_kv) * H_kv; };
             }},
        {.id = "mask_of_tiled_heads",
         .decision = "group_mask",
         .title = "the mask is taken apart as if query heads of a group stood H_kv apart",
         .right = own_mask,
         .symptom = one_mask,
         .question = "Which query heads share the first head of keys, and which rows of the mask are theirs?",
         .make =
             [](Choices& c) {
                 c.grouping.mask = [](Index h, Index H, Index H_kv) { return h % H_kv * (H / H_kv) + h / H_kv; };
             }},
        {.id = "mask_by_remainder",
         .decision = "group_mask",
         .title = "query head h gets the mask of head h % H_kv",
         .right = own_mask,
         .symptom = one_mask,
         .question = "How many heads has the mask: H or H_kv?",
         .make = [](Choices& c) { c.grouping.mask = [](Index h, Index, Index H_kv) { return h % H_kv; }; }},
        {.id = "mask_by_place_in_group",
         .decision = "group_mask",
         .title = "every group gets the masks of the first group's heads",
         .right = own_mask,
         .symptom = "right with one group, or where all heads share one mask",
         .question = "At which head of the mask does the second group begin?",
         .make = [](Choices& c) { c.grouping.mask = [](Index h, Index H, Index H_kv) { return h % (H / H_kv); }; }},
        {.id = "mask_rows_head_by_head",
         .decision = "group_mask",
         .title = "the queries of a group are stacked as (T, group), the rows of their masks as (group, T)",
         .right = same_order,
         .symptom = one_mask_in_group,
         .question = row_one,
         .make =
             [](Choices& c) {
                 c.grouping.mask_row = [](Index place, Index t, Index group, Index) { return t * group + place; };
             }},
        {.id = "mask_rows_query_by_query",
         .decision = "group_mask",
         .title = "the queries of a group are stacked as (group, T), the rows of their masks as (T, group)",
         .right = same_order,
         .symptom = one_mask_in_group,
         .question = row_one,
         .make =
             [](Choices& c) {
                 c.grouping.mask_row = [](Index place, Index t, Index group, Index T) {
                     const Index row = place * T + t;
                     return row % group * T + row / group;
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
