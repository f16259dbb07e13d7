// Gradients of exercise 14's model against central differences of its own way forward, all in double: as it is right,
// and with mistakes that a submission makes on both ways.
#include "diagnosis/catalogue.hpp"
#include "suites/14_block/wiring.hpp"

#include "student/inputs.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace headway::diagnosis {
namespace {

constexpr double step = 1e-5;
/// Of what is asked here.
namespace size {
constexpr Index B = 2, T = 3, D = 4, F = 5;
}

Array random_array(Random& random, const Shape& shape) { return reference::exact(judge::random_tensor(random, shape)); }

BlockArrays random_block(Random& random) {
    const auto vector = [&](Index size) { return random_array(random, {size}); };
    BlockArrays block;
    for (NormArrays& norm : block.norm) norm = {vector(size::D), vector(size::D)};
    block.mlp = {random_array(random, {size::D, size::F}), vector(size::F), random_array(random, {size::F, size::D}),
                 vector(size::D)};
    block.mix = random_array(random, {size::T, size::T});
    block.eps = 0.3;
    return block;
}

double loss(const Array& output, const Array& upstream) {
    double total = 0;
    for (std::size_t i = 0; i < output.value.size(); ++i) total += output.value[i] * upstream.value[i];
    return total;
}

/// Every element of `gradient` against what happens to `function` if the same element of `input` moves.
void expect_differences(const std::string& name, Array& input, const Array& gradient,
                        const std::function<double()>& function) {
    ASSERT_EQ(gradient.shape, input.shape) << name;
    for (std::size_t i = 0; i < input.value.size(); ++i) {
        const double here = input.value[i];
        input.value[i] = here + step;
        const double above = function();
        input.value[i] = here - step;
        const double below = function();
        input.value[i] = here;
        EXPECT_NEAR(gradient.value[i], (above - below) / (2 * step), 1e-5) << name << ", element " << i;
    }
}

/// What is decided, with a mistake or without.
class ModelBlock : public testing::TestWithParam<const char*> {
protected:
    Choices choices = right();

    void SetUp() override {
        if (const std::string id = GetParam(); !id.empty()) mistake(id).make(choices);
    }
    ModelBlocks blocks() const {
        return ModelBlocks({choices.of<Norms>(), choices.of<Activation>(), choices.of<Wiring>()});
    }
};
INSTANTIATE_TEST_SUITE_P(WithMistakes, ModelBlock,
                         testing::Values("", "block_residuals_forgotten", "block_residuals_from_normed",
                                         "block_first_residual_forgotten", "block_second_residual_forgotten",
                                         "block_second_residual_from_x", "block_side_by_side", "block_orders_exchanged",
                                         "block_first_norm_left_out", "norm_over_tokens", "norm_rms_for_layer",
                                         "mlp_without_activation", "mlp_b_in_after_activation"));

TEST_P(ModelBlock, GoesBackAsItGoesForward) {
    Random random(14);
    for (const bool pre_norm : {true, false})
        for (const char* formula : {"exact", "tanh"}) {
            BlockArrays block = random_block(random);
            block.pre_norm = pre_norm;
            block.formula = formula;
            Array x = random_array(random, {size::B, size::T, size::D});
            const Array upstream = random_array(random, {size::B, size::T, size::D});
            ModelBlocks model = blocks();
            const NamedArrays gradients = model.backward(block, x, upstream);
            const std::vector<Array*> inputs{&x,
                                             &block.norm[0].gain,
                                             &block.norm[0].bias,
                                             &block.norm[1].gain,
                                             &block.norm[1].bias,
                                             &block.mlp.w_in,
                                             &block.mlp.b_in,
                                             &block.mlp.w_out,
                                             &block.mlp.b_out};
            ASSERT_EQ(gradients.size(), inputs.size());
            for (std::size_t i = 0; i < inputs.size(); ++i)
                expect_differences(gradients[i].first, *inputs[i], gradients[i].second,
                                   [&] { return loss(model.forward(block, x), upstream); });
        }
}

TEST(ModelStack, GoesBackThroughAllItsBlocks) {
    Random random(15);
    std::vector<BlockArrays> stack;
    for (const bool pre_norm : {true, false, true}) {
        stack.push_back(random_block(random));
        stack.back().pre_norm = pre_norm;
        stack.back().formula = "exact";
    }
    Array x = random_array(random, {size::B, size::T, size::D});
    const Array upstream = random_array(random, {size::B, size::T, size::D});
    ModelBlocks model(BlockChoices::right());
    const NamedArrays gradients = through_stack_backward(Wiring::right(), model, stack, x, upstream);
    const auto forward = [&] {
        Array y = x;
        for (const BlockArrays& block : stack) y = model.forward(block, y);
        return loss(y, upstream);
    };
    ASSERT_EQ(gradients.size(), 27U);
    EXPECT_EQ(gradients[0].first, "x of block 0");
    expect_differences("x", x, gradients[0].second, forward);
    EXPECT_EQ(gradients[14].first, "w_in of block 1");
    expect_differences("w_in", stack[1].mlp.w_in, gradients[14].second, forward);
}

TEST(ModelStack, TakesTheSettingsOfTheFirstBlockByMistakeAlone) {
    Random random(16);
    std::vector<BlockArrays> alike{random_block(random), random_block(random)};
    std::vector<BlockArrays> mixed = alike;
    mixed[1].pre_norm = !mixed[0].pre_norm;
    mixed[1].formula = mixed[0].formula == "tanh" ? "exact" : "tanh";
    mixed[1].eps = mixed[0].eps + 1;
    const Array x = random_array(random, {size::B, size::T, size::D});
    const Array upstream = random_array(random, {size::B, size::T, size::D});
    Choices choices = right();
    mistake("stack_settings_of_first").make(choices);
    ModelBlocks model(BlockChoices::right());
    const auto gradient_of_x = [&](const Wiring& wiring, const std::vector<BlockArrays>& stack) {
        return through_stack_backward(wiring, model, stack, x, upstream).front().second.value;
    };
    EXPECT_EQ(gradient_of_x(choices.of<Wiring>(), mixed), gradient_of_x(Wiring::right(), alike));
    EXPECT_NE(gradient_of_x(Wiring::right(), mixed), gradient_of_x(Wiring::right(), alike));
}

}  // namespace
}  // namespace headway::diagnosis
