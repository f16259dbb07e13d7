#pragma once

#include <string>
#include <vector>

// The mistakes that the implementations beside this file can make. Which of them they make is chosen at run time, so
// that thousands of combinations can be tried without compiling.
namespace headway::combinations {

/// One wrong step each; `mistakes()` says of each where it sits and how a student comes to make it.
enum class Mistake {
    // what the scores are divided by
    scale_sqrt_model_width,
    scale_sqrt_heads,
    scale_without_root,
    scale_missing,
    scale_inverted,
    scale_sqrt_queries,
    scale_sqrt_keys,
    scale_sqrt_value_width,
    scale_sqrt_batch,
    scale_constant_eight,
    scale_twice,
    scale_root_truncated,
    scale_after_softmax,
    // which products are taken
    keys_times_queries,
    query_and_key_weights_swapped,
    key_uses_query_weight,
    query_uses_key_weight,
    query_not_projected,
    key_not_projected,
    keys_of_first_head,
    last_feature_skipped,
    // what is gathered
    keys_used_as_values,
    queries_used_as_values,
    values_not_projected,
    key_and_value_weights_swapped,
    one_weight_for_all,
    // how the projections are computed
    projection_weights_transposed,
    value_weight_transposed,
    projections_with_relu,
    projected_twice,
    // over what softmax shares
    softmax_over_queries,
    softmax_over_whole_matrix,
    softmax_over_heads,
    softmax_over_batch,
    // how it shares
    softmax_not_normalised,
    softmax_base_two,
    softmax_sum_stops_early,
    softmax_missing,
    softmax_twice,
    softmax_again_without_mask,
    // which maximum it subtracts
    softmax_max_not_subtracted,
    softmax_max_starts_at_zero,
    softmax_max_of_everything,
    softmax_max_includes_blocked,
    // how the mask is applied
    mask_inverted,
    mask_ignored,
    mask_after_softmax,
    mask_multiplied_into_scores,
    mask_added_as_one,
    mask_fill_ten_thousand,
    // how it is read
    mask_read_transposed,
    mask_of_first_sequence,
    mask_of_first_head,
    // what becomes of queries that may attend to nothing
    blocked_rows_uniform,
    blocked_rows_nan,
    blocked_rows_unmasked,
    // causal_mask
    causal_diagonal_blocked,
    causal_one_ahead,
    causal_past_blocked,
    causal_top_left,
    causal_offset_negated,
    causal_true_means_may_attend,
    // padding_mask
    padding_one_too_many,
    padding_one_too_few,
    padding_first_length,
    padding_longest_length,
    padding_at_the_front,
    padding_inverted,
    padding_on_query_axis,
    // how the values are weighed
    context_from_scores,
    context_weights_transposed,
    values_of_first_head,
    weights_averaged_over_heads,
    // which weights are returned
    weights_returned_before_softmax,
    returned_weights_averaged,
    returned_weights_transposed,
    // split
    split_by_view,
    values_split_by_view,
    heads_interleaved,
    heads_never_transposed,
    heads_ignored,
    every_head_is_the_first,
    // merge
    merge_by_view,
    merge_features_first,
    merge_batch_and_heads_confused,
    head_outputs_averaged,
    // output
    output_projection_missing,
    output_weight_transposed,
    output_uses_value_weight,
    bias_missing,
    bias_twice,
    bias_before_projection,
    // residual
    residual_replaced,
    residual_twice,
    residual_attended_twice,
    residual_averaged,
    residual_added_inside,
    // what belongs to the caller
    residual_written_into_input,
    scores_overwritten,
    strides_ignored,
    widths_unchecked,
};

/// A function of an exercise, by its folder's number: {"03", "attention_scores"}.
struct Place {
    std::string exercise;
    std::string function;
};

struct Entry {
    Mistake mistake;
    std::string name;           ///< snake_case, as the enumerator
    std::string group;          ///< the decision it concerns: of one group, at most one mistake is made at a time
    std::vector<Place> places;  ///< one an exercise: the function in which it sits there; what calls that shows it too
    std::string thought;        ///< how a student would put it
};

/// All of them, in the order of the enumeration.
const std::vector<Entry>& mistakes();

/// Whether the mistake is among the chosen.
bool made(Mistake mistake);

/// From now on these mistakes are made, and no others.
/// @throws std::invalid_argument for an unknown name, or two of one group; then nothing changes
void choose(const std::vector<std::string>& names);

/// choose() from one text, as it travels to a worker: "scale_missing,mask_inverted"; "" chooses none.
void choose_listed(const std::string& names);

}  // namespace headway::combinations
