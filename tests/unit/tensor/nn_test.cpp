#include "naive.hpp"

#include <headway/nn.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <stdexcept>

namespace headway::nn {
namespace {

using naive::numbers;
using testing::Each;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Two layers and a parameter of its own, as a student would write it.
class Block : public Module {
public:
    explicit Block(Random random = Random(1))
        : scale(Tensor::ones({3})), up(3, 5, Bias::yes, random), down(5, 3, Bias::no, random) {
        register_module("up", up);
        register_module("down", down);
        register_parameter("scale", scale);
    }
    using Module::register_module;
    using Module::register_parameter;

    Tensor scale;
    Linear up, down;
};

std::vector<std::string> names(const std::vector<NamedTensor>& parameters) {
    std::vector<std::string> all;
    all.reserve(parameters.size());
    for (const auto& [name, tensor] : parameters) all.push_back(name);
    return all;
}

TEST(Module, ListsOwnParametersFirstThenTheChildrens) {
    const Block block;
    EXPECT_THAT(names(block.named_parameters()), ElementsAre("scale", "up.weight", "up.bias", "down.weight"));
    EXPECT_EQ(block.parameters().size(), 4U);
}

TEST(Module, ParametersShareStorageWithTheMembers) {
    Block block;
    block.parameters()[0].fill(7);
    EXPECT_THAT(numbers(block.scale), Each(7));
    EXPECT_TRUE(block.parameters()[1].shares_storage_with(block.up.weight));
}

TEST(Module, StateDictIsACopyThatLoadsBack) {
    Block block;
    const StateDict state = block.state_dict();
    block.scale.fill(7);
    block.up.weight.fill(0);
    EXPECT_THAT(numbers(state[0].second), Each(1));
    block.load_state_dict(state);
    EXPECT_THAT(numbers(block.scale), Each(1));
    EXPECT_EQ(numbers(block.up.weight), numbers(state[1].second));
}

TEST(Module, StateLoadsInAnyOrderAndFromAnyStrides) {
    Block block;
    StateDict state = block.state_dict();
    std::swap(state[0], state[3]);
    state[1].second = Tensor::arange(15).as_strided({5, 3}, {1, 5}, 0);
    block.load_state_dict(state);
    EXPECT_EQ(numbers(block.up.weight), numbers(state[1].second));
    EXPECT_TRUE(block.up.weight.is_contiguous());
}

TEST(Module, LoadingListsEverythingThatIsWrongAndChangesNothing) {
    Block block;
    StateDict state = block.state_dict();
    for (auto& [name, value] : state) value.fill(9);
    state[0].first = "scala";
    state[1].second = Tensor::zeros({3, 5});
    state[2].second = Tensor{};
    state.push_back(state[3]);
    const StateDict before = block.state_dict();
    EXPECT_THAT([&] { block.load_state_dict(state); },
                ThrowsMessage<std::invalid_argument>(Eq("load_state_dict: the state does not fit the module\n"
                                                        "  missing: scale (3)\n"
                                                        "  given twice: down.weight\n"
                                                        "  unexpected: scala (3)\n"
                                                        "  wrong shape: up.weight is (3, 5), the module has (5, 3)\n"
                                                        "  wrong shape: up.bias is undefined, the module has (5)")));
    for (std::size_t i = 0; i < before.size(); ++i)
        EXPECT_EQ(numbers(block.parameters()[i]), numbers(before[i].second)) << before[i].first;
}

TEST(Module, TheStateMayBeTheParametersThemselvesExchanged) {
    Random random(2);
    Block block;
    Linear first(2, 2, Bias::no, random), second(2, 2, Bias::no, random);
    class Pair : public Module {
    public:
        Pair(Linear& a, Linear& b) {
            register_module("a", a);
            register_module("b", b);
        }
    } pair(first, second);
    const Tensor a = first.weight.clone(), b = second.weight.clone();
    pair.load_state_dict({{"a.weight", second.weight}, {"b.weight", first.weight}});
    EXPECT_EQ(numbers(first.weight), numbers(b));
    EXPECT_EQ(numbers(second.weight), numbers(a));
}

TEST(Module, ModeReachesTheChildren) {
    Block block;
    EXPECT_TRUE(block.is_training());
    block.eval();
    EXPECT_FALSE(block.is_training());
    EXPECT_FALSE(block.down.is_training());
    block.train();
    EXPECT_TRUE(block.up.is_training());
}

TEST(Module, RefusesNamesThatWouldBeAmbiguous) {
    Block block;
    Random random(1);
    Linear other(1, 1, Bias::no, random);
    EXPECT_THAT([&] { block.register_parameter("scale", Tensor::zeros({1})); },
                ThrowsMessage<std::invalid_argument>(Eq("the name scale is registered already")));
    EXPECT_THROW(block.register_module("up", other), std::invalid_argument);
    EXPECT_THROW(block.register_module("scale", other), std::invalid_argument);
    EXPECT_THROW(block.register_parameter("", Tensor::zeros({1})), std::invalid_argument);
    EXPECT_THROW(block.register_parameter("a.b", Tensor::zeros({1})), std::invalid_argument);
    EXPECT_THROW(block.register_parameter("none", Tensor{}), std::invalid_argument);
}

/// What `*q_proj_` is before `q_proj_ = std::make_unique<nn::Linear>(...)`: undefined behaviour, of which a sanitizer
/// would speak first.
__attribute__((no_sanitize("undefined"))) void register_what_is_not_made(Block& block, Linear* module,
                                                                         const Tensor* tensor) {
    Linear* volatile no_module = module;
    const Tensor* volatile no_tensor = tensor;
    if (tensor == nullptr) return block.register_parameter("w", *no_tensor);
    block.register_module("q_proj", *no_module);
}

TEST(Module, RefusesWhatIsRegisteredBeforeItIsMade) {
    Block block;
    EXPECT_THAT(
        [&] { register_what_is_not_made(block, nullptr, &block.scale); },
        ThrowsMessage<std::invalid_argument>(Eq("register_module(\"q_proj\"): there is no module yet: make it first")));
    EXPECT_THAT(
        [&] { register_what_is_not_made(block, &block.up, nullptr); },
        ThrowsMessage<std::invalid_argument>(Eq("register_parameter(\"w\"): there is no tensor yet: make it first")));
}

TEST(Linear, MultipliesByTheTransposedWeightAndAddsTheBias) {
    Random random(3);
    Linear linear(2, 3, Bias::yes, random);
    linear.weight.copy_from(Tensor::rows({{1, 2}, {3, 4}, {5, 6}}));
    linear.bias.copy_from(Tensor::of({3}, {10, 20, 30}));
    EXPECT_THAT(numbers(linear.forward(Tensor::of({1, 2}, {1, 1}))), ElementsAre(13, 27, 41));
    EXPECT_EQ(linear.forward(Tensor::zeros({4, 5, 2})).shape(), (Shape{4, 5, 3}));
    EXPECT_EQ(linear.forward(Tensor::zeros({2})).shape(), Shape{3});
    EXPECT_EQ(linear.forward(Tensor::zeros({0, 2})).shape(), (Shape{0, 3}));
}

TEST(Linear, MayHaveNoBias) {
    Random random(3);
    const Linear linear(2, 3, Bias::no, random);
    EXPECT_FALSE(linear.bias.defined());
    EXPECT_EQ(linear.parameters().size(), 1U);
    EXPECT_THAT(numbers(linear.forward(Tensor::zeros({1, 2}))), Each(0));
}

TEST(Linear, StartsUniformWithinOneOverRootOfItsInputs) {
    Random random(4), same(4);
    const Linear linear(16, 50, Bias::yes, random);
    EXPECT_EQ(numbers(linear.weight), numbers(same.uniform({50, 16}, -0.25F, 0.25F)));
    EXPECT_EQ(numbers(linear.bias), numbers(same.uniform({50}, -0.25F, 0.25F)));
}

TEST(Linear, SaysWhatDoesNotFit) {
    Random random(5);
    const Linear linear(2, 3, Bias::no, random);
    EXPECT_THAT(
        [&] {
            (void)linear.forward(Tensor::zeros({4, 3}));
        },
        ThrowsMessage<std::invalid_argument>(Eq("Linear: (4, 3) does not end in 2 features; "
                                                "the weight is (3, 2), stored (out, in)")));
    EXPECT_THROW((void)linear.forward(Tensor::zeros({})), std::invalid_argument);
    EXPECT_THROW((void)linear.forward(Tensor{}), std::invalid_argument);
    EXPECT_THAT([&] { Linear(0, 3, Bias::no, random); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("in_features")));
    EXPECT_THAT([&] { Linear(3, -1, Bias::no, random); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("out_features must be positive, not -1")));
}

}  // namespace
}  // namespace headway::nn
