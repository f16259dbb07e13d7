// Three projections in one matrix.
#include "suites/13_positions/in_projection.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::diagnosis {
namespace {

using Place = InProjection::Place;
using Layer = InProjection::Layer;

/// Parts in the order keys, queries, values or queries, values, keys.
Place keys_queries_values(Index row, Index E, Index E_kv) {
    if (row < E_kv) return {1, row};
    return row < E_kv + E ? Place{0, row - E_kv} : Place{2, row - E_kv - E};
}
Place queries_values_keys(Index row, Index E, Index E_kv) {
    if (row < E) return {0, row};
    return row < E + E_kv ? Place{2, row - E} : Place{1, row - E - E_kv};
}

Index keys_first(int part, Index c, const Layer& layer) {
    return c + (part == 0 ? layer.E_kv() : part == 1 ? 0 : layer.E() + layer.E_kv());
}
Index values_second(int part, Index c, const Layer& layer) {
    return c + (part == 0 ? 0 : part == 1 ? layer.E() + layer.E_kv() : layer.E());
}

/// The bias of values is read where that of keys stands.
Index values_as_keys(int part, Index c, const Layer& layer) { return c + (part == 0 ? 0 : layer.E()); }

/// The bias of keys is read from a third of the rows on.
Index keys_from_a_third(int part, Index c, const Layer& layer) {
    const Index rows = layer.E() + 2 * layer.E_kv();
    return part == 1 ? rows / 3 + c : InProjection::right().bias_source(part, c, layer);
}

/// The biases of keys and of values are read from a third and from two thirds of the rows on.
Index both_from_thirds(int part, Index c, const Layer& layer) { return (layer.E() + 2 * layer.E_kv()) * part / 3 + c; }

/// Group by group: its queries, its keys, its values.
Index group_by_group(int part, Index c, const Layer& layer) {
    const Index queries = layer.E() / layer.H_kv, group = queries + 2 * layer.d;
    if (part == 0) return c / queries * group + c % queries;
    return c / layer.d * group + queries + (part - 1) * layer.d + c % layer.d;
}

constexpr const char* torch_order = "rows of queries come first, then keys, then values, each part in one piece";
constexpr const char* unequal =
    "of the H + 2·H_kv heads H are queries, H_kv keys, H_kv values: parts are as wide as that";
constexpr const char* loads = "shapes fit, and a checkpoint loads without a word; the output is nonsense";

}  // namespace

namespace chapters {

Chapter in_projection() {
    static constexpr Decision decisions[] = {
        {.id = "in_projection_pack",
         .stage = Stage::project,
         .lesson = {{"13", "One matrix for three"}},
         .pseudocode = "cat of w_q, w_k, w_v over columns (D, E + 2·E_kv), transposed; cat of b_q, b_k, b_v"},
        {.id = "in_projection_unpack",
         .stage = Stage::project,
         .lesson = {{"13", "One matrix for three"}},
         .pseudocode = "d = rows / (H + 2·H_kv); rows [0, H·d) are queries, the next H_kv·d keys, the rest values; "
                       "each transposed"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "packed_keys_first",
         .decision = "in_projection_pack",
         .title = "keys are packed first, then queries, then values",
         .right = torch_order,
         .symptom = loads,
         .question = "Whose rows come first in in_proj_weight?",
         .make =
             [](Choices& c) {
                 c.change<InProjection>().weight = c.change<InProjection>().bias = &keys_queries_values;
             }},
        {.id = "packed_values_second",
         .decision = "in_projection_pack",
         .title = "values are packed before keys",
         .right = torch_order,
         .symptom = loads,
         .question = "In which order do q, k and v stand in in_proj_weight?",
         .make =
             [](Choices& c) {
                 c.change<InProjection>().weight = c.change<InProjection>().bias = &queries_values_keys;
             }},
        {.id = "packed_biases_values_second",
         .decision = "in_projection_pack",
         .title = "the bias of values is packed before that of keys; weights are right",
         .right = torch_order,
         .symptom = loads,
         .question = "Do weights and biases stand in the same order?",
         .make = [](Choices& c) { c.change<InProjection>().bias = &queries_values_keys; }},
        {.id = "packed_biases_keys_first",
         .decision = "in_projection_pack",
         .title = "the bias of keys is packed first, then that of queries; weights are right",
         .right = torch_order,
         .symptom = loads,
         .question = "Do weights and biases stand in the same order?",
         .make = [](Choices& c) { c.change<InProjection>().bias = &keys_queries_values; }},
        {.id = "packed_weights_values_second",
         .decision = "in_projection_pack",
         .title = "the weight of values is packed before that of keys; biases are right",
         .right = torch_order,
         .symptom = loads,
         .question = "Do weights and biases stand in the same order?",
         .make = [](Choices& c) { c.change<InProjection>().weight = &queries_values_keys; }},
        {.id = "packed_weights_keys_first",
         .decision = "in_projection_pack",
         .title = "the weight of keys is packed first, then that of queries; biases are right",
         .right = torch_order,
         .symptom = loads,
         .question = "Do weights and biases stand in the same order?",
         .make = [](Choices& c) { c.change<InProjection>().weight = &keys_queries_values; }},
        {.id = "packed_by_columns",
         .decision = "in_projection_pack",
         .title = "the packed weight is (D, E + 2·E_kv): it is not transposed",
         .right = "torch keeps (out, in): a row for each feature of q, k and v",
         .symptom = "where the shapes differ, it is refused; for a square one the output is nonsense",
         .question = "Is a feature of q a row or a column of in_proj_weight?",
         .make = [](Choices& c) { c.change<InProjection>().packs_columns = true; }},
        {.id = "packed_by_view",
         .decision = "in_projection_pack",
         .title = "each weight is viewed as (out, in), not transposed: its numbers stay in the order of (in, out)",
         .right = "torch keeps (out, in): transpose, which moves every number to its row",
         .symptom = loads,
         .question = "Does view move a number, or only name its place anew?",
         .make = [](Choices& c) { c.change<InProjection>().packs_viewed = true; }},
        {.id = "packed_joined_by_view",
         .decision = "in_projection_pack",
         .title = "the three weights side by side, (D, E + 2·E_kv), are viewed as (E + 2·E_kv, D), not transposed",
         .right = "torch keeps (out, in): transpose, which moves every number to its row",
         .symptom = loads,
         .question = "Does view move a number, or only name its place anew?",
         .make = [](Choices& c) { c.change<InProjection>().packs_joined_viewed = true; }},
        {.id = "unpacked_in_equal_thirds",
         .decision = "in_projection_unpack",
         .title = "the packed weight is cut into three equal parts",
         .right = unequal,
         .symptom = "right for H_kv = H; else queries, keys and values are mixed up, or a shape does not fit",
         .question = "How many of the rows belong to queries if H = 6 and H_kv = 2?",
         .shipped = {"vLLM: https://github.com/vllm-project/vllm/pull/13687"},
         .make = [](Choices& c) { c.change<InProjection>().equal_thirds = true; }},
        {.id = "unpacked_keys_first",
         .decision = "in_projection_unpack",
         .title = "the first rows are taken for keys, the next for queries",
         .right = torch_order,
         .symptom = loads,
         .question = "Whose rows come first in in_proj_weight?",
         .make =
             [](Choices& c) { c.change<InProjection>().source = c.change<InProjection>().bias_source = &keys_first; }},
        {.id = "unpacked_values_second",
         .decision = "in_projection_unpack",
         .title = "keys and values are taken for each other",
         .right = torch_order,
         .symptom = loads,
         .question = "In which order do q, k and v stand in in_proj_weight?",
         .make =
             [](Choices& c) {
                 c.change<InProjection>().source = c.change<InProjection>().bias_source = &values_second;
             }},
        {.id = "unpacked_biases_values_second",
         .decision = "in_projection_unpack",
         .title = "the biases of keys and values are taken for each other; weights are right",
         .right = torch_order,
         .symptom = loads,
         .question = "Do weights and biases stand in the same order?",
         .make = [](Choices& c) { c.change<InProjection>().bias_source = &values_second; }},
        {.id = "unpacked_biases_keys_first",
         .decision = "in_projection_unpack",
         .title = "the first biases are taken for those of keys, the next for those of queries; weights are right",
         .right = torch_order,
         .symptom = loads,
         .question = "Do weights and biases stand in the same order?",
         .make = [](Choices& c) { c.change<InProjection>().bias_source = &keys_first; }},
        {.id = "unpacked_weights_values_second",
         .decision = "in_projection_unpack",
         .title = "the weights of keys and values are taken for each other; biases are right",
         .right = torch_order,
         .symptom = loads,
         .question = "Do weights and biases stand in the same order?",
         .make = [](Choices& c) { c.change<InProjection>().source = &values_second; }},
        {.id = "unpacked_weights_keys_first",
         .decision = "in_projection_unpack",
         .title = "the first rows of the weight are taken for keys, the next for queries; biases are right",
         .right = torch_order,
         .symptom = loads,
         .question = "Do weights and biases stand in the same order?",
         .make = [](Choices& c) { c.change<InProjection>().source = &keys_first; }},
        {.id = "unpacked_value_bias_of_keys",
         .decision = "in_projection_unpack",
         .title = "b_v is read from the rows of b_k",
         .right = torch_order,
         .symptom = loads,
         .question = "Behind which rows do the biases of values begin?",
         .make = [](Choices& c) { c.change<InProjection>().bias_source = &values_as_keys; }},
        {.id = "unpacked_key_bias_from_a_third",
         .decision = "in_projection_unpack",
         .title = "b_k is read from a third of the rows on, as if all parts were equal",
         .right = unequal,
         .symptom = "right for H_kv = H, and for weights; else b_k belongs to queries and keys",
         .question = "Behind which rows do the biases of keys begin if H = 6 and H_kv = 2?",
         .make = [](Choices& c) { c.change<InProjection>().bias_source = &keys_from_a_third; }},
        {.id = "unpacked_biases_from_thirds",
         .decision = "in_projection_unpack",
         .title = "b_k and b_v are read from a third and two thirds of the rows on, as if all parts were equal",
         .right = unequal,
         .symptom = "right for H_kv = H, and for weights; else biases belong to other parts",
         .question = "Behind which rows do the biases of keys begin if H = 6 and H_kv = 2?",
         .make = [](Choices& c) { c.change<InProjection>().bias_source = &both_from_thirds; }},
        {.id = "unpacked_group_by_group",
         .decision = "in_projection_unpack",
         .title = "rows are read as interleaved: the queries of a group, its keys, its values, then the next group",
         .right = torch_order,
         .symptom = loads,
         .question = "After the first head of queries, does in_proj_weight go on with a head of keys?",
         .make =
             [](Choices& c) {
                 c.change<InProjection>().source = c.change<InProjection>().bias_source = &group_by_group;
             }},
        {.id = "unpacked_weight_alone_group_by_group",
         .decision = "in_projection_unpack",
         .title = "rows of the weight are read as interleaved, group by group; biases are right",
         .right = torch_order,
         .symptom = loads,
         .question = "After the first head of queries, does in_proj_weight go on with a head of keys?",
         .make = [](Choices& c) { c.change<InProjection>().source = &group_by_group; }},
        {.id = "unpacked_by_view",
         .decision = "in_projection_unpack",
         .title = "each part is viewed as (in, out), not transposed: its numbers stay in the order of (out, in)",
         .right = "view keeps the order of the numbers; transpose(0, 1) swaps rows and columns",
         .symptom = loads,
         .question = "Which number of the part stands at row 0, column 1 of w_q?",
         .make = [](Choices& c) { c.change<InProjection>().unpacks_viewed = InProjection::Viewed::each_part; }},
        {.id = "unpacked_joined_by_view",
         .decision = "in_projection_unpack",
         .title = "the whole weight is viewed as (D, E + 2·E_kv), not transposed, before columns are cut out of it",
         .right = "view keeps the order of the numbers; transpose(0, 1) swaps rows and columns",
         .symptom = loads,
         .question = "Which number of the packed weight stands at row 0, column 1 of w_q?",
         .make = [](Choices& c) { c.change<InProjection>().unpacks_viewed = InProjection::Viewed::all; }},
        {.id = "unpacked_by_rows",
         .decision = "in_projection_unpack",
         .title = "w_q, w_k and w_v are left as torch has them, (out, in)",
         .right = "this course's functions compute x·w: transpose each part to (in, out)",
         .symptom = "where the shapes differ, it is refused; for a square one the output is nonsense",
         .question = "Is a feature of q a row or a column of w_q?",
         .make = [](Choices& c) { c.change<InProjection>().leaves_rows = true; }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
