// Which query heads share which keys and values.
#include "suites/09_grouped_query/grouped_layer.hpp"

#include "diagnosis/catalogue.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

Index by_remainder(Index h, Index, Index H_kv) { return h % H_kv; }
Index always_first(Index, Index, Index) { return 0; }
Index first_of_fewer(Index h, Index H, Index H_kv) { return H == H_kv ? h : 0; }
Index from_the_end(Index h, Index H, Index H_kv) { return H_kv - 1 - h / (H / H_kv); }

/// As checked access says where there is no such head.
Index by_group_count(Index h, Index, Index H_kv) {
    if (h / H_kv >= H_kv) throw std::out_of_range("head");
    return h / H_kv;
}

constexpr const char* neighbours = "neighbours share: query head h uses head h / (H / H_kv)";
constexpr const char* invisible_at_the_ends = "right for H_kv = H and for H_kv = 1; a loaded checkpoint gives nonsense";

constexpr const char* own_mask = "masks belong to queries: query head h has mask[b, h]";
constexpr const char* one_mask = "invisible while all heads share one mask";

constexpr const char* own_widths = "queries take H·d columns, keys and values H_kv·d each";
constexpr const char* mixed_up = "right for H_kv = H; else queries, keys and values are mixed up";

}  // namespace

namespace chapters {

Chapter grouping() {
    static constexpr Decision decisions[] = {
        {.id = "group",
         .stage = "split",
         .lesson = {{"09", "As a formula"}},
         .pseudocode =
             "group = H / H_kv; query head h uses keys and values of head h / group, rounded down: with H = 6 "
             "and H_kv = 2, heads 0 0 0 1 1 1"},
        {.id = "group_mask",
         .stage = "mask",
         .lesson = {{"09", "What people get wrong"}},
         .pseudocode =
             "mask broadcasts to (B,H,T,S), H the number of query heads: query head h is masked by mask[b,h]"},
        {.id = "joint_projection",
         .stage = "split",
         .lesson = {{"09", "What people get wrong"}},
         .pseudocode = "x·[w_q w_k w_v] is (B,T,E + 2·E_kv): q is columns [0, E), k [E, E + E_kv), v the rest"},
        {.id = "layer_head_dim",
         .stage = "split",
         .lesson = {{"09", "As a formula"}},
         .pseudocode = "head_dim d = columns of w_q / H; D is free: w_q (D, H·d), w_k and w_v (D, H_kv·d)"},
        {.id = "check_groups",
         .stage = "",
         .lesson = {{"09", "What people get wrong"}},
         .pseudocode = "if H < 1, H_kv < 1 or H % H_kv != 0: throw std::invalid_argument"},
        {.id = "check_fewer_heads",
         .stage = "",
         .lesson = {{"09", "What people get wrong"}},
         .pseudocode = "if H < 1, H_kv < 1 or H % H_kv != 0: throw std::invalid_argument"},
        {.id = "check_wide_keys",
         .stage = "",
         .lesson = {{"09", in_the_header}},
         .pseudocode = "w_k and w_v must be (D, H_kv·d), d = columns of w_q / H; else throw std::invalid_argument"},
        {.id = "check_other_values",
         .stage = "",
         .lesson = {{"09", in_the_header}},
         .pseudocode = "w_v must be (D, H_kv·d), d = columns of w_q / H; else throw std::invalid_argument"},
        {.id = "check_other_output",
         .stage = "",
         .lesson = {{"09", in_the_header}},
         .pseudocode = "w_o must be (H·d, D), d = columns of w_q / H; else throw std::invalid_argument"},
    };
    static constexpr Mistake mistakes[] = {
        // ---- keys and values ----
        {.id = "heads_tiled",
         .decision = "group",
         .title = "keys and values are tiled: query head h uses head h % H_kv",
         .right = neighbours,
         .symptom = invisible_at_the_ends,
         .question = "With 6 query heads and 2 heads of keys: which keys does query head 1 use?",
         .make =
             [](Choices& c) { c.change<GroupedLayer>().copied = c.grouping.key = c.grouping.value = &by_remainder; }},
        {.id = "group_count_taken_for_size",
         .decision = "group",
         .title = "query head h uses keys and values of head h / H_kv: the number of groups is taken for their size",
         .right = neighbours,
         .symptom = "right where there are as many groups as heads in a group; else heads of keys "
                    "are left out, or an index runs past the end of its tensor",
         .question = "With 6 query heads and 3 heads of keys: which keys does query head 5 use?",
         .make =
             [](Choices& c) { c.change<GroupedLayer>().copied = c.grouping.key = c.grouping.value = &by_group_count; }},
        {.id = "keys_tiled",
         .decision = "group",
         .title = "keys are tiled: query head h uses keys of head h % H_kv; values are right",
         .right = neighbours,
         .symptom = invisible_at_the_ends,
         .question = "Do you pick keys and values by the same head?",
         .make = [](Choices& c) { c.grouping.key = &by_remainder; }},
        {.id = "values_tiled",
         .decision = "group",
         .title = "values are tiled: query head h uses values of head h % H_kv; keys are right",
         .right = neighbours,
         .symptom = invisible_at_the_ends,
         .question = "Do you pick keys and values by the same head?",
         .make = [](Choices& c) { c.grouping.value = &by_remainder; }},
        {.id = "groups_all_use_the_first",
         .decision = "group",
         .title = "every query head uses keys and values of head 0",
         .right = neighbours,
         .symptom = "right for H_kv = 1 alone; all other keys and values are never used",
         .question = "Which keys does the last query head use?",
         .make =
             [](Choices& c) { c.change<GroupedLayer>().copied = c.grouping.key = c.grouping.value = &always_first; }},
        {.id = "fewer_heads_taken_for_one",
         .decision = "group",
         .title = "unless H_kv = H, every query head uses keys and values of head 0",
         .right = neighbours,
         .symptom = "multi-head and multi-query attention are right, all between them is not",
         .question = "What does your code do for 6 query heads and 2 heads of keys?",
         .make =
             [](Choices& c) { c.change<GroupedLayer>().copied = c.grouping.key = c.grouping.value = &first_of_fewer; }},
        {.id = "values_of_first_group",
         .decision = "group",
         .title = "every query head uses values of head 0; keys are right",
         .right = neighbours,
         .symptom = "right for H_kv = 1 alone; weights fit the keys, the values do not fit the weights",
         .question = "Which head do you read v at?",
         .make = [](Choices& c) { c.grouping.value = &always_first; }},
        {.id = "keys_of_first_group",
         .decision = "group",
         .title = "every query head uses keys of head 0; values are right",
         .right = neighbours,
         .symptom = "right for H_kv = 1 alone",
         .question = "Which head do you read k at?",
         .make = [](Choices& c) { c.grouping.key = &always_first; }},
        {.id = "values_of_groups_reversed",
         .decision = "group",
         .title = "values of the groups are used in reverse order; keys are right",
         .right = neighbours,
         .symptom = "right for H_kv = 1 alone",
         .question = "Which head of v belongs to the first group?",
         .make = [](Choices& c) { c.grouping.value = &from_the_end; }},
        // ---- masks ----
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
         .title = "where queries are stacked by groups, the mask moves on by one head a group instead of by the group",
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
         .make = [](Choices& c) { c.grouping.mask = &by_remainder; }},
        {.id = "mask_by_place_in_group",
         .decision = "group_mask",
         .title = "every group gets the masks of the first group's heads",
         .right = own_mask,
         .symptom = "right with one group, or where all heads share one mask",
         .question = "At which head of the mask does the second group begin?",
         .make = [](Choices& c) { c.grouping.mask = [](Index h, Index H, Index H_kv) { return h % (H / H_kv); }; }},
        // ---- scale ----
        {.id = "scale_sqrt_group_width",
         .decision = "scale",
         .title = "scores are divided by √(head_dim · H / H_kv), the width of a group's queries",
         .right = "they should be divided by √head_dim, the width that q·k sums over",
         .symptom = "right for H_kv = H; else softmax is too flat",
         .question = "How many products does one score add up?",
         .make =
             [](Choices& c) {
                 c.scoring.factor = [](const Widths& w) { return 1 / std::sqrt(static_cast<double>(w.d * w.group)); };
             }},
        // ---- one projection for all ----
        {.id = "keys_cut_at_a_third",
         .decision = "joint_projection",
         .title = "keys are cut from the joint projection as if it had three equal parts",
         .right = own_widths,
         .symptom = mixed_up,
         .question = "In which column do keys begin?",
         .make =
             [](Choices& c) {
                 c.grouping.keys_begin = [](Index E, Index E_kv) { return std::min((E + 2 * E_kv) / 3, E); };
             }},
        {.id = "keys_and_values_cut_at_thirds",
         .decision = "joint_projection",
         .title = "keys and values are cut from the joint projection as if it had three equal parts",
         .right = own_widths,
         .symptom = mixed_up,
         .question = "In which columns do keys and values begin?",
         .make =
             [](Choices& c) {
                 c.grouping.keys_begin = [](Index E, Index E_kv) { return std::min((E + 2 * E_kv) / 3, E); };
                 c.grouping.values_begin = [](Index E, Index E_kv) {
                     return std::min((E + 2 * E_kv) / 3 * 2, E + E_kv);
                 };
             }},
        // ---- the layer ----
        {.id = "layer_head_dim_of_model_width",
         .decision = "layer_head_dim",
         .title = "the layer takes head_dim for D / H; w_q has H·d columns, whatever D is",
         .right = "head_dim is the columns of w_q over H",
         .symptom = "right where H·d = D; layers of any other width are refused",
         .question = "From which size of which matrix follows head_dim?",
         .make = [](Choices& c) { c.change<GroupedLayer>().default_head_dim = true; }},
        // ---- what does not fit ----
        {.id = "accepts_uneven_groups",
         .decision = "check_groups",
         .title = "H that H_kv does not divide is not refused: the size of a group is rounded down",
         .right = "throw std::invalid_argument, as the header says",
         .symptom = "the last heads belong to no group: wrong numbers, or an index out of range",
         .question = "What is 7 / 3 in C++, and which group does head 6 get?",
         .make = [](Choices& c) { c.checking.groups = false; }},
        {.id = "accepts_fewer_query_heads",
         .decision = "check_fewer_heads",
         .title = "fewer query heads than heads of keys are not refused",
         .right = "throw std::invalid_argument, as the header says",
         .symptom = "a group has 0 heads: a division by zero, or keys and values that nobody uses",
         .question = "How large is a group with H = 2 and H_kv = 5?",
         .make = [](Choices& c) { c.checking.fewer_heads = false; }},
        {.id = "accepts_wide_keys",
         .decision = "check_wide_keys",
         .title = "w_k and w_v that are too wide are not refused",
         .right = "they must be (D, H_kv·d)",
         .symptom = "a checkpoint of another layout loads without a word, and gives nonsense",
         .question = "What does your code do with the w_k of multi-head attention?",
         .make = [](Choices& c) { c.checking.wide_keys = c.checking.value_columns = false; }},
        {.id = "accepts_other_values",
         .decision = "check_other_values",
         .title = "a w_v whose heads are wider than those of w_k is not refused",
         .right = "w_v must be (D, H_kv·d)",
         .symptom = "together with a w_o that takes such values, another layer is computed without a word",
         .question = "Which of your checks names w_v?",
         .make = [](Choices& c) { c.checking.other_values = false; }},
        {.id = "ignores_further_columns_of_values",
         .decision = "check_other_values",
         .title = "a w_v with more columns than H_kv·d is not refused: those beyond are ignored",
         .right = "it must be (D, H_kv·d)",
         .symptom = "a checkpoint of another layout loads without a word",
         .question = "What becomes of the columns of w_v beyond H_kv·d?",
         .make = [](Choices& c) { c.checking.value_columns = false; }},
        {.id = "ignores_further_rows_of_output",
         .decision = "check_other_output",
         .title = "a w_o with more rows than H·d is not refused: those beyond are ignored",
         .right = "it must be (H·d, D)",
         .symptom = "a checkpoint of another layout loads without a word",
         .question = "What becomes of the rows of w_o beyond H·d?",
         .make = [](Choices& c) { c.checking.output_rows = false; }},
        {.id = "accepts_other_output",
         .decision = "check_other_output",
         .title = "a w_o that does not lead back to D features is not refused",
         .right = "w_o must be (H·d, D)",
         .symptom = "the output has another width than x: the next layer, or a residual, does not fit",
         .question = "Which of your checks names the columns of w_o?",
         .make = [](Choices& c) { c.checking.other_output = false; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
