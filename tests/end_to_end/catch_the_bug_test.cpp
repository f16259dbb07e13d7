// Exercise 06, where the submission is a file of tests: what counts, and what is told.
#include "catch_the_bug.hpp"

namespace headway::catch_the_bug {
namespace {

/// The weights of head 0, read as if its rows lay one after another.
const std::string reads_the_storage = R"(
bool is_close(const Tensor& a, const std::vector<float>& want) {
    for (std::size_t i = 0; i < want.size(); ++i)
        if (!(std::abs(a.data()[i] - want[i]) < 1e-3F)) return false;
    return true;
}
TEST(Helper, ReadsTheStorage) {
    Inputs in = ones();
    in.mask = Mask::of({3}, {true, false, false});
    EXPECT_TRUE(is_close(attention(in).weights, {0, 0.5F, 0.5F, 0, 0.5F, 0.5F, 0, 0.5F, 0.5F, 0, 0.5F, 0.5F}));
}
)";

TEST(CatchTheBug, EachRightAttentionThatIsFailedCostsOneThatIsCaught) {
    const verdict::Exercise all = graded(solution(tests_file));
    EXPECT_EQ(all.points, 10);
    EXPECT_EQ(all.state, verdict::State::passed);
    // Some right attentions give a blocked key the weight -0.
    const verdict::Exercise some = graded(solution_and(R"(
TEST(Strict, NoZeroHasASign) {
    Inputs in = ones();
    in.mask = Mask::of({3}, {true, false, false});
    EXPECT_FALSE(__builtin_signbit(attention(in).weights(0, 0, 0, 0)));
}
)"));
    const std::string& message = right_ones(some).failure->message;
    const int failed = std::stoi(message);  // "4 of 10 right attentions"
    EXPECT_GT(failed, 0);
    EXPECT_LT(failed, 10);
    EXPECT_EQ(some.points, 10 - failed);
    EXPECT_EQ(some.state, verdict::State::failed);
    expect_said(message, "of 10 right attentions");
    expect_said(message, "Strict.NoZeroHasASign");
    expect_said(message, "It passes when no zero is -0.");
}

TEST(CatchTheBug, WhyARightAttentionFailsIsFoundByRunningTheTestOnceMore) {
    expect_said(told(graded(solution_and(reads_the_storage)), "RightOnesPass"),
                "It passes when the same answer lies in row-major order.");
    expect_said(told(graded(solution_and(R"(
TEST(Own, Expectation) {
    Inputs in = ones();
    in.query = Tensor::ones({2, 1, 4});
    in.causal = true;
    EXPECT_EQ(attention(in).weights(0, 0, 0, 2), 0.0F);
}
)")),
                     "RightOnesPass"),
                "one passes: there, the causal mask aligns the first query with the first key. Is that what the test "
                "expects? Right: the last query sees every key");
    expect_said(told(graded(solution_and(R"(
TEST(Strict, ToTheLastDigit) {
    Inputs in = ones();
    for (Index i = 0; i < 24; ++i) in.key.data()[i] = 0.1F * static_cast<float>(i % 7);
    double total = 0;
    const Attended out = attention(in);
    for (Index s = 0; s < 3; ++s) total += out.weights(0, 0, 0, s) * 1000003.0;
    EXPECT_NEAR(out.weights(0, 1, 0, 0), 0.3333333F * total / 1000003.0, 1e-30);
}
)")),
                     "RightOnesPass"),
                "compare with a tolerance, as wide as the header promises");
}

TEST(CatchTheBug, WhatATestAsksOrExpectsAgainstTheHeaderIsToldSo) {
    expect_said(right_ones(graded(tests(R"(
TEST(Mask, HidesInfinity) {
    Inputs in = ones();
    in.value = in.value.clone();
    in.value(0, 2, 0) = INFINITY;
    in.mask = Mask::of({3}, {false, false, true});
    EXPECT_LT(std::abs(attention(in).output(0, 0, 0) - 1), 0.01F);
}
)")))
                    .failure->message,
                "It passes when 0 takes the place of infinity");
    expect_said(right_ones(graded(tests(R"(
TEST(Nothing, ToSeeGivesNothing) {
    Inputs in = ones();
    in.b_o = Tensor::ones({4});
    in.mask = Mask::block_all({3});
    EXPECT_LT(std::abs(attention(in).output(0, 0, 0)), 0.01F);
}
)")))
                    .failure->message,
                "Right: its weights are 0, so its output is b_o");
    expect_said(right_ones(graded(tests(R"(
TEST(Padding, OfOneSequence) {
    Inputs in = ones();
    in.mask = Mask::of({2, 1, 3}, {false, false, false, false, false, true});
    EXPECT_EQ(attention(in).weights(1, 0, 0, 2), 0.0F);
}
)")))
                    .failure->message,
                "It passes when your mask (2, 1, 3) is taken as (2, 1, 1, 3). A mask is lined up from the last axis "
                "with (B, H, T, S): its first axis meets the heads, not the sequences.");
    expect_said(
        right_ones(graded(tests(R"(
TEST(Large, ScoresToAllDigits) {
    Inputs in = ones();
    in.query = in.query * 100.0F;
    EXPECT_NEAR(attention(in).weights(0, 0, 0, 0), 0.333333, 1e-30);
}
)")))
            .failure->message,
        "Where scores reach more than 10 in size, as in all that this test asks (up to 141.42), the header promises "
        "weights to 0.01");
}

TEST(CatchTheBug, AnIndexPastTheEndIsToldFirstWithItsLineAndWithWhatTheAxisCounts) {
    const verdict::Exercise exercise = graded(tests(R"(
Inputs with_two_heads() {
    Inputs in = ones();
    in.query = Tensor::of({1, 1, 4}, {1, 2, 3, 4});
    in.key = in.value = Tensor::of({1, 2, 4}, {1, 0, 2, 0, 0, 1, 0, 1});
    in.num_heads = 2;
    return in;
}
TEST(Another, Fails) { EXPECT_EQ(attention(ones()).output.rank(), 4); }
TEST(Weights, SumToOne) {
    const Attended out = attention(with_two_heads());
    for (Index h = 0; h < 2; ++h) EXPECT_NEAR(out.weights(0, 0, h, 0) + out.weights(0, 0, h, 1), 1, 1e-3);
    EXPECT_EQ(out.weights.size(1), 2);
}
)"));
    const verdict::Failure& failure = *right_ones(exercise).failure;
    expect_said(failure.message, "Weights.SumToOne, C++ exception");
    expect_said(failure.message, "(B, H, T, S): axis 2 counts queries.");
    ASSERT_TRUE(failure.at);
    expect_said(failure.at->text, "out.weights(0, 0, h, 0)");
    expect_said(right_ones(graded(tests(R"(
TEST(Weights, OfEachHead) {
    Inputs in = ones();
    in.num_heads = 4;
    in.mask = Mask::of({1, 4, 1, 3}, {true, false, false, false, true, false, false, false, true, true, true, false});
    const Attended out = attention(in);
    for (Index h = 0; h < 4; ++h)
        for (Index s = 0; s < 3; ++s)
            EXPECT_EQ(out.weights(0, 0, h, s) == 0, in.mask(0, h, 0, s)) << out.output(0, 0, 0);
}
)")))
                    .failure->message,
                "It passes when axes 1 and 2 of the weights are exchanged. Right: weights are (B, H, T, S)");
}

TEST(CatchTheBug, ATestWhoseToleranceIsTooSmallForItsScoresIsToldTheirSize) {
    // Two keys of scores 30000 and 30000 - ln 3, as float32 has them.
    expect_said(right_ones(graded(tests(R"(
TEST(Large, OnlyTheDifferenceMatters) {
    Inputs in;
    in.query = Tensor::of({1, 1, 1}, {30000});
    in.key = in.value = Tensor::of({1, 2, 1}, {1, 1 - 1.0986123F / 30000});
    in.w_q = in.w_k = in.w_v = in.w_o = Tensor::ones({1, 1});
    EXPECT_NEAR(attention(in).weights(0, 0, 0, 0), 0.75, 1e-5);
}
)")))
                    .failure->message,
                "as in all that this test asks (up to 30000), the header promises weights to 0.01 only");
}

TEST(CatchTheBug, WhatIsNeverAskedIsToldBesideTestsThatDoNotCount) {
    const verdict::Exercise unfair = graded(tests(R"(
TEST(Output, HasThreeAxes) { EXPECT_EQ(attention(ones()).output.rank(), 3); }
TEST(Weights, LieRowByRow) {
    Inputs in = ones();
    in.query = Tensor::arange(12).view({1, 3, 4}) * 0.1F;
    in.key = in.query * 2.0F;
    in.value = in.query * 3.0F;
    in.w_v = Tensor::eye(4) * 2.0F;
    const Attended out = attention(in);
    for (Index i = 0; i < 18; ++i) EXPECT_EQ(out.weights.data()[i], out.weights(0, i / 9, i / 3 % 3, i % 3));
    EXPECT_LT(out.output(0, 0, 0), 100);
}
)"));
    expect_said(told(unfair, "Sources"),
                "One of them answers all your 2 questions right, to 1 %: nothing that you ask shows the mistake.");
}

TEST(CatchTheBug, WhyAWrongAttentionPassesIsFoundByLookingAtItsAnswers) {
    const verdict::Exercise nothing_asked = graded(tests(R"(
TEST(Weights, AreEqualForEqualKeys) {
    const Attended out = attention(ones());
    for (Index s = 0; s < 3; ++s) EXPECT_NEAR(out.weights(0, 0, 0, s), 1 / 3.0, 1e-3);
}
)"));
    expect_said(told(nothing_asked, "Causal"),
                "One of them answers your only question right, to 1 %: nothing that you ask shows the mistake.");
    const verdict::Exercise not_compared = graded(tests(R"(
TEST(Comparison, LetsNaNPass) {
    Inputs in = ones();
    in.mask = Mask::block_all({1});
    const Attended out = attention(in);
    for (Index i = 0; i < 4; ++i)
        if (std::abs(out.output(0, 0, i)) > 1e-3F) FAIL();
}
TEST(Output, OfOtherKeys) {
    Inputs in = ones();
    in.key = Tensor::of({2, 3, 4}, {3, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0});
    EXPECT_NEAR(attention(in).output(0, 0, 0), 1, 1e-3);
}
)"));
    expect_said(told(not_compared, "BlockedRows"),
                "answers 1 of your 2 questions with NaN where a number belongs, and no test fails.");
    expect_said(told(not_compared, "BlockedRows"), "std::max(worst, difference), or fmax, may drop a NaN");
    expect_said(told(not_compared, "BlockedRows"),
                "What it answers wrong lets a query see no key, and is asked in Comparison.LetsNaNPass.");
    expect_said(told(not_compared, "Causal"),
                "nothing that you ask shows the mistake. None of your 2 questions is causal.");
    expect_said(told(not_compared, "ReturnedWeights"), "with wrong weights and the right output, and no test fails.");
    expect_said(told(not_compared, "Scale"), "with wrong weights and the right output, and no test fails.");
}

TEST(CatchTheBug, ATestThatFailsAsItFailsRightOnesIsNotSaidToSeeAMistake) {
    const verdict::Exercise exercise = graded(tests(R"(
TEST(Output, HasThreeAxes) { EXPECT_EQ(attention(ones()).output.rank(), 3); }
TEST(Blind, HasFourAxes) {
    Inputs in = ones();
    in.mask = Mask::block_all({1});
    EXPECT_EQ(attention(in).output.rank(), 4);
}
)"));
    expect_said(told(exercise, "BlockedRows"), "What does fail says the same of right attentions");
}

TEST(CatchTheBug, WhatTestsWouldSayOnceMendedIsTold) {
    const verdict::Exercise exercise = graded(tests(reads_the_storage + R"(
TEST(Output, HasThreeAxes) { EXPECT_EQ(attention(ones()).output.rank(), 3); }
TEST(Comparison, LetsNaNPass) {
    Inputs in = ones();
    in.mask = Mask::block_all({1});
    if (std::abs(attention(in).output(0, 0, 0)) > 1e-3F) FAIL();
}
)"));
    expect_said(told(exercise, "RightOnesPass"), "It passes when the same answer lies in row-major order.");
    expect_said(told(exercise, "SoftmaxAxis"), "Mended as is said above, Helper.ReadsTheStorage catches it.");
    expect_said(told(exercise, "BlockedRows"), "no test fails, as they are or mended as is said above.");
    expect_said(told(exercise, "BlockedRows"), "A comparison with NaN is false");
}

TEST(CatchTheBug, ATestThatLetsNaNPassIsToldSoBesideOneThatFailsRightOnes) {
    const verdict::Exercise exercise = graded(tests(R"(
TEST(Always, Fails) { EXPECT_EQ(attention(ones()).output.rank(), 4); }
TEST(Comparison, LetsNaNPass) {
    Inputs in = ones();
    in.mask = Mask::block_all({1});
    if (std::abs(attention(in).output(0, 0, 0)) > 1e-3F) FAIL();
}
)"));
    expect_said(told(exercise, "BlockedRows"), "no test that counts fails.");
    expect_said(told(exercise, "BlockedRows"), "A comparison with NaN is false");
}

TEST(CatchTheBug, ATestThatFailsEverythingOrNothingIsToldSo) {
    const verdict::Exercise exercise = graded(tests(R"(
TEST(Never, Fails) { EXPECT_EQ(attention(ones()).output.rank(), 3); }
TEST(Always, Fails) { EXPECT_EQ(attention(ones()).output.rank(), 4); }
)"));
    EXPECT_EQ(exercise.points, 0);
    EXPECT_TRUE(remarks(exercise, "Never.Fails: passes with every one of 32 attentions"));
    EXPECT_FALSE(remarks(exercise, "asks the same question each time"));
    EXPECT_TRUE(remarks(exercise, "Always.Fails: fails with every one of 32 attentions"));
}

TEST(CatchTheBug, ATestThatAsksOneQuestionTwiceIsToldSo) {
    const verdict::Exercise exercise = graded(tests(R"(
TEST(Blocked, MayHoldAnyNumber) {
    Inputs in = ones();
    in.mask = Mask::of({3}, {false, false, true});
    Inputs other = in;
    other.value(0, 2, 0) = 100;
    EXPECT_NEAR(attention(in).output(0, 0, 0), attention(other).output(0, 0, 0), 1);
}
void expect_hidden(const Inputs& in, Index s) {
    Inputs changed = in;
    changed.value(0, s, 0) += 100;
    const Tensor after = attention(changed).output, before = attention(in).output;
    EXPECT_NEAR(after(0, 0, 0), before(0, 0, 0), 1);
}
TEST(Blocked, MayHoldAnyNumberAtTwoPlaces) {
    Inputs in = ones();
    in.mask = Mask::of({3}, {false, true, true});
    expect_hidden(in, 1);
    expect_hidden(in, 2);
}
TEST(Open, ChangesTheOutput) {
    Inputs in = ones();
    Inputs other = in;
    other.value = in.value * 2.0F;
    EXPECT_LT(attention(in).output(0, 0, 0), attention(other).output(0, 0, 0));
}
)"));
    EXPECT_TRUE(remarks(exercise, "Blocked.MayHoldAnyNumber asks the same question each time, number by number"));
    expect_said(told(exercise, "Mask"),
                "Blocked.MayHoldAnyNumber asks the same question each time. If it writes to a copy of Inputs");
    EXPECT_TRUE(remarks(exercise, "Blocked.MayHoldAnyNumberAtTwoPlaces asks 4 questions, of which only 2 differ"));
    EXPECT_FALSE(remarks(exercise, "Open.ChangesTheOutput asks"));
}

TEST(CatchTheBug, CoverageIsToldBesideWhatItCaught) {
    const auto running_every_line = [](const std::string& future) {
        return graded(tests(R"(
TEST(Runs, EveryLineAndChecksNothing) {
    Inputs in = ones();
    in.b_q = in.b_k = in.b_v = in.b_o = Tensor::ones({4});
    in.mask = Mask::block_all({3, 3});
    in.mask(1, 1) = in.mask(2, 0) = false;
)" + future + R"(
    attention(in);
    attention(ones());
}
)"));
    };
    const verdict::Exercise exercise = running_every_line("in.causal = true;");
    if (std::string(HEADWAY_COMPILER) != "GNU") GTEST_SKIP() << "counted by g++ only";
    EXPECT_TRUE(remarks(exercise, "your tests run 100 % of the lines"));
    EXPECT_TRUE(remarks(exercise, "catch 0 of 22 wrong ones: a line that is run is not a line that is checked"));
    EXPECT_TRUE(remarks(exercise, "100 % of the branches"));
    EXPECT_FALSE(remarks(running_every_line(""), "100 % of the branches")) << "the causal option is never on";
}

TEST(CatchTheBug, WhatIsPrintedGivesNoRightAnswerAway) {
    // One head of two features, and keys that score 1 and 0 before the scale: right is e^(1/√2) / (e^(1/√2) + 1).
    const verdict::Exercise exercise = graded(tests(R"(
TEST(Printed, Weight) {
    Inputs in = ones();
    in.query = Tensor::of({1, 1, 4}, {1, 0, 0, 0});
    in.key = in.value = Tensor::of({1, 2, 4}, {1, 0, 0, 0, 0, 0, 0, 0});
    printf("weight %.4f\n", attention(in).weights(0, 0, 0, 0));
}
)"));
    const std::string& output = right_ones(exercise).output;
    EXPECT_NE(output.find("(with a wrong attention)\nweight 0.6225"), output.npos) << output;  // √D instead
    EXPECT_EQ(output.find("0.6698"), output.npos) << output;
}

}  // namespace
}  // namespace headway::catch_the_bug
