// GPT-2 around the student's attention: what gpt2_test.py, a second implementation, does not show.
#include "labs/frame/program.hpp"
#include "labs/gpt2/block.hpp"
#include "labs/gpt2/export.hpp"
#include "labs/gpt2/roles.hpp"
#include "labs/train/language.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

namespace headway::lab {
namespace {

TEST(Gpt2Sizes, CountTheParametersOfThePublishedModel) {
    // 124,439,808: the sum over the tensors of the smallest published checkpoint
    EXPECT_EQ(parameters_in({.vocabulary = 50257, .places = 1024, .D = 768, .H = 12, .layers = 12}), 124'439'808);
    EXPECT_EQ(attention_parameters_in({.vocabulary = 1, .places = 1, .D = 4, .H = 2, .layers = 3}), 3 * (64 + 16));
}

/// A layer's look in which every row is what `row` says of (t, s).
Gpt2::LayerLook looks_like(Index T, const std::function<float(Index, Index)>& row) {
    Tensor weights = Tensor::zeros({1, T, T});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s <= t; ++s) weights(0, t, s) = row(t, s);
    return {weights, {}, {}};
}

HeadRole role_of(const std::function<float(Index, Index)>& row) {
    return roles_of({looks_like(7, row)}, {looks_like(10, row)}).front();
}

TEST(HeadRole, IsWhatTheRowsSay) {
    const HeadRole previous = role_of([](Index t, Index s) { return s == std::max<Index>(0, t - 1) ? 1.0F : 0.0F; });
    EXPECT_EQ(previous.previous, 1);
    EXPECT_EQ(previous.first, 0);
    EXPECT_EQ(previous.in_words(), "previous token 1.00");
    const HeadRole first = role_of([](Index, Index s) { return s == 0 ? 1.0F : 0.0F; });
    EXPECT_EQ(first.first, 1);
    EXPECT_DOUBLE_EQ(first.previous, 1.0 / 6);  // of the second token, the first is the one before
    EXPECT_EQ(first.in_words(), "first token 1.00");
    const HeadRole even = role_of([](Index t, Index) { return 1.0F / static_cast<float>(t + 1); });
    EXPECT_NEAR(even.even, 1, 1e-6);
    EXPECT_EQ(even.in_words(), "near-uniform 1.00");
    // Five tokens said twice: at t in 5..9, what followed this token the first time stands at t - 4.
    const HeadRole induction = role_of([](Index t, Index s) { return s == std::max<Index>(0, t - 4) ? 1.0F : 0.0F; });
    EXPECT_EQ(induction.induction, 1);
    EXPECT_EQ(role_of([](Index t, Index s) { return s == std::max<Index>(0, t - 5) ? 1.0F : 0.0F; }).induction, 0);
}

TEST(SaidTwice, FitsTheModelAndTakesTheTokensThatItKnows) {
    const auto tokens = said_twice({2, 5, 7}, 9, 25, 1);
    ASSERT_EQ(tokens.size(), 8U);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(tokens[i], tokens[i + 4]);
        EXPECT_THAT(tokens[i], testing::AnyOf(2, 5, 7));
    }
    EXPECT_EQ(said_twice({2}, 1024, 25, 1).size(), 50U);
    EXPECT_THROW(said_twice({}, 9, 25, 1), std::runtime_error);
}

TEST(ExportAsGpt2, GivesTheLogitsOfTheModelWithoutItsBias) {
    const Language language;
    const auto V = static_cast<Index>(language.vocabulary().size());
    LanguageModel model({.vocabulary = V, .T = 10, .D = 12, .H = 3}, 4);
    Random random(2);
    for (auto& [name, tensor] : model.parameters())
        tensor.copy_from(name == "head.bias" ? Tensor::zeros(tensor.shape())
                                             : tensor + random.normal(tensor.shape()) * 0.3F);
    const std::string folder = testing::TempDir() + "exported";
    export_as_gpt2(model, language.vocabulary(), folder);
    Gpt2 exported(read_safetensors(folder + "/model.safetensors"),
                  sizes_from(read_file(folder + "/config.json"), "it"));
    std::filesystem::remove_all(folder);
    EXPECT_EQ(static_cast<Index>(exported.known_tokens().size()), V + 2);  // "." and "," also without a space
    const std::vector<Index> tokens = language.batch(Part::training, 3, 1, 10).tokens;
    const Tensor expected = model.logits(tokens, 1)[0], seen = exported.logits(tokens);
    for (Index t = 0; t < 10; ++t)
        for (Index i = 0; i < V; ++i) EXPECT_NEAR(seen(t, i), expected(t, i), 1e-4) << t << ", " << i;
    // The same with exercise 14 around the attention.
    const auto own_layer = layer_of_student();
    ASSERT_TRUE(own_layer.has_value());
    exported.compute_layers_by(*own_layer);
    const Tensor by_blocks = exported.logits(tokens);
    for (Index t = 0; t < 10; ++t)
        for (Index i = 0; i < V; ++i) EXPECT_NEAR(by_blocks(t, i), expected(t, i), 1e-4) << t << ", " << i;
    const auto looks = exported.look(tokens);
    const auto weights = model.weights(tokens, 1);
    for (std::size_t layer = 0; layer < 2; ++layer)
        for (Index h = 0; h < 3; ++h)
            for (Index s = 0; s < 10; ++s) EXPECT_NEAR(looks[layer].weights(h, 9, s), weights[layer](0, h, 9, s), 1e-5);
}

}  // namespace
}  // namespace headway::lab
