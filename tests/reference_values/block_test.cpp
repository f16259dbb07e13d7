// Exercise 14 beside PyTorch, with the attention of exercises 05 and 07 in its blocks.
#include "cases.hpp"
#include "closeness.hpp"

#include "backward.hpp"
#include "block.hpp"
#include "module.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headway::beside_pytorch {
namespace {

constexpr Index H = 3;
constexpr double eps = 1e-2;

TEST(OfNorms, BothAgreeOnTheWayForwardAndBack) {
    const Case layer("14/layer_norm"), rms("14/rms_norm");
    EXPECT_TRUE(close(ex14::layer_norm(layer["x"], layer["gain"], layer["bias"], eps), layer["result"]));
    EXPECT_TRUE(close(ex14::rms_norm(rms["x"], rms["gain"], eps), rms["result"]));
    const auto of_layer = ex14::layer_norm_backward(layer["x"], layer["gain"], eps, layer["grad_y"]);
    EXPECT_TRUE(close(of_layer.x, layer["grad_x"]));
    EXPECT_TRUE(close(of_layer.gain, layer["grad_gain"]));
    EXPECT_TRUE(close(of_layer.bias, layer["grad_bias"]));
    const auto of_rms = ex14::rms_norm_backward(rms["x"], rms["gain"], eps, rms["grad_y"]);
    EXPECT_TRUE(close(of_rms.x, rms["grad_x"]));
    EXPECT_TRUE(close(of_rms.gain, rms["grad_gain"]));
}

TEST(OfGelu, BothFormulasAndTheirDerivativesAgree) {
    for (const auto& [name, formula] :
         {std::pair{"14/gelu_none", ex14::Gelu::exact}, {"14/gelu_tanh", ex14::Gelu::tanh}}) {
        const Case value(name);
        EXPECT_TRUE(close(ex14::gelu(value["x"], formula), value["result"])) << name;
        EXPECT_TRUE(close(ex14::gelu_backward(value["x"], value["grad_y"], formula), value["grad_x"])) << name;
    }
}

/// torch.nn.TransformerEncoderLayer, whose parameters have the names of torch, as a block with the attention of
/// exercises 05 and 07.
class TorchLayer {
public:
    /// @param prefix  of what the file holds of it
    explicit TorchLayer(const std::string& prefix) : value(prefix) {
        attention_ = ex05::make_multi_head_attention({.embed_dim = value["norm1.weight"].size(0), .num_heads = H});
        nn::StateDict state;
        for (const auto& [name, parameter] : attention_->named_parameters())
            state.emplace_back(name, value["self_attn." + name]);
        attention_->load_state_dict(state);
        attention_->eval();
        for (const auto& [name, field] : fields) grads_.*field = Tensor::zeros(value["self_attn." + name].shape());
    }

    /// It asks this layer, and must not outlive it.
    ex14::Block block(ex14::Order order, ex14::Gelu formula) {
        return {{value["norm1.weight"], value["norm1.bias"]},
                {value["norm2.weight"], value["norm2.bias"]},
                {turned("linear1.weight"), value["linear1.bias"], turned("linear2.weight"), value["linear2.bias"]},
                {[this](const Tensor& x) { return attention_->forward(x, x, x, {}); },
                 [this](const Tensor& x, const Tensor& grad) {
                     return ex07::multi_head_attention_backward(x, parameters(), H, {}, grad, grads_);
                 }},
                order,
                formula,
                eps};
    }

    /// Of the block, once it has gone back, and of its attention.
    void expect_gradients(const ex14::BlockGradients& grad) const {
        EXPECT_TRUE(close(grad.x, value["grad_x"]));
        EXPECT_TRUE(close(grad.norm1.gain, value["grad_norm1.weight"]));
        EXPECT_TRUE(close(grad.norm1.bias, value["grad_norm1.bias"]));
        EXPECT_TRUE(close(grad.norm2.gain, value["grad_norm2.weight"]));
        EXPECT_TRUE(close(grad.norm2.bias, value["grad_norm2.bias"]));
        EXPECT_TRUE(close(grad.mlp.w_in, turned("grad_linear1.weight")));
        EXPECT_TRUE(close(grad.mlp.b_in, value["grad_linear1.bias"]));
        EXPECT_TRUE(close(grad.mlp.w_out, turned("grad_linear2.weight")));
        EXPECT_TRUE(close(grad.mlp.b_out, value["grad_linear2.bias"]));
        for (const auto& [name, field] : fields)
            EXPECT_TRUE(close(grads_.*field, value["grad_self_attn." + name])) << name;
    }

    const Case value;

private:
    /// What the parameters of exercise 05 are called in exercise 07.
    inline static const std::vector<std::pair<std::string, Tensor ex07::Parameters::*>> fields = {
        {"q_proj.weight", &ex07::Parameters::q_weight},     {"q_proj.bias", &ex07::Parameters::q_bias},
        {"k_proj.weight", &ex07::Parameters::k_weight},     {"k_proj.bias", &ex07::Parameters::k_bias},
        {"v_proj.weight", &ex07::Parameters::v_weight},     {"v_proj.bias", &ex07::Parameters::v_bias},
        {"out_proj.weight", &ex07::Parameters::out_weight}, {"out_proj.bias", &ex07::Parameters::out_bias}};

    /// A weight of torch, which is (out, in), as x·w has it.
    Tensor turned(const std::string& name) const { return value[name].transpose(0, 1); }

    ex07::Parameters parameters() const {
        ex07::Parameters all;
        for (const auto& [name, field] : fields) all.*field = value["self_attn." + name];
        return all;
    }

    std::unique_ptr<ex05::Attention> attention_;
    ex07::Parameters grads_;
};

class OfBlock : public Values {};
HEADWAY_CASES(OfBlock, "14/pre_norm", "14/post_norm", "14/pre_norm_tanh", "14/post_norm_tanh");

TEST_P(OfBlock, ResultAndAllGradientsAgree) {
    const std::string name = GetParam();
    const auto order = name.find("pre_norm") != std::string::npos ? ex14::Order::pre_norm : ex14::Order::post_norm;
    const auto formula = name.find("tanh") != std::string::npos ? ex14::Gelu::tanh : ex14::Gelu::exact;
    TorchLayer layer(name);
    const ex14::Block ours = layer.block(order, formula);
    EXPECT_TRUE(close(ex14::block_forward(ours, value["x"]), value["result"]));
    layer.expect_gradients(ex14::block_backward(ours, value["x"], value["grad_y"]));
}

TEST(OfStack, ResultAndTheGradientsOfAllBlocksAgree) {
    const Case stack("14/stack");
    TorchLayer first("14/stack/0"), second("14/stack/1"), third("14/stack/2");
    const std::vector<ex14::Block> blocks = {first.block(ex14::Order::pre_norm, ex14::Gelu::exact),
                                             second.block(ex14::Order::post_norm, ex14::Gelu::tanh),
                                             third.block(ex14::Order::pre_norm, ex14::Gelu::tanh)};
    Tensor y = stack["x"];
    for (const ex14::Block& block : blocks) y = ex14::block_forward(block, y);
    EXPECT_TRUE(close(y, stack["result"]));
    const std::vector<ex14::BlockGradients> grads = ex14::stack_backward(blocks, stack["x"], stack["grad_y"]);
    ASSERT_EQ(grads.size(), blocks.size());
    first.expect_gradients(grads[0]);
    second.expect_gradients(grads[1]);
    third.expect_gradients(grads[2]);
}

}  // namespace
}  // namespace headway::beside_pytorch
