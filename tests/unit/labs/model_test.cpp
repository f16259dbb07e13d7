// The language model: its gradients against differences, and what it learns from.
#include "labs/train/model.hpp"
#include "diagnosis/catalogue.hpp"
#include "labs/train/language.hpp"
#include "labs/train/rotation.hpp"
#include "labs/train/students_block.hpp"
#include "labs/train/window.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace headway::lab {
namespace {

constexpr std::uint64_t seed = 5;

LanguageModel small_model(Index H, TrainedMistake mistake = TrainedMistake::none) {
    const Language language;
    return {{.vocabulary = static_cast<Index>(language.vocabulary().size()), .T = 7, .D = 12, .H = H}, seed, mistake};
}

Batch small_batch() { return Language().batch(Part::training, seed, 3, 7); }

/// Along a random direction of one parameter: what the gradient says, and what two losses say.
struct Slopes {
    double by_gradient = 0, by_difference = 0;
};
Slopes slopes(LanguageModel& model, std::size_t parameter, const Batch& batch) {
    constexpr float h = 1e-2F;
    Tensor& value = model.parameters()[parameter].second;
    const Tensor gradient = model.gradients()[parameter].second;
    const Tensor before = value.clone();
    const Tensor direction = Random(parameter + 1).normal(value.shape());
    Slopes found;
    for (Index i = 0; i < value.numel(); ++i)
        found.by_gradient += static_cast<double>(gradient.data()[i]) * static_cast<double>(direction.data()[i]);
    value.copy_from(before + direction * h);
    const double above = model.loss(batch);
    value.copy_from(before - direction * h);
    const double below = model.loss(batch);
    value.copy_from(before);
    found.by_difference = (above - below) / (2.0 * static_cast<double>(h));
    return found;
}

void expect_gradients(LanguageModel& model) {
    // At the start all heads look everywhere alike; a little later nothing is near zero by symmetry.
    for (auto& [name, tensor] : model.parameters()) tensor += Random(9).normal(tensor.shape()) * 0.2F;
    const Batch batch = small_batch();
    model.learn(batch);
    for (std::size_t i = 0; i < model.parameters().size(); ++i) {
        const Slopes found = slopes(model, i, batch);
        EXPECT_NEAR(found.by_gradient, found.by_difference, 0.01 * std::abs(found.by_difference) + 1e-3)
            << model.parameters()[i].first;
    }
}

class Gradients : public testing::TestWithParam<TrainedMistake> {};

TEST_P(Gradients, AreWhatDifferencesSay) {
    LanguageModel model = small_model(3, GetParam());
    expect_gradients(model);
}

INSTANTIATE_TEST_SUITE_P(WithEachMistake, Gradients,
                         testing::Values(TrainedMistake::none, TrainedMistake::sqrt_d, TrainedMistake::heads_mixed),
                         [](const auto& mistake) { return to_string(mistake.param); });

LanguageModel model_with(Positions positions) {
    const Language language;
    return {{.vocabulary = static_cast<Index>(language.vocabulary().size()),
             .T = 7,
             .D = 12,
             .H = 3,
             .positions = positions,
             .turn = &turn_of_student},
            seed};
}

class GradientsWithPositions : public testing::TestWithParam<Positions> {};

TEST_P(GradientsWithPositions, AreWhatDifferencesSay) {
    LanguageModel model = model_with(GetParam());
    // Nothing is added to the tokens: small ones would bend under the norm within a difference.
    model.parameters().front().second.copy_from(Random(8).normal(model.parameters().front().second.shape()));
    expect_gradients(model);
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, GradientsWithPositions, testing::Values(Positions::none, Positions::rotary),
                         [](const auto& positions) { return to_string(positions.param); });

LanguageModel model_of_blocks(WholeBlocks whole) {
    const Language language;
    return {{.vocabulary = static_cast<Index>(language.vocabulary().size()), .T = 7, .D = 12, .H = 3, .whole = whole},
            seed};
}

TEST(GradientsOfWholeBlocks, AreWhatDifferencesSay) {
    LanguageModel model = model_of_blocks(blocks_of_student());
    model.parameters().front().second.copy_from(Random(8).normal(model.parameters().front().second.shape()));
    expect_gradients(model);
}

TEST(WholeBlocks, OfTheSolutionsStandTheirTrial) { EXPECT_TRUE(blocks_if_written()); }

/// Where MLPs give nothing, a model of whole blocks is one of attention alone.
TEST(WholeBlocks, WithoutTheirMlpsAreAttentionAlone) {
    LanguageModel whole = model_of_blocks(blocks_of_student()), attention = model_of_blocks({});
    for (auto& [name, tensor] : whole.parameters())
        if (name.find("mlp.w_out") != std::string::npos) tensor.fill(0);
    const Batch batch = small_batch();
    EXPECT_NEAR(whole.learn(batch), attention.learn(batch), 1e-5);
    for (std::size_t i = 0; i < attention.gradients().size(); ++i)
        for (Index j = 0; j < attention.gradients()[i].second.numel(); ++j)
            ASSERT_NEAR(whole.gradients()[i].second.data()[j], attention.gradients()[i].second.data()[j], 1e-4);
}

LanguageModel model_through(Sight sight, Positions positions) {
    const Language language;
    return {{.vocabulary = static_cast<Index>(language.vocabulary().size()),
             .T = 7,
             .D = 12,
             .H = 3,
             .positions = positions,
             .turn = &turn_of_student,
             .sight = std::move(sight)},
            seed};
}

class GradientsThroughAWindow : public testing::TestWithParam<Positions> {};

TEST_P(GradientsThroughAWindow, AreWhatDifferencesSay) {
    LanguageModel model = model_through(sight_of_student(2), GetParam());
    model.parameters().front().second.copy_from(Random(8).normal(model.parameters().front().second.shape()));
    expect_gradients(model);
}

INSTANTIATE_TEST_SUITE_P(WithPositions, GradientsThroughAWindow, testing::Values(Positions::learned, Positions::rotary),
                         [](const auto& positions) { return to_string(positions.param); });

/// Two blocks of windows of 2 reach 3 tokens: what the last one says depends on these and on no other.
TEST(LanguageModel, SeesAsFarAsItsWindowsReach) {
    constexpr Index reach = 3, T = 7;
    for (const Positions positions : {Positions::learned, Positions::rotary}) {
        LanguageModel model = model_through(sight_of_student(2), positions);
        const std::vector<Index> tokens = Language().batch(Part::training, seed, 1, T).tokens;
        const Tensor before = model.logits(tokens, 1).clone();
        for (Index s = 0; s < T; ++s) {
            std::vector<Index> others = tokens;
            others[static_cast<std::size_t>(s)] = (others[static_cast<std::size_t>(s)] + 1) % before.size(2);
            const Tensor after = model.logits(others, 1);
            double change = 0;
            for (Index word = 0; word < before.size(2); ++word)
                change += std::abs(after(0, T - 1, word) - before(0, T - 1, word));
            EXPECT_EQ(change > 0, s > T - 1 - reach) << s << " " << to_string(positions);
        }
    }
}

/// A window that holds the whole text is none.
TEST(LanguageModel, SeesEverythingThroughALargeWindow) {
    LanguageModel all = model_through({}, Positions::learned),
                  wide = model_through(sight_of_student(7), Positions::learned);
    EXPECT_EQ(all.learn(small_batch()), wide.learn(small_batch()));
}

/// A model whose attention turns by nothing is one without positions.
TEST(TurnedAttention, WithoutATurnIsTheStudentsOwn) {
    LanguageModel without = model_with(Positions::none);
    LanguageModel unturned({.vocabulary = without.sizes().vocabulary,
                            .T = 7,
                            .D = 12,
                            .H = 3,
                            .positions = Positions::rotary,
                            .turn = [](const Tensor& heads, Sense) { return heads; }},
                           seed);
    const Batch batch = small_batch();
    EXPECT_NEAR(without.learn(batch), unturned.learn(batch), 1e-5);
    for (std::size_t i = 0; i < without.gradients().size(); ++i)
        for (Index j = 0; j < without.gradients()[i].second.numel(); ++j)
            ASSERT_NEAR(without.gradients()[i].second.data()[j], unturned.gradients()[i].second.data()[j], 1e-4);
}

TEST(LanguageModel, HasAsManyParametersWhateverTheHeads) {
    EXPECT_EQ(small_model(1).parameter_count(), small_model(4).parameter_count());
}

TEST(LanguageModel, BeginsAlikeWhateverTheHeads) {
    LanguageModel one = small_model(1), four = small_model(4);
    for (std::size_t i = 0; i < one.parameters().size(); ++i)
        for (Index j = 0; j < one.parameters()[i].second.numel(); ++j)
            ASSERT_EQ(one.parameters()[i].second.data()[j], four.parameters()[i].second.data()[j]);
}

TEST(LanguageModel, DoesNotSeeTheFuture) {
    LanguageModel model = small_model(3);
    std::vector<Index> tokens = {0, 8, 16, 46, 0, 8, 16};
    const Tensor before = model.logits(tokens, 1);
    tokens.back() = 17;
    const Tensor after = model.logits(tokens, 1);
    for (Index t = 0; t < 6; ++t)
        for (Index v = 0; v < before.size(2); ++v) ASSERT_EQ(before(0, t, v), after(0, t, v)) << "token " << t;
    EXPECT_NE(before(0, 6, 0), after(0, 6, 0));
}

/// A mistake is the right attention with other parameters: with those it gives the same.
TEST(Mistakes, AreTheRightAttentionWithOtherParameters) {
    for (const TrainedMistake mistake : {TrainedMistake::sqrt_d, TrainedMistake::heads_mixed}) {
        LanguageModel wrong = small_model(3, mistake), right = small_model(3);
        const Batch batch = small_batch();
        EXPECT_NE(wrong.loss(batch), right.loss(batch)) << to_string(mistake);
        for (std::size_t i = 0; i < wrong.parameters().size(); ++i) {
            const std::string& name = wrong.parameters()[i].first;
            const std::string inside = name.starts_with("block") ? name.substr(name.find('.') + 1) : name;
            right.parameters()[i].second.copy_from(as_if(mistake, inside, wrong.parameters()[i].second, 3));
        }
        EXPECT_EQ(wrong.loss(batch), right.loss(batch)) << to_string(mistake);
    }
}

/// q·kᵀ / √D is q·kᵀ / √head_dim with every q smaller by √H.
TEST(Mistakes, SqrtDIsWhatItSays) {
    const Tensor weight = Tensor::rows({{2, 4}, {6, 8}});
    EXPECT_EQ(as_if(TrainedMistake::sqrt_d, "q_proj.weight", weight, 4)(1, 1), 4);
    EXPECT_EQ(as_if(TrainedMistake::sqrt_d, "k_proj.weight", weight, 4)(1, 1), 8);
}

/// Merged as (d, H): the feature at place i·H + h is what right merging puts at h·d + i.
TEST(Mistakes, HeadsMixedReordersTheColumns) {
    const Tensor weight = Tensor::rows({{0, 1, 2, 3, 4, 5}});
    const Tensor seen = as_if(TrainedMistake::heads_mixed, "out_proj.weight", weight, 2);  // d = 3
    const float expected[] = {0, 2, 4, 1, 3, 5};
    for (Index i = 0; i < 6; ++i) EXPECT_EQ(seen(0, i), expected[i]);
    const Tensor back = as_if_backward(TrainedMistake::heads_mixed, "out_proj.weight", seen, 2);
    for (Index i = 0; i < 6; ++i) EXPECT_EQ(back(0, i), weight(0, i));
}

TEST(Mistakes, AreThoseOfTheCatalogue) {
    EXPECT_EQ(diagnosis::mistake(id_in_catalogue(TrainedMistake::sqrt_d)).decision, "scale");
    EXPECT_EQ(diagnosis::mistake(id_in_catalogue(TrainedMistake::heads_mixed)).decision, "merge");
}

}  // namespace
}  // namespace headway::lab
