// What is said of wrong answers and right ones: nothing that the questions do not bear out.
#include "diagnosis/splits.hpp"

#include "diagnosis/call_facts.hpp"
#include "diagnosis/variations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace headway::diagnosis {
namespace {

struct Question {
    Index H, n;
    bool is_causal = false, has_bias = false;
};

Sorted sorted(const std::vector<Question>& questions, bool is_wrong(const Question&)) {
    Sorted all;
    for (const Question& one : questions) {
        all.facts.push_back(
            facts_with_masks({{"num_heads", one.H}, {"n", one.n}, {"causal", one.is_causal}, {"bias", one.has_bias}}));
        all.wrong.push_back(is_wrong(one));
    }
    return all;
}

bool has_several_heads(const Question& one) { return one.H > 1; }
bool has_several_heads_and_tokens(const Question& one) { return one.H > 1 && one.n > 1; }

TEST(Splits, TellOfOneConditionWithSeveralKindsOnBothSides) {
    const std::vector<Question> enough{{1, 2}, {1, 5}, {3, 1}, {5, 2}, {3, 4}};
    EXPECT_EQ(what_splits(sorted(enough, has_several_heads)), "H > 1");
    EXPECT_EQ(what_splits(sorted(enough, has_several_heads).turned()), "H = 1");
    const std::vector<Question> always_one{{1, 2}, {1, 2}, {3, 1}, {5, 2}, {3, 4}};
    EXPECT_EQ(what_splits(sorted(always_one, has_several_heads)), std::nullopt) << "one question, asked twice";
}

TEST(Splits, CompareWhatHasToDoWithEachOther) {
    const auto splits = [](const char* name) {
        Sorted all;
        for (const auto& [a, b] :
             std::vector<std::pair<Index, Index>>{{5, 6}, {9, 3}, {3, 7}, {9, 9}, {6, 2}, {8, 10}}) {
            all.facts.push_back(facts_with_masks({{"S", a}, {name, b}}));
            all.wrong.push_back(a < b);
        }
        return what_splits(all);
    };
    EXPECT_EQ(splits("w"), "S < w");
    EXPECT_EQ(splits("n"), std::nullopt);
}

TEST(Splits, TellNothingWhereSeveralConditionsWouldDo) {
    const std::vector<Question> together{{1, 2}, {1, 5}, {3, 1, true}, {5, 2, true}, {3, 4, true}};
    EXPECT_EQ(what_splits(sorted(together, has_several_heads)), std::nullopt) << "several heads, or the option?";
    std::vector<Question> apart = together;
    apart.push_back({3, 4, false});
    EXPECT_EQ(what_splits(sorted(apart, has_several_heads)), "H > 1");
}

TEST(Splits, TellOfTwoConditionsOnlyIfEachWasAskedAlone) {
    const std::vector<Question> alone{{1, 2}, {1, 5}, {3, 1}, {5, 1}, {3, 4}, {5, 2}};
    EXPECT_EQ(what_splits(sorted(alone, has_several_heads_and_tokens)), "H > 1 and n > 1");
    const std::vector<Question> once{{1, 2}, {3, 1}, {5, 1}, {3, 4}, {5, 2}};
    EXPECT_EQ(what_splits(sorted(once, has_several_heads_and_tokens)), std::nullopt);
}

TEST(Splits, TellOfTheNumberOfAxes) {
    Sorted all;
    for (const Shape& shape : {Shape{2, 3}, Shape{2, 3, 4}, Shape{3, 2, 3, 4}, Shape{2, 2, 3, 3, 4}})
        for (const bool is_turned : {false, true})
            for (const Index last : {2, 4}) {
                Shape own = shape;
                own.back() = last;
                const Tensor x = Tensor::zeros(own);
                const Tensor asked = is_turned ? x.transpose(0, 1) : x;
                all.facts.push_back(facts_with_masks({{"x (a view)", asked}, {"then", std::string("x is read")}}));
                all.wrong.push_back(!asked.is_contiguous() && x.rank() != 4);
            }
    EXPECT_EQ(what_splits(all), "x does not have four axes and x is not contiguous");
}

TEST(Splits, TellOfNoSizeThatWasBeyondAllRightOnesOnce) {
    const auto is_long = [](const Question& one) { return one.n > 10; };
    const std::vector<Question> once{{3, 6}, {3, 7}, {5, 10}, {3, 15}, {5, 15}};
    EXPECT_EQ(what_splits(sorted(once, is_long)), std::nullopt);
    const std::vector<Question> twice{{3, 6}, {3, 7}, {5, 10}, {3, 15}, {5, 11}};
    EXPECT_EQ(what_splits(sorted(twice, is_long)), "n > 10");
}

TEST(Splits, TellWhatIsNotGivenBeforeSizesThatDoAsWell) {
    Sorted all;
    const auto add = [&](Index D, bool is_given) {
        wire::Record options{{{"embed_dim", D}}};
        if (is_given) options.fields.push_back({"head_dim", Index{3}});
        all.facts.push_back(facts_with_masks({{"options", options}}));
        all.wrong.push_back(!is_given);
    };
    for (const Index D : {6, 7, 8, 9}) add(D, true);
    for (const Index D : {10, 15, 42}) add(D, false);
    EXPECT_EQ(what_splits(all), "head_dim is not given");
    for (Facts& one : all.facts) one.flag.clear();
    EXPECT_EQ(what_splits(all), "D > 9");
}

TEST(Splits, TakeKeysAndValuesOfACacheForOne) {
    Sorted all;
    const Tensor old = Tensor::zeros({1, 1, 2, 4});
    for (Index n = 1; n < 5; ++n)
        for (const Tensor& kept : {Tensor{}, old}) {
            all.facts.push_back(facts_with_masks({{"cache_k", kept}, {"cache_v", kept}, {"n", n}}));
            all.wrong.push_back(!kept.defined());
        }
    EXPECT_EQ(what_splits(all), the_cache_is_empty);
}

TEST(Splits, TakeSizesThatAreAlwaysEqualForOne) {
    Sorted all = sorted({{1, 2}, {1, 5}, {3, 1}, {5, 2}, {3, 4}}, has_several_heads);
    for (Facts& one : all.facts) one.size["H_kv"] = one.size["H"];
    EXPECT_EQ(what_splits(all), "H > 1");
}

/// Of nine questions with the option that many are wrong, of nine without it none.
Sorted some_wrong(int wrong) {
    Sorted all;
    for (Index i = 0; i < 18; ++i) {
        all.facts.push_back(facts_with_masks({{"n", i}, {"causal", i < 9}}));
        all.wrong.push_back(i < wrong);
    }
    return all;
}

TEST(Splits, TellWhichOptionIsNeededIfNearlyAllThatHaveItAreWrong) {
    ASSERT_TRUE(needed_option(some_wrong(8)));
    EXPECT_EQ(needed_option(some_wrong(8))->words, "causal is set");
    EXPECT_EQ(needed_option(some_wrong(8))->with, 9);
    EXPECT_EQ(needed_option(some_wrong(8))->without, 9);
    EXPECT_FALSE(needed_option(some_wrong(2))) << "a coincidence?";
}

TEST(Splits, TellWhichOptionIsNeededIfQuestionsAreRightWithoutIt) {
    Sorted few = some_wrong(2);
    for (const std::size_t wrong : {0U, 1U}) {
        few.facts.push_back(facts_with_masks({{"n", static_cast<Index>(wrong)}, {"causal", false}}));
        few.wrong.push_back(false);
        few.changes.push_back({wrong, few.wrong.size() - 1});
    }
    ASSERT_TRUE(needed_option(few));
    EXPECT_EQ(needed_option(few)->words, "causal is set");
    few.facts.back().size["n"] = 5;
    EXPECT_FALSE(needed_option(few)) << "another size may be why it is right";
}

/// A call with these two tensors, each contiguous or not.
Facts laid_out(bool a_is_contiguous, bool b_is_contiguous) {
    const Tensor dense = Tensor::zeros({2, 3});
    const auto tensor = [&](bool is_contiguous) {
        return is_contiguous ? dense : Tensor::zeros({3, 2}).transpose(0, 1);
    };
    return facts_with_masks({{"a", tensor(a_is_contiguous)}, {"b", tensor(b_is_contiguous)}});
}

TEST(Splits, TellOfNoLayoutThatIsNeededWhereAnotherWasTakenToo) {
    Sorted all;
    const auto add = [&](const Facts& facts, bool is_wrong, int times) {
        all.facts.insert(all.facts.end(), static_cast<std::size_t>(times), facts);
        all.wrong.insert(all.wrong.end(), static_cast<std::size_t>(times), is_wrong);
    };
    add(laid_out(false, false), true, 2);
    add(laid_out(false, true), false, 9);
    add(laid_out(true, true), false, 9);
    all.changes = {{0, 11}, {1, 12}};
    const auto needed = needed_option(all);
    ASSERT_TRUE(needed);
    EXPECT_EQ(needed->words, "b is not contiguous") << "all that have it are wrong";
    all.wrong[0] = false;
    for (int i = 0; i < 3; ++i) add(laid_out(false, false), false, 1);
    EXPECT_FALSE(needed_option(all)) << "what was right had two views fewer";
    all.changes = {{1, 2}, {1, 3}};
    ASSERT_TRUE(needed_option(all));
    EXPECT_EQ(needed_option(all)->words, "b is not contiguous");
}

TEST(Splits, TellOfTheLayoutOfWhatIsNotAlwaysGiven) {
    Sorted all;
    const auto add = [&](Tensor b, Index n, bool is_wrong) {
        all.facts.push_back(facts_with_masks({{"n", n}, {"b", std::move(b)}}));
        all.wrong.push_back(is_wrong);
    };
    for (Index n = 1; n < 4; ++n) {
        add(Tensor{}, n, false);
        add(Tensor::zeros({3}), n, false);
        add(Tensor::zeros({3, 2}).select(1, 0), n, true);
    }
    EXPECT_EQ(what_splits(all), "b is not contiguous");
}

bool says(const Facts& facts, const std::string& words) {
    return std::ranges::any_of(
        facts.flag, [&](const auto& flag) { return (flag.second ? flag.first.first : flag.first.second) == words; });
}

TEST(Splits, KnowWhichTensorsAreContiguous) {
    const Tensor dense = Tensor::zeros({2, 3});
    const Facts facts = facts_with_masks({{"a", dense}, {"b (a view)", dense.transpose(0, 1)}});
    EXPECT_TRUE(says(facts, "a is contiguous"));
    EXPECT_TRUE(says(facts, "b is not contiguous"));
}

TEST(Splits, KnowHowWideTheHeadsOfAModuleAre) {
    const auto options = [](std::vector<wire::Field> fields) {
        return judge::Arguments{{"options", wire::Record{std::move(fields)}}};
    };
    EXPECT_EQ(facts_with_masks(options({{"embed_dim", Index{6}}, {"num_heads", Index{2}}})).size.at("E"), 6);
    const std::vector<wire::Field> wide{{"embed_dim", Index{6}}, {"num_heads", Index{2}}, {"head_dim", Index{5}}};
    EXPECT_EQ(facts_with_masks(options(wide)).size.at("E"), 10);
}

TEST(Variations, WithOneHeadKeepTheFirstOfEachTensor) {
    const Tensor cached = Tensor::arange(2 * 3 * 4 * 5).view({2, 3, 4, 5});
    wire::Record state{{{"q_proj.weight", Tensor::zeros({15, 7})}, {"out_proj.weight", Tensor::zeros({7, 15})}}};
    const auto one = with_one_head({{"cache.k", cached}, {"state", state}, {"x", Tensor::zeros({2, 1, 7})}});
    ASSERT_TRUE(one);
    EXPECT_EQ(tensor(*one, "cache.k").shape(), (Shape{2, 1, 4, 5}));
    EXPECT_TRUE(tensor(*one, "cache.k").is_contiguous());
    const auto& kept = std::get<wire::Record>(argument(*one, "state"));
    EXPECT_EQ(std::get<Tensor>(kept.find("q_proj.weight")->value).shape(), (Shape{5, 7}));
    EXPECT_EQ(std::get<Tensor>(kept.find("out_proj.weight")->value).shape(), (Shape{7, 5}));
    EXPECT_FALSE(with_one_head(*one)) << "it has one";
}

TEST(Variations, ChangeOnlyWhatWasSeenBothWays) {
    Random random(1);
    const judge::Arguments like{{"q", Tensor::zeros({2, 1, 3, 4})}, {"mask", Mask{}}, {"causal", true}};
    const auto flips = [&](const Freedom& freedom) {
        return std::ranges::count_if(variations(like, freedom, random), [](const judge::Arguments& one) {
            return !std::get<bool>(argument(one, "causal"));
        });
    };
    const auto masks = [&](const Freedom& freedom) {
        return std::ranges::count_if(variations(like, freedom, random),
                                     [](const judge::Arguments& one) { return mask(one, "mask").defined(); });
    };
    EXPECT_EQ(flips({}), 0);
    EXPECT_EQ(flips({.options = {"causal"}}), 1);
    EXPECT_EQ(masks({}), 0);
    EXPECT_GT(masks({.with_mask = true}), 0);
}

TEST(CallFacts, NothingIsSeenWhereAMaskBlocksAll) {
    Mask some = Mask::block_all({2, 1, 3});
    EXPECT_TRUE(sees_nothing({{"q", Tensor::ones({2, 3})}, {"mask", some}}));
    some(1, 0, 2) = false;
    EXPECT_FALSE(sees_nothing({{"mask", some}}));
    EXPECT_FALSE(sees_nothing({{"mask", Mask{}}, {"n", Index{0}}}));
}

}  // namespace
}  // namespace headway::diagnosis
