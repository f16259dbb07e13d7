// The solutions beside PyTorch: values.safetensors holds what make.py had PyTorch compute.
#include "cases.hpp"
#include "closeness.hpp"

#include "backward.hpp"
#include "grouped_query.hpp"
#include "merge_heads.hpp"
#include "module.hpp"
#include "positions.hpp"
#include "scaled_scores.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace headway::beside_pytorch {
namespace {

constexpr Index H = 3;  // of exercises 04 to 07
constexpr Index grouped_H = 6, grouped_H_kv = 2;

// ---- 03 ---------------------------------------------------------------------------------------------------------

class OfScaledScores : public Values {};
HEADWAY_CASES(OfScaledScores, "03/no_mask", "03/causal", "03/padding", "03/mask_of_each_head");

TEST_P(OfScaledScores, ScoresWeightsAndContextAgree) {
    const Tensor q = value["q"], k = value["k"], v = value["v"];
    EXPECT_TRUE(close(ex03::attention_scores(q, k), value["scores"]));
    EXPECT_TRUE(close(ex03::masked_softmax(value["scores"], value.mask()), value["weights"]));
    const ex03::Attended ours = ex03::scaled_dot_product_attention(q, k, v, value.mask());
    EXPECT_TRUE(close(ours.weights, value["weights"]));
    EXPECT_TRUE(close(ours.context, value["context"]));
}

/// 1 where a mask is true, so that masks are compared as tensors are.
Tensor as_numbers(const Mask& mask) { return masked_fill(Tensor::zeros(mask.shape()), mask, 1.0F); }

TEST(OfMasks, CausalAndPaddingAgree) {
    EXPECT_TRUE(close(as_numbers(ex03::causal_mask(5, 7)), Case("03/causal")["mask"]));
    EXPECT_TRUE(close(as_numbers(ex03::padding_mask({4, 6}, 7)), Case("03/padding")["mask"]));
}

// ---- 04 ---------------------------------------------------------------------------------------------------------

TEST(OfMergeHeads, MergingAndProjectingAgree) {
    const Case value("04/merging");
    EXPECT_TRUE(close(ex04::merge_heads(value["context"]), value["merged"]));
    EXPECT_TRUE(close(ex04::project_output(value["merged"], value["w_o"], value["b_o"]), value["result"]));
}

class OfMergeHeads : public Values {};
HEADWAY_CASES(OfMergeHeads, "04/no_mask", "04/causal");

TEST_P(OfMergeHeads, TheWholeAgrees) {
    const Tensor ours =
        ex04::multi_head_attention(value["x"], value["w_q"], value["w_k"], value["w_v"], value["w_o"], H, value.mask());
    EXPECT_TRUE(close(ours, value["result"]));
}

// ---- 05 ---------------------------------------------------------------------------------------------------------

class OfModule : public Values {
protected:
    /// With PyTorch's parameters, in eval mode.
    std::unique_ptr<ex05::Attention> module(bool causal = false) const {
        const bool bias = value.find("q_proj.bias").defined();
        auto made = ex05::make_multi_head_attention(
            {.embed_dim = value["query"].size(2), .num_heads = H, .bias = bias, .causal = causal});
        nn::StateDict state;
        for (const auto& [name, parameter] : made->named_parameters()) state.emplace_back(name, value[name]);
        made->load_state_dict(state);
        made->eval();
        return made;
    }

    void expect_agreement(ex05::Attention& module, const Mask& mask) const {
        const Tensor query = value["query"], key = value["key"];
        EXPECT_TRUE(close(module.attention_weights(query, key, mask), value["weights"]));
        EXPECT_TRUE(close(module.forward(query, key, value["value"], mask), value["result"]));
    }
};
HEADWAY_CASES(OfModule, "05/self_bias", "05/self_no_bias", "05/cross_bias", "05/cross_no_bias", "05/self_causal",
              "05/cross_causal", "05/cross_padding", "05/cross_mask_of_each_head", "05/self_causal_and_padding");

TEST_P(OfModule, ResultAndWeightsOfEachHeadAgree) { expect_agreement(*module(), value.mask()); }

class OfCausalModule : public OfModule {};
HEADWAY_CASES(OfCausalModule, "05/self_causal", "05/cross_causal");

TEST_P(OfCausalModule, AgreesWithoutBeingHandedTheMask) { expect_agreement(*module(true), {}); }

// ---- 07 ---------------------------------------------------------------------------------------------------------

TEST(OfBackward, SoftmaxAgrees) {
    const Case value("07/softmax");
    EXPECT_TRUE(close(ex07::softmax_backward(value["weights"], value["grad_weights"]), value["grad_scores"]));
}

class OfAttentionBackward : public Values {};
HEADWAY_CASES(OfAttentionBackward, "07/attention", "07/attention_masked");

TEST_P(OfAttentionBackward, GradientsAgree) {
    const ex07::AttentionGradients ours =
        ex07::attention_backward(value["q"], value["k"], value["v"], value.mask(), value["grad_context"]);
    EXPECT_TRUE(close(ours.q, value["grad_q"]));
    EXPECT_TRUE(close(ours.k, value["grad_k"]));
    EXPECT_TRUE(close(ours.v, value["grad_v"]));
}

TEST(OfBackward, LinearAgrees) {
    const Case value("07/linear");
    Tensor grad_weight = Tensor::zeros(value["weight"].shape()), grad_bias = Tensor::zeros(value["bias"].shape());
    const Tensor grad_x = ex07::linear_backward(value["x"], value["weight"], value["grad_y"], grad_weight, grad_bias);
    EXPECT_TRUE(close(grad_x, value["grad_x"]));
    EXPECT_TRUE(close(grad_weight, value["grad_weight"]));
    EXPECT_TRUE(close(grad_bias, value["grad_bias"]));
}

class OfModuleBackward : public Values {};
HEADWAY_CASES(OfModuleBackward, "07/module", "07/module_causal");

/// What the parameters of exercise 05 are called in exercise 07.
constexpr std::pair<const char*, Tensor ex07::Parameters::*> fields[] = {
    {"q_proj.weight", &ex07::Parameters::q_weight},     {"q_proj.bias", &ex07::Parameters::q_bias},
    {"k_proj.weight", &ex07::Parameters::k_weight},     {"k_proj.bias", &ex07::Parameters::k_bias},
    {"v_proj.weight", &ex07::Parameters::v_weight},     {"v_proj.bias", &ex07::Parameters::v_bias},
    {"out_proj.weight", &ex07::Parameters::out_weight}, {"out_proj.bias", &ex07::Parameters::out_bias}};

TEST_P(OfModuleBackward, GradientsOfXAndOfAllParametersAgree) {
    ex07::Parameters parameters, ours;
    for (const auto& [name, field] : fields) {
        parameters.*field = value[name];
        ours.*field = Tensor::zeros(value[name].shape());
    }
    const Tensor grad_x =
        ex07::multi_head_attention_backward(value["x"], parameters, H, value.mask(), value["grad_y"], ours);
    EXPECT_TRUE(close(grad_x, value["grad_x"]));
    for (const auto& [name, field] : fields)
        EXPECT_TRUE(close(ours.*field, value[std::string("grad_") + name])) << name;
}

// ---- 09 ---------------------------------------------------------------------------------------------------------

class OfGroupedQuery : public Values {};
HEADWAY_CASES(OfGroupedQuery, "09/no_mask", "09/mask_of_each_head");

TEST_P(OfGroupedQuery, HeadsAreRepeatedAndAttendAlike) {
    EXPECT_TRUE(close(ex09::repeat_heads(value["k"], grouped_H), value["repeated_k"]));
    EXPECT_TRUE(
        close(ex09::grouped_query_attention(value["q"], value["k"], value["v"], value.mask()), value["context"]));
}

TEST(OfGroupedQuery, TheLayerAndPoolingAgree) {
    const Case layer("09/layer"), pooling("09/pooling");
    EXPECT_TRUE(close(ex09::grouped_query_self_attention(layer["x"], layer["w_q"], layer["w_k"], layer["w_v"],
                                                         layer["w_o"], grouped_H, grouped_H_kv, layer.mask()),
                      layer["result"]));
    EXPECT_TRUE(close(ex09::pool_heads(pooling["w"], grouped_H, grouped_H_kv), pooling["pooled"]));
}

// ---- 13 ---------------------------------------------------------------------------------------------------------

constexpr double rotary_base = 500;

class OfPositions : public Values {};
HEADWAY_CASES(OfPositions, "13/no_mask", "13/mask_of_each_head");

TEST_P(OfPositions, BothConventionsTurnAlike) {
    const Tensor q = value["q"];
    const Tensor angles = ex13::rotation_angles(value["q_positions"], q.size(3), rotary_base);
    EXPECT_TRUE(close(ex13::rotate_pairs(q, angles), value["turned_q"]));
    EXPECT_TRUE(close(ex13::rotate_halves(q, angles), value["halves_of_q"]));
}

TEST_P(OfPositions, AttentionAgrees) {
    EXPECT_TRUE(close(ex13::rotary_attention(value["q"], value["k"], value["v"], value["q_positions"],
                                             value["k_positions"], rotary_base, value.mask()),
                      value["context"]));
}

/// Parts of a packed projection project x as PyTorch's do, and packed again they are the whole.
void expect_parts(const Case& value, Index num_heads, Index num_kv_heads) {
    const ex13::Projections parts =
        ex13::unpack_in_projection({value["weight"], value["bias"]}, num_heads, num_kv_heads);
    const Tensor x = value["x"];
    EXPECT_TRUE(close(matmul(x, parts.w_q) + parts.b_q, value["q"]));
    EXPECT_TRUE(close(matmul(x, parts.w_k) + parts.b_k, value["k"]));
    EXPECT_TRUE(close(matmul(x, parts.w_v) + parts.b_v, value["v"]));
    const ex13::Packed packed =
        ex13::pack_in_projection(parts.w_q, parts.w_k, parts.w_v, parts.b_q, parts.b_k, parts.b_v);
    EXPECT_TRUE(close(packed.weight, value["weight"]));
    EXPECT_TRUE(close(packed.bias, value["bias"]));
}

TEST(OfInProjection, PartsProjectAsTheWholeAndPackAgain) { expect_parts(Case("13/in_projection"), H, H); }

TEST(OfInProjection, UnequalPartsOfGroupedHeadsDoSoToo) {
    expect_parts(Case("13/unequal_parts"), grouped_H, grouped_H_kv);
}

TEST(OfPositions, WeightsConvertAsLlamasDo) {
    const std::pair<const char*, Index> cases[] = {{"13/permuted_w_q", grouped_H}, {"13/permuted_w_k", grouped_H_kv}};
    for (const auto& [name, heads] : cases) {
        const Case value(name);
        EXPECT_TRUE(close(ex13::pairs_to_halves(value["pairs"], heads), value["halves"])) << name;
        EXPECT_TRUE(close(ex13::halves_to_pairs(value["halves"], heads), value["pairs"])) << name;
    }
}

// ---- the values tell wrong from right ---------------------------------------------------------------------------

TEST(OfWrongAttention, NoneAgrees) {
    const Case value("03/mask_of_each_head");
    const Tensor q = value["q"], k = value["k"], v = value["v"], context = value["context"];
    const Mask mask = value.mask();
    const auto attended = [&](const Tensor& query, const Tensor& key, const Mask& blocked) {
        return ex03::scaled_dot_product_attention(query, key, v, blocked).context;
    };
    EXPECT_TRUE(close(attended(q, k, mask), context));
    EXPECT_FALSE(close(attended(q, k, {}), context)) << "no mask";
    EXPECT_FALSE(close(attended(q, k, !mask), context)) << "true for may attend";
    EXPECT_FALSE(close(attended(q * 2, k, mask), context)) << "not scaled";
    EXPECT_FALSE(close(attended(q, k * 1.001F, mask), context)) << "scaled by a little less";
    EXPECT_FALSE(close(attended(q.slice(1, 0, 1).expand(q.shape()), k, mask), context)) << "the first head only";
}

TEST(OfWrongModule, ExchangedOrTransposedParametersDoNotAgree) {
    const Case value("05/self_bias");
    const auto result = [&](const std::string& wrong, const Tensor& instead) {
        const auto module = ex05::make_multi_head_attention({.embed_dim = value["query"].size(2), .num_heads = H});
        nn::StateDict state;
        for (const auto& [name, parameter] : module->named_parameters())
            state.emplace_back(name, name == wrong ? instead : value[name]);
        module->load_state_dict(state);
        module->eval();
        const Tensor x = value["query"];
        return module->forward(x, x, x, {});
    };
    EXPECT_TRUE(close(result("", {}), value["result"]));
    for (const std::string projection : {"q_proj", "k_proj", "v_proj", "out_proj"}) {
        const Tensor weight = value[projection + ".weight"], bias = value[projection + ".bias"];
        EXPECT_FALSE(close(result(projection + ".weight", weight.transpose(0, 1)), value["result"])) << projection;
        // A key's bias adds the same to all scores of a query: softmax does not see it.
        EXPECT_EQ(close(result(projection + ".bias", bias * 0), value["result"]), projection == "k_proj") << projection;
    }
}

}  // namespace
}  // namespace headway::beside_pytorch
