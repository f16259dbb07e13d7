// Heads that are taken out are out, come back as they were, and go in the order that the losses say.
#include "labs/prune/pruning.hpp"
#include "labs/train/language.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway::lab {
namespace {

using testing::UnorderedElementsAreArray;

const Language language;

/// Parameters as far from 0 as trained ones are, biases too: nothing is out by chance.
LanguageModel some_model(Index H = 3) {
    LanguageModel model(
        {.vocabulary = static_cast<Index>(language.vocabulary().size()), .T = 10, .D = 6 * H / 3, .H = H}, 5);
    Random random(8);
    for (auto& [name, tensor] : model.parameters()) tensor.copy_from(tensor + random.normal(tensor.shape()) * 0.5F);
    return model;
}

Batch text_for(std::uint64_t seed) { return language.batch(Part::validation, seed, 3, 10); }

double largest_difference(const Tensor& a, const Tensor& b) {
    const Tensor difference = (a - b).contiguous();
    double largest = 0;
    for (Index i = 0; i < difference.numel(); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(difference.data()[i])));
    return largest;
}

Tensor& parameter(LanguageModel& model, const std::string& name) {
    return std::find_if(model.parameters().begin(), model.parameters().end(),
                        [&](const auto& one) { return one.first == name; })
        ->second;
}

TEST(WithoutHeads, AHeadThatIsOutHasNoValues) {
    const Batch text = text_for(1);
    for (const Index block : {0, 1})
        for (const Index head : {0, 1, 2}) {
            LanguageModel pruned = some_model(), valueless = some_model();
            WithoutHeads without(pruned);
            without.remove({{block, head}});
            const std::string values = "block" + std::to_string(block) + ".v_proj.";
            parameter(valueless, values + "weight").slice(0, 2 * head, 2 * head + 2).fill(0);
            parameter(valueless, values + "bias").slice(0, 2 * head, 2 * head + 2).fill(0);
            const Tensor logits = pruned.logits(text.tokens, text.B);
            EXPECT_LT(largest_difference(logits, valueless.logits(text.tokens, text.B)), 1e-4) << block << head;
            EXPECT_GT(largest_difference(logits, some_model().logits(text.tokens, text.B)), 1e-2) << block << head;
        }
}

TEST(WithoutHeads, WithoutAnyHeadNoTokenHearsOfAnother) {
    LanguageModel model = some_model();
    WithoutHeads without(model);
    without.remove(all_heads(model));
    Batch text = text_for(1);
    const Tensor before = model.logits(text.tokens, text.B).clone();
    text.tokens[text.at(1, 4)] = (text.tokens[text.at(1, 4)] + 1) % model.sizes().vocabulary;
    const Tensor after = model.logits(text.tokens, text.B);
    EXPECT_GT(largest_difference(before[1][4], after[1][4]), 1e-3);
    EXPECT_EQ(largest_difference(before[1][5], after[1][5]), 0);
    EXPECT_EQ(largest_difference(before[1][9], after[1][9]), 0);
}

TEST(WithoutHeads, PutsBackWhatItTook) {
    LanguageModel model = some_model();
    const Batch text = text_for(1);
    const Tensor before = model.logits(text.tokens, text.B).clone();
    {
        WithoutHeads without(model);
        without.remove({{0, 1}, {1, 2}});
        without.remove({{1, 0}});
        EXPECT_GT(largest_difference(before, model.logits(text.tokens, text.B)), 1e-2);
    }
    EXPECT_EQ(largest_difference(before, model.logits(text.tokens, text.B)), 0);
    losses_without_each(model, text);
    remove_one_by_one(model, text, text);
    EXPECT_EQ(largest_difference(before, model.logits(text.tokens, text.B)), 0);
}

TEST(RemoveOneByOne, TakesTheHeadWithoutWhichTheLossIsLeast) {
    LanguageModel model = some_model();
    const Batch choosing = text_for(1), measuring = text_for(2);
    Index losses = 0;
    const auto removals = remove_one_by_one(model, choosing, measuring, [&] { ++losses; });
    EXPECT_EQ(losses, losses_to_choose(6));
    std::vector<HeadPlace> gone, left = all_heads(model);
    for (const Removal& removal : removals) {
        WithoutHeads without(model);
        double chosen = 0, least = std::numeric_limits<double>::infinity();
        for (const HeadPlace& head : left) {
            auto all = gone;
            all.push_back(head);
            without.remove(all);
            const double loss = model.loss(choosing);
            least = std::min(least, loss);
            if (head == removal.head) chosen = loss;
        }
        EXPECT_EQ(chosen, least);
        gone.push_back(removal.head);
        std::erase(left, removal.head);
        without.remove(gone);
        EXPECT_EQ(removal.loss, model.loss(measuring));
    }
    EXPECT_THAT(gone, UnorderedElementsAreArray(all_heads(model)));
}

TEST(RemoveInOrder, MeasuresAfterEachOfThem) {
    LanguageModel model = some_model();
    const Batch text = text_for(3);
    const std::vector<HeadPlace> order{{1, 1}, {0, 2}};
    const auto removals = remove_in_order(model, order, text);
    ASSERT_EQ(removals.size(), 2U);
    EXPECT_EQ(removals[0].head, order[0]);
    EXPECT_EQ(removals[0].loss, losses_without_each(model, text)[4]);
    WithoutHeads without(model);
    without.remove(order);
    EXPECT_EQ(removals[1].loss, model.loss(text));
}

TEST(Removable, EndsWithTheFirstThatCostsTooMuch) {
    const auto of = [](const std::vector<double>& losses) {
        std::vector<Removal> removals;
        for (const double loss : losses) removals.push_back({.head = {}, .loss = loss});
        return removable(removals, 2.0, 0.01);
    };
    EXPECT_EQ(of({2.0, 2.015, 2.03}), 2U);
    EXPECT_EQ(of({1.9, 2.03, 2.01}), 1U);
    EXPECT_EQ(of({2.5}), 0U);
    EXPECT_EQ(of({1.0, 1.5}), 2U);
    EXPECT_EQ(of({1.0, std::nan(""), 1.5}), 1U);
}

}  // namespace
}  // namespace headway::lab
