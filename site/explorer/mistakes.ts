// Which of the grader's mistakes the explorer offers, stage by stage. What they are called, the grader says.
export const offered: { stage: string; ids: string[] }[] = [
  { stage: 'project', ids: ['split_before_projecting', 'keys_projected_by_w_q', 'values_not_projected'] },
  { stage: 'split', ids: ['split_by_view', 'split_interleaved', 'split_missing_transpose'] },
  {
    stage: 'scores and scale',
    ids: ['keys_viewed_not_transposed', 'scale_missing', 'scale_sqrt_model_width', 'scale_after_softmax'],
  },
  {
    stage: 'mask',
    ids: ['mask_inverted', 'mask_ignored', 'mask_after_softmax', 'mask_times_infinity', 'causal_one_ahead'],
  },
  { stage: 'softmax', ids: ['softmax_over_queries', 'softmax_over_heads', 'softmax_missing'] },
  { stage: 'weigh', ids: ['keys_used_as_values', 'weights_transposed_when_weighing'] },
  { stage: 'merge and output', ids: ['merge_by_view', 'output_weight_missing', 'residual_missing'] },
  { stage: 'no mistake at all', ids: ['scale_on_queries', 'scores_turned_back', 'output_summed_over_heads'] },
]
