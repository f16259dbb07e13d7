// Which query heads share which keys and values.
#include "suites/09_grouped_query/grouped_layer.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/elements.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

Index by_remainder(Index h, Index, Index H_kv) { return h % H_kv; }
Index always_first(Index, Index, Index) { return 0; }
Index first_of_fewer(Index h, Index H, Index H_kv) { return H == H_kv ? h : 0; }
Index from_the_end(Index h, Index H, Index H_kv) { return H_kv - 1 - h / (H / H_kv); }

/// Where the second of three equal parts of the joint projection begins.
Index third(Index E, Index E_kv) { return std::min((E + 2 * E_kv) / 3, E); }

/// How many query heads share a head of keys, by the widths of both; other mistakes beside this one change these.
Index queries_of_group(Index E, Index E_kv) { return std::max<Index>(1, E / std::max<Index>(1, E_kv)); }

/// As checked access says where there is no such head.
Index by_group_count(Index h, Index, Index H_kv) {
    if (h / H_kv >= H_kv) throw std::out_of_range("head");
    return h / H_kv;
}

/// merged · w_o where every head of a group goes through the rows of one head.
Array by_rows_of_the_group(const Projected& at) {
    if (at.H_kv < 1) return reference::matmul(at.merged, at.w_o);
    require_even_groups(at.H, at.H_kv);
    const Index d = std::max<Index>(1, at.w_o.size(0) / at.H);
    const Array rows = gathered(at.w_o, at.w_o.shape, [&](Coordinate to) {
        const Index head = std::min(to[0] / d, at.H - 1);
        const Index from[] = {to[0] - (head - head_of_group(head, at.H, at.H_kv)) * d, to[1]};
        return position(at.w_o.shape, from);
    });
    return reference::matmul(at.merged, rows);
}

constexpr const char* neighbours = "neighbours share: query head h uses head h / (H / H_kv)";
constexpr const char* invisible_at_the_ends =
    "right for H_kv = H and for H_kv = 1; else some query heads get keys or values of another group";

constexpr const char* as_the_header_says = "throw std::invalid_argument, as the header says";
constexpr const char* no_even_groups = "heads that form no even groups: numbers that mean nothing, or a crash";

constexpr const char* own_widths = "queries take H·d columns, keys and values H_kv·d each";
constexpr const char* mixed_up = "right for H_kv = H; else queries, keys and values are mixed up";

}  // namespace

namespace chapters {

Chapter grouping() {
    static constexpr Decision decisions[] = {
        {.id = "group",
         .stage = Stage::split,
         .lesson = {{"09", "As a formula"}},
         .pseudocode =
             "group = H / H_kv; query head h uses keys and values of head h / group, rounded down: with H = 6 "
             "and H_kv = 2, heads 0 0 0 1 1 1"},
        {.id = "joint_projection",
         .stage = Stage::split,
         .lesson = {{"09", "What people get wrong"}},
         .pseudocode = "x·[w_q w_k w_v] is (B,T,E + 2·E_kv): q is columns [0, E), k [E, E + E_kv), v the rest"},
        {.id = "layer_head_dim",
         .stage = Stage::split,
         .lesson = {{"09", "As a formula"}},
         .pseudocode = "head_dim d = columns of w_q / H; D is free: w_q (D, H·d), w_k and w_v (D, H_kv·d)"},
        {.id = "output_rows",
         .stage = Stage::output,
         .lesson = {{"09", "As a formula"}},
         .pseudocode = "output (B,T,D) = sum over h = 0..H-1 of context_h (B,T,d) · w_o[h·d : (h+1)·d, :]"},
        {.id = "check_groups",
         .stage = Stage::none,
         .lesson = {{"09", "What people get wrong"}},
         .pseudocode = "if H < 1, H_kv < 1 or H % H_kv != 0: throw std::invalid_argument"},
        {.id = "check_fewer_heads",
         .stage = Stage::none,
         .lesson = {{"09", "What people get wrong"}},
         .pseudocode = "if H < 1, H_kv < 1 or H % H_kv != 0: throw std::invalid_argument"},
        {.id = "check_wide_keys",
         .stage = Stage::none,
         .lesson = {{"09", in_the_header}},
         .pseudocode = "w_k and w_v must be (D, H_kv·d), d = columns of w_q / H; else throw std::invalid_argument"},
        {.id = "check_other_values",
         .stage = Stage::none,
         .lesson = {{"09", in_the_header}},
         .pseudocode = "w_v must be (D, H_kv·d), d = columns of w_q / H; else throw std::invalid_argument"},
        {.id = "check_other_output",
         .stage = Stage::none,
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
        {.id = "group_count_taken_for_size_and_wrapped",
         .decision = "group",
         .title = "copy h is of head (h / H_kv) % H_kv: the number of groups is taken for their size, and what runs "
                  "past the "
                  "last begins anew",
         .right = neighbours,
         .symptom = "right where there are as many groups as heads in a group, and nothing throws elsewhere",
         .question = "With 6 query heads and 2 heads of keys: which keys does query head 2 use?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().copied = [](Index h, Index, Index H_kv) { return h / H_kv % H_kv; };
             }},
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
        {.id = "queries_counted_by_group",
         .decision = "group",
         .title = "group g takes query heads from head g on; its first is head g · (H / H_kv)",
         .right = "group g is query heads g · (H / H_kv) up to, but not including, (g + 1) · (H / H_kv)",
         .symptom = invisible_at_the_ends,
         .question = "With 6 query heads and 2 heads of keys: at which query head does the second group begin?",
         .make =
             [](Choices& c) {
                 c.grouping.query = [](Index h, Index H, Index H_kv) { return h / (H / H_kv) + h % (H / H_kv); };
             }},
        // ---- scale ----
        {.id = "scale_sqrt_share_of_model_width",
         .decision = "scale",
         .title = "scores are divided by √(D / H), which may be a fraction, whatever head_dim is",
         .right = "they should be divided by √head_dim, the width that q·k sums over",
         .symptom = "right where H·d = D; else softmax is too flat or too sharp",
         .question = "From which size of which matrix follows head_dim?",
         .make =
             [](Choices& c) {
                 c.scoring.factor = [](const Widths& w) {
                     return std::sqrt(static_cast<double>(w.H) / static_cast<double>(w.D));
                 };
             }},
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
                 c.grouping.keys = [](Index column, Index E, Index E_kv, Index) { return third(E, E_kv) + column; };
             }},
        {.id = "keys_and_values_cut_at_thirds",
         .decision = "joint_projection",
         .title = "keys and values are cut from the joint projection as if it had three equal parts",
         .right = own_widths,
         .symptom = mixed_up,
         .question = "In which columns do keys and values begin?",
         .make =
             [](Choices& c) {
                 c.grouping.keys = [](Index column, Index E, Index E_kv, Index) { return third(E, E_kv) + column; };
                 c.grouping.values = [](Index column, Index E, Index E_kv, Index) {
                     return std::min((E + 2 * E_kv) / 3 * 2, E + E_kv) + column;
                 };
             }},
        {.id = "keys_and_values_alternate",
         .decision = "joint_projection",
         .title = "of x·[w_k w_v], heads are taken for keys and values in turn: 0 for keys, 1 for values, 2 for keys",
         .right = "the first H_kv heads of x·[w_k w_v] are keys, the others values",
         .symptom = "right for H_kv = 1; else keys and values are mixed up",
         .question =
             "With w_k and w_v side by side and H_kv = 2: in which columns does the first head of values begin?",
         .make =
             [](Choices& c) {
                 c.grouping.keys = [](Index column, Index E, Index, Index d) { return E + column + column / d * d; };
                 c.grouping.values = [](Index column, Index E, Index, Index d) {
                     return E + column + (column / d + 1) * d;
                 };
             }},
        {.id = "joint_projection_read_by_groups",
         .decision = "joint_projection",
         .title = "x·[w_q w_k w_v] is read group by group: the queries, then the keys, then the values of each group",
         .right = "all queries come first, then all keys, then all values, as the weights stand side by side",
         .symptom = "right for H_kv = 1; else queries, keys and values are mixed up",
         .question = "With w_q, w_k and w_v side by side: in which column do the keys of head 0 begin?",
         .make =
             [](Choices& c) {
                 c.grouping.queries = [](Index column, Index E, Index E_kv, Index d) {
                     return column + column / (queries_of_group(E, E_kv) * d) * 2 * d;
                 };
                 c.grouping.keys = [](Index column, Index E, Index E_kv, Index d) {
                     const Index group = queries_of_group(E, E_kv);
                     return column / d * (group + 2) * d + group * d + column % d;
                 };
                 c.grouping.values = [](Index column, Index E, Index E_kv, Index d) {
                     const Index group = queries_of_group(E, E_kv);
                     return column / d * (group + 2) * d + (group + 1) * d + column % d;
                 };
             }},
        // ---- the layer ----
        {.id = "layer_head_dim_of_model_width",
         .decision = "layer_head_dim",
         .title = "the layer takes head_dim for D / H; w_q has H·d columns, whatever D is",
         .right = "head_dim is the columns of w_q over H",
         .symptom = "right where H·d = D; nearly all layers of other widths are refused",
         .question = "From which size of which matrix follows head_dim?",
         .make = [](Choices& c) { c.change<GroupedLayer>().default_head_dim = true; }},
        {.id = "output_rows_of_the_group",
         .decision = "output_rows",
         .title = "the context of query head h goes through the rows of w_o of head h / (H / H_kv), its group",
         .right = "each query head has rows of w_o of its own: those of head h begin at h·d, whatever its group",
         .symptom = "right for H_kv = H; else only the first H_kv·d rows of w_o count",
         .question = "With H = 2 and H_kv = 1: which rows of w_o does the context of query head 1 meet?",
         .make = [](Choices& c) { c.output.product = &by_rows_of_the_group; }},
        // ---- what does not fit ----
        {.id = "accepts_uneven_groups",
         .decision = "check_groups",
         .title = "more query heads than H_kv are not refused where H_kv does not divide them",
         .right = as_the_header_says,
         .symptom = no_even_groups,
         .question = "What is 7 / 3 in C++, and which group does head 6 get?",
         .make = [](Choices& c) { c.checking.groups = false; }},
        {.id = "accepts_indivisible_heads",
         .decision = "check_groups",
         .title = "H that H_kv does not divide is not refused",
         .right = as_the_header_says,
         .symptom = no_even_groups,
         .question = "What is H % H_kv with H = 7 and H_kv = 3, and what with H = 2 and H_kv = 3?",
         .make = [](Choices& c) { c.checking.groups = c.checking.fewer_heads = false; }},
        {.id = "accepts_fewer_query_heads",
         .decision = "check_fewer_heads",
         .title = "fewer query heads than heads of keys are not refused",
         .right = as_the_header_says,
         .symptom = "H / H_kv is 0, and no group has a head: numbers that mean nothing, or a division by zero",
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
