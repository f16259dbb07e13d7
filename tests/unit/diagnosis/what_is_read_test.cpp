// A function that is right for other arguments than it was given is told by what it reads, and by nothing else.
#include "diagnosis/what_is_read.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/parts_of_result.hpp"
#include "reference/attention.hpp"
#include "student/inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

Tensor of(const Arguments& arguments, const std::string& name) { return tensor(arguments, name); }

Answer attention(const Arguments& arguments) {
    const auto number = [&](const char* name) { return reference::exact(of(arguments, name)); };
    return Answer::of(reference::attention(number("q"), number("k"), number("v"), mask(arguments, "mask")).context);
}

const Function function{.name = "attention", .model = [](const Arguments& arguments) -> Predict {
                            return [arguments](const Choices&) { return attention(arguments); };
                        }};

Arguments question(Index T, Index S) {
    Random random(static_cast<std::uint64_t>(100 * T + S));
    const auto heads = [&](Index length, Index width) { return judge::random_tensor(random, {2, 6, length, width}); };
    return {{"q", heads(T, 5)}, {"k", heads(S, 5)}, {"v", heads(S, 8)}, {"mask", Mask{}}};
}

/// What is said of a function that answers these questions so.
std::vector<std::string> told_of(const Function& asked_for, const std::vector<Arguments>& questions,
                                 const std::function<Answer(Arguments)>& answer) {
    std::vector<Observation> seen;
    for (const Arguments& asked : questions) seen.push_back({asked, answer(asked), asked_for.model(asked)});
    std::vector<std::string> words;
    for (const Explanation& one : misreadings(asked_for, seen.front()))
        if (std::ranges::all_of(seen, [&](const Observation& observation) {
                return fit(one.predict(observation), observation.seen).has_value();
            }))
            words.push_back(one.words);
    return words;
}

std::vector<std::string> told(const std::function<Answer(Arguments)>& answer) {
    return told_of(function, {question(4, 7), question(3, 9), question(6, 3)}, answer);
}

using Words = std::vector<std::string>;

/// Two results of x (B, T, D): twice x, and the sum over all tokens, added to what is there.
Answer doubled_and_summed(const Arguments& arguments) {
    const Array x = reference::exact(of(arguments, "x"));
    Array sum = reference::exact(of(arguments, "grad_sum"));
    for (std::size_t i = 0; i < x.value.size(); ++i) sum.value[i % sum.value.size()] += x.value[i];
    return {.parts = {{"double", reference::scale(x, 2)}, {"sum", sum}}};
}

const Function with_two_results{.name = "doubled_and_summed", .model = [](const Arguments& arguments) -> Predict {
                                    return [arguments](const Choices&) { return doubled_and_summed(arguments); };
                                }};

std::vector<std::string> told_of_two(const std::function<Answer(Arguments)>& answer) {
    std::vector<Arguments> questions;
    for (const Index T : {4, 3, 6}) {
        Random random(static_cast<std::uint64_t>(T));
        questions.push_back(
            {{"x", judge::random_tensor(random, {2, T, 5})}, {"grad_sum", judge::random_tensor(random, {5})}});
    }
    return told_of(with_two_results, questions, answer);
}

TEST(WhatIsRead, ValuesOfTheFirstSequence) {
    EXPECT_EQ(told([](Arguments asked) {
                  Tensor v = of(asked, "v").clone();
                  v.select(0, 1).copy_from(v.select(0, 0));
                  asked[2].value = v;
                  return attention(asked);
              }),
              Words{"v of sequence 0 is read for every sequence"});
}

TEST(WhatIsRead, ZerosAlsoWhereNanIsDue) {
    Arguments asked = question(4, 7);
    Tensor v = of(asked, "v").clone();
    v.select(2, 0).fill(std::nanf(""));
    asked[2].value = v;
    Observation zeros{asked, attention(asked), function.model(asked)};
    for (double& x : zeros.seen.parts.front().second.value) x = 0;
    const auto all = misreadings(function, zeros);
    const auto stays_zero = std::ranges::find(all, "the result stays 0", &Explanation::words);
    ASSERT_NE(stays_zero, all.end());
    EXPECT_TRUE(fit(stays_zero->predict(zeros), zeros.seen));
}

TEST(WhatIsRead, AnArgumentThatComesBack) {
    const Function doubled{.name = "doubled", .model = [](const Arguments& arguments) -> Predict {
                               const Tensor x = of(arguments, "x");
                               return [x](const Choices&) { return Answer::of(reference::exact(x * 2.0F)); };
                           }};
    Random random(1);
    const Arguments asked{{"x", judge::random_tensor(random, {2, 3, 4})}};
    const Observation unchanged{asked, Answer::of(reference::exact(of(asked, "x"))), doubled.model(asked)};
    Words words;
    for (const Explanation& one : misreadings(doubled, unchanged))
        if (fit(one.predict(unchanged), unchanged.seen)) words.push_back(one.words);
    EXPECT_EQ(words, Words{"what comes back is x, as it was given"});
}

TEST(WhatIsRead, KeysUpToTheNumberOfQueries) {
    EXPECT_EQ(told([](Arguments asked) {
                  const Index T = of(asked, "q").size(2), S = of(asked, "k").size(2);
                  Mask beyond = Mask::allow_all({S});
                  for (Index s = T; s < S; ++s) beyond(s) = true;
                  asked[3].value = beyond;
                  return attention(asked);
              }),
              Words{"keys from number T on are never read"});
}

TEST(WhatIsRead, HeadsThatFillNoFour) {
    EXPECT_EQ(
        told([](const Arguments& asked) {
            Answer answer = attention(asked);
            Array& context = answer.parts.front().second;
            for (std::size_t i = 0; i < context.value.size(); ++i)
                if (i / static_cast<std::size_t>(context.shape[2] * context.shape[3]) % 6 >= 4) context.value[i] = 0;
            return answer;
        }),
        (Words{"heads of the result beyond the last multiple of 4 stay 0",
               "heads of the result from number 4 on stay 0", "heads of v beyond the last multiple of 4 are never read",
               "heads of v from number 4 on are never read"}))
        << "with 6 heads all are true";
}

TEST(WhatIsRead, WhatIsZeroIsSaidOfTheResultFirst) {
    EXPECT_EQ(told([](Arguments asked) {
                  asked[2].value = of(asked, "v") * 0.0F;
                  return attention(asked);
              }).front(),
              "the result stays 0");
}

TEST(WhatIsRead, TheFirstTokenForOneResultAlone) {
    EXPECT_EQ(told_of_two([](Arguments asked) {
                  Answer answer = doubled_and_summed(asked);
                  Tensor x = of(asked, "x").clone();
                  x.select(1, 0).fill(0);
                  asked[0].value = x;
                  answer.parts[1] = doubled_and_summed(asked).parts[1];
                  return answer;
              }),
              Words{"for sum, the first of the tokens of x is never read"});
}

TEST(WhatIsRead, ResultsInEachOthersPlace) {
    EXPECT_EQ(told_of_two([](const Arguments& asked) {
                  Answer answer = doubled_and_summed(asked);
                  std::swap(answer.parts[0].second, answer.parts[1].second);
                  return answer;
              }),
              Words{"of the result, double and sum are in each other's place"});
}

TEST(WhatIsRead, WhatIsAddedTwice) {
    EXPECT_EQ(told_of_two([](const Arguments& asked) {
                  Answer answer = doubled_and_summed(asked);
                  const Array held = reference::exact(of(asked, "grad_sum"));
                  Array& sum = answer.parts[1].second;
                  for (std::size_t i = 0; i < sum.value.size(); ++i) sum.value[i] += sum.value[i] - held.value[i];
                  return answer;
              }).front(),
              "of the result, sum gets twice what should be added");
}

TEST(WhatIsRead, WhatIsAddedInOneLoopTooMany) {
    const auto in_a_loop_of = [](Index axis) {
        return told_of_two([axis](const Arguments& asked) {
                   Answer answer = doubled_and_summed(asked);
                   const Array held = reference::exact(of(asked, "grad_sum"));
                   const auto times = static_cast<double>(of(asked, "x").size(axis));
                   Array& sum = answer.parts[1].second;
                   for (std::size_t i = 0; i < sum.value.size(); ++i)
                       sum.value[i] = held.value[i] + times * (sum.value[i] - held.value[i]);
                   return answer;
               })
            .front();
    };
    EXPECT_EQ(in_a_loop_of(2), "of the result, sum gets what should be added multiplied by D");
    // It is no part that is never written.
    EXPECT_TRUE(is_of_the_result(added_too_often));
    EXPECT_TRUE(std::string(mistake(added_too_often).right).find("each share is added once") != std::string::npos);
}

TEST(WhatIsRead, WidthsOfALinearAreKnownByItsOwnNames) {
    const auto linear = [](const Arguments& asked) {
        Answer answer;
        answer.parts = {{"x", reference::exact(of(asked, "x"))},
                        {"bias", reference::exact(of(asked, "grad_bias") + 1.0F)}};
        return answer;
    };
    const auto as_often_as_features = [&](const Arguments& asked) {
        Answer answer = linear(asked);
        answer.parts[1].second = reference::exact(of(asked, "grad_bias") + static_cast<float>(of(asked, "x").size(2)));
        return answer;
    };
    const Function asked_for{.name = "linear_backward", .model = [&](const Arguments& arguments) -> Predict {
                                 return [&linear, arguments](const Choices&) { return linear(arguments); };
                             }};
    const auto question = [](Index B, Index T, Index in) {
        return Arguments{{"x", Tensor::arange(B * T * in).view({B, T, in})},
                         {"grad_weight", Tensor::zeros({3, in})},
                         {"grad_bias", Tensor::arange(3)}};
    };
    EXPECT_EQ(told_of(asked_for, {question(2, 3, 5), question(4, 2, 7)}, as_often_as_features).front(),
              "of the result, bias gets what should be added multiplied by the width of x (in)");
}

TEST(WhatIsRead, NothingIsSaidOfOtherMistakes) {
    EXPECT_TRUE(told([](const Arguments& asked) {
                    Answer answer = attention(asked);
                    for (double& x : answer.parts.front().second.value) x += 1;
                    return answer;
                }).empty());
}

}  // namespace
}  // namespace headway::diagnosis
