// What is said of the calls that are answered wrong: it must tell them from the others, and not by chance.
#include "diagnosis/conditions.hpp"
#include "diagnosis/call_facts.hpp"
#include "diagnosis/lost_worker.hpp"
#include "diagnosis/subject.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace headway::diagnosis {
namespace {

std::vector<std::string> words_for(const std::vector<judge::Arguments>& calls, const std::vector<bool>& wrong) {
    std::vector<Facts> facts;
    for (const judge::Arguments& call : calls) facts.push_back(facts_of(call));
    std::vector<std::string> words;
    for (const Condition& one : conditions_of(facts, wrong)) words.push_back(one.words);
    return words;
}

bool says(const std::vector<std::string>& words, const std::string& one) {
    return std::ranges::find(words, one) != words.end();
}

judge::Arguments call(Index heads, const Tensor& bias = {}) { return {{"num_heads", heads}, {"bias", bias}}; }

TEST(Conditions, TellWhetherATensorThatMayBeLeftOutIsThere) {
    const Tensor bias = Tensor::zeros({3});
    const auto words = words_for({call(3), call(5), call(6, bias), call(3, bias)}, {false, false, true, true});
    EXPECT_TRUE(says(words, "bias is given"));
    EXPECT_FALSE(says(words, "bias is not given"));
}

Reply ended_at_zero() {
    Reply reply;
    reply.failure.emplace();
    reply.failure->kind = verdict::FailureKind::sanitizer;
    reply.failure->sanitizer.emplace();
    reply.failure->sanitizer->kind = "SEGV";
    reply.failure->sanitizer->first_lines = {"Hint: address points to the zero page."};
    return reply;
}

TEST(EndedCalls, SayWhatWasLeftOutInAllThatEnded) {
    const Tensor some = Tensor::zeros({1, 1, 1, 2}), none;
    const auto append = [&](const Tensor& old) {
        return judge::Arguments{{"k_codes", old}, {"v_codes", old}, {"k", some}, {"v", some}};
    };
    EndedCalls calls;
    for (int i = 0; i < 2; ++i) calls.add(append(none), ended_at_zero());
    EXPECT_EQ(calls.where(), "") << "no other call was asked";
    for (int i = 0; i < 2; ++i) calls.add(append(some), {});
    EXPECT_EQ(calls.where(),
              "it ends where the cache holds nothing yet: of the calls that we tried again, in all 2 such, and in none "
              "of the 2 others");
    calls.add(append(none), {});
    EXPECT_EQ(calls.where(), "") << "it goes well without";
}

TEST(EndedCalls, SayNothingWhereTwoThingsAreLeftOut) {
    const Tensor some = Tensor::zeros({3});
    EndedCalls calls;
    for (int i = 0; i < 2; ++i) {
        calls.add({{"bias", Tensor{}}, {"mask", Mask{}}}, ended_at_zero());
        calls.add({{"bias", some}, {"mask", Mask::allow_all({3})}}, {});
    }
    EXPECT_EQ(calls.where(), "");
}

TEST(Conditions, TellASequenceWithPaddingFromOneThatIsPaddingAlone) {
    const auto append = [](const Shape& counts) {
        return judge::Arguments{{"k", Tensor::zeros({2, 1, 3, 2})}, {"counts", counts}};
    };
    const std::pair some("some count is above 0 and below n", "each count is 0 or n");
    EXPECT_TRUE(facts_with_masks(append({0, 1})).flag.at(some));
    EXPECT_TRUE(facts_with_masks(append({3, 2})).flag.at(some));
    EXPECT_FALSE(facts_with_masks(append({0, 3})).flag.at(some)) << "padding all the same";
    EXPECT_FALSE(facts_with_masks(append({3, 3})).flag.at(some));
}

TEST(Conditions, TellWhereASequenceWithItsPaddingEndsBehindAllOthers) {
    const auto decode = [](const Shape& lengths, const Shape& counts) {
        return judge::Arguments{{"x", Tensor::zeros({2, 3, 4})}, {"lengths", lengths}, {"counts", counts}};
    };
    const std::pair some("some lengths[b] + n is above the longest length after the call",
                         "no lengths[b] + n is above the longest length after the call");
    EXPECT_TRUE(facts_with_masks(decode({4, 0}, {0, 3})).flag.at(some)) << "a count of 0 is padding, too";
    EXPECT_TRUE(facts_with_masks(decode({4, 4}, {2, 1})).flag.at(some));
    EXPECT_FALSE(facts_with_masks(decode({4, 0}, {3, 1})).flag.at(some)) << "padding inside the longest";
    EXPECT_FALSE(facts_with_masks(decode({0, 0}, {3, 3})).flag.at(some));
}

TEST(Conditions, TellOfBiasesTogether) {
    const Tensor bias = Tensor::zeros({3});
    const auto with_biases = [&](const Tensor& b) { return judge::Arguments{{"b_q", b}, {"b_k", b}, {"b_v", b}}; };
    EXPECT_EQ(words_for({with_biases(bias), with_biases({})}, {false, true}),
              std::vector<std::string>{"no biases are given"});
}

TEST(Conditions, CallPaddingByItsName) {
    const Mask one = Mask::block_all({2, 1, 1, 3});
    const auto call = [](const char* name, const Mask& mask) { return judge::Arguments{{name, mask}}; };
    EXPECT_EQ(words_for({call("padding", {}), call("padding", one)}, {false, true}),
              std::vector<std::string>{"padding is given"});
    EXPECT_TRUE(says(words_for({call("mask", {}), call("mask", one)}, {false, true}), "a mask is given"));
    const Facts facts = facts_with_masks(call("padding", one));
    EXPECT_TRUE(facts.flag.at(std::pair("a sequence is padding alone", "no sequence is padding alone")));
    EXPECT_FALSE(facts.flag.at(std::pair("sequences differ in padding", "all sequences have the same padding")));
    EXPECT_TRUE(std::ranges::none_of(
        facts.flag, [](const auto& one_flag) { return one_flag.first.first.find("mask") != std::string::npos; }));
}

TEST(Conditions, KnowTheHeadsOfACacheInCodes) {
    const auto cache = [](Index H) {
        return judge::Arguments{{"k_codes", Tensor::zeros({2, H, 5, 3})}, {"k_scales", Tensor::zeros({2, H, 5})}};
    };
    EXPECT_TRUE(says(words_for({cache(1), cache(2), cache(3)}, {false, true, true}), "H > 1"));
}

TEST(Conditions, TellWhetherTokensAreGlobal) {
    const auto call = [](const Shape& globals) { return judge::Arguments{{"globals", globals}}; };
    EXPECT_EQ(words_for({call({}), call({0}), call({2, 5})}, {false, true, true}),
              std::vector<std::string>{"global tokens are given"});
}

TEST(Conditions, TellInWhichOrderABlockWas) {
    const auto block = [](const char* order, const char* formula) {
        return judge::Arguments{{"order", std::string(order)}, {"formula", std::string(formula)}};
    };
    const auto words = words_for({block("pre_norm", "exact"), block("pre_norm", "tanh"), block("post_norm", "exact"),
                                  block("post_norm", "tanh")},
                                 {false, false, true, true});
    EXPECT_EQ(words, std::vector<std::string>{"the order is post-norm"});
    const auto of_stacks = words_for({block("pre_norm", "tanh"), block("mixed", "tanh")}, {false, true});
    EXPECT_FALSE(says(of_stacks, "the order is post-norm")) << "a mixed stack has blocks of both orders";
}

TEST(Conditions, OfWhichBothHoldLeaveNothingOpen) {
    const std::string more = "the mask has more than one axis, or there is none";
    EXPECT_EQ(both_hold("a mask is given", more), "a mask is given and the mask has more than one axis");
    EXPECT_EQ(both_hold(more, "H = 1"), "the mask has more than one axis (or there is none) and H = 1");
    EXPECT_EQ(both_hold("H = 1", "S > T"), "H = 1 and S > T");
}

TEST(Conditions, ALimitNeedsLengthsOnItsRightSide) {
    EXPECT_FALSE(says(words_for({call(3), call(5), call(6), call(6)}, {false, false, true, true}), "H > 5"));
    EXPECT_TRUE(says(words_for({call(2), call(3), call(5), call(6)}, {false, false, false, true}), "H > 5"));
}

TEST(Conditions, CallTheKeysOfATileByTheNameThatTheyHaveInItsHeader) {
    const judge::Arguments one_call{{"scores", Tensor::zeros({2, 3, 4, 5})}, {"v", Tensor::zeros({2, 3, 5, 6})}};
    judge::Arguments one_of_several = one_call;
    one_of_several.push_back({several_calls, true});
    const Facts of_tile = facts_with_masks(one_of_several);
    EXPECT_EQ(of_tile.size.at("n"), 5);
    EXPECT_FALSE(of_tile.size.contains("S")) << "S are the keys of all tiles";
    EXPECT_EQ(of_tile.size.at("d_v"), 6);
    EXPECT_EQ(facts_with_masks(one_call).size.at("S"), 5);
}

}  // namespace
}  // namespace headway::diagnosis
