// Exercise 14 beside PyTorch, with the attention of exercises 05 and 07 in its blocks.
#include "cases.hpp"
#include "closeness.hpp"

#include "backward.hpp"
#include "block.hpp"
#include "module.hpp"

#include <memory>

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

/// torch.nn.TransformerEncoderLayer, whose parameters have the names of torch.
class OfBlock : public Values {
protected:
    /// A weight of torch, which is (out, in), as x·w has it.
    Tensor turned(const std::string& name) const { return value[name].transpose(0, 1); }

    ex14::Block block() {
        const bool is_pre = std::string(GetParam()).find("pre_norm") != std::string::npos;
        const bool is_tanh = std::string(GetParam()).find("tanh") != std::string::npos;
        return {{value["norm1.weight"], value["norm1.bias"]},
                {value["norm2.weight"], value["norm2.bias"]},
                {turned("linear1.weight"), value["linear1.bias"], turned("linear2.weight"), value["linear2.bias"]},
                {[this](const Tensor& x) { return attention().forward(x, x, x, {}); },
                 [this](const Tensor& x, const Tensor& grad) {
                     return ex07::multi_head_attention_backward(x, parameters_of(attention()), H, {}, grad, grads_);
                 }},
                is_pre ? ex14::Order::pre_norm : ex14::Order::post_norm,
                is_tanh ? ex14::Gelu::tanh : ex14::Gelu::exact,
                eps};
    }

    ex07::Parameters grads_;  ///< of attention

    void SetUp() override {
        attention_ = ex05::make_multi_head_attention({.embed_dim = value["x"].size(2), .num_heads = H});
        nn::StateDict state;
        for (const auto& [name, parameter] : attention_->named_parameters())
            state.emplace_back(name, value["self_attn." + name]);
        attention_->load_state_dict(state);
        attention_->eval();
        grads_ = parameters_of(*attention_);
        for (Tensor* grad : {&grads_.q_weight, &grads_.q_bias, &grads_.k_weight, &grads_.k_bias, &grads_.v_weight,
                             &grads_.v_bias, &grads_.out_weight, &grads_.out_bias})
            *grad = Tensor::zeros(grad->shape());
    }

private:
    ex05::Attention& attention() { return *attention_; }

    static ex07::Parameters parameters_of(const nn::Module& module) {
        const std::vector<Tensor> all = module.parameters();
        return {all.at(0), all.at(1), all.at(2), all.at(3), all.at(4), all.at(5), all.at(6), all.at(7)};
    }

    std::unique_ptr<ex05::Attention> attention_;
};
HEADWAY_CASES(OfBlock, "14/pre_norm", "14/post_norm", "14/pre_norm_tanh", "14/post_norm_tanh");

TEST_P(OfBlock, ResultAndAllGradientsAgree) {
    const ex14::Block ours = block();
    EXPECT_TRUE(close(ex14::block_forward(ours, value["x"]), value["result"]));
    const ex14::BlockGradients grad = ex14::block_backward(ours, value["x"], value["grad_y"]);
    EXPECT_TRUE(close(grad.x, value["grad_x"]));
    EXPECT_TRUE(close(grad.norm1.gain, value["grad_norm1.weight"]));
    EXPECT_TRUE(close(grad.norm1.bias, value["grad_norm1.bias"]));
    EXPECT_TRUE(close(grad.norm2.gain, value["grad_norm2.weight"]));
    EXPECT_TRUE(close(grad.norm2.bias, value["grad_norm2.bias"]));
    EXPECT_TRUE(close(grad.mlp.w_in, turned("grad_linear1.weight")));
    EXPECT_TRUE(close(grad.mlp.b_in, value["grad_linear1.bias"]));
    EXPECT_TRUE(close(grad.mlp.w_out, turned("grad_linear2.weight")));
    EXPECT_TRUE(close(grad.mlp.b_out, value["grad_linear2.bias"]));
    EXPECT_TRUE(close(grads_.q_weight, value["grad_self_attn.q_proj.weight"]));
    EXPECT_TRUE(close(grads_.out_bias, value["grad_self_attn.out_proj.bias"]));
}

}  // namespace
}  // namespace headway::beside_pytorch
