#include "report/terminal.hpp"

#include <gmock/gmock.h>

#include "verdict/sample_verdicts.hpp"

namespace headway::report {
namespace {

using namespace samples;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using verdict::State;

std::string shown(const verdict::Exercise& exercise, const TerminalStyle& style = {}) {
    return render(verdict_of({exercise}), style);
}

verdict::Exercise with_test(verdict::Test test) {
    return exercise("02", "head splitting", State::failed, {std::move(test)});
}

verdict::Exercise with_failure(verdict::Failure failure) {
    return with_test(failed("A", "a property", 2, std::move(failure)));
}

TEST(Terminal, PassedExercisesTakeTwoLines) {
    EXPECT_EQ(render(all()[0].verdict, {}),
              R"(01 single head: passed                                                   10 / 10
  ✓ all 3 properties hold

02 head splitting: passed                                                10 / 10
  ✓ its property holds
────────────────────────────────────────────────────────────────────────────────
20 of 20 points: 2 passed                                                  1.2 s
next: ./headway   (where you are in the course)
)");
}

TEST(Terminal, WhatWasNotAskedForWantOfTimeIsToldOnce) {
    verdict::Failure out_of_time;
    out_of_time.kind = verdict::FailureKind::timeout;
    out_of_time.message = "all calls together took more than 16 s";
    verdict::Failure same = out_of_time;
    same.message.clear();
    const std::string text = shown(exercise("02", "head splitting", State::failed,
                                            {failed("A", "a property", 2, out_of_time), failed("B", "another", 3, same),
                                             failed("C", "the third", 5, same)}));
    EXPECT_THAT(text, HasSubstr("all calls together took more than 16 s"));
    EXPECT_THAT(text, HasSubstr("✗ not asked any more: another; the third"));
    EXPECT_THAT(text, Not(HasSubstr("it took too long")));
}

TEST(Terminal, AfterAPassTheNextExerciseOfTheCourseIsNext) {
    const std::string text = render(all()[0].verdict, {}, {all_right(), untouched()});
    EXPECT_TRUE(text.ends_with("next: ./headway lesson " + untouched().number + "   (how to begin with " +
                               untouched().title + ")\n"))
        << text;
}

TEST(Terminal, AnExerciseAloneListsWhatHolds) {
    verdict::Exercise reused = all_right();
    reused.reused = true;
    EXPECT_EQ(shown(reused),
              R"(01 single head: passed (unchanged since the last run)                    10 / 10
  ✓ each row of weights sums to 1                                          4 / 4
  ✓ weights are divided by √d                                              3 / 3
  ✓ the residual adds, it does not replace                                 3 / 3
────────────────────────────────────────────────────────────────────────────────
10 of 10 points: 1 passed                                                  1.2 s
next: ./headway   (where you are in the course)
)");
}

TEST(Terminal, ExercisesNotStartedAreALineEach) {
    verdict::Exercise other = untouched();
    other.number = "05";
    other.title = "module";
    EXPECT_EQ(render(verdict_of({untouched(), other}), {}),
              R"(04 merge heads: not started                                               0 / 10
05 module: not started                                                    0 / 10
────────────────────────────────────────────────────────────────────────────────
0 of 20 points: 2 not started                                              1.2 s
next: ./headway lesson 04   (how to begin with merge heads)
)");
}

TEST(Terminal, PartialShowsWhatIsWrongAndWhatIsMissing) {
    EXPECT_EQ(shown(half_written()),
              R"(02 head splitting: partial                                                2 / 10
  ✓ strides are those of row-major order                                   2 / 2
  ✗ split_heads shares storage with its input                              0 / 3
      Your split_heads crashed: SIGSEGV reading index 48 of 48.
      printed:
      │ entering split_heads
      │ x is (2, 3, 8)

  ✗ split_heads stays inside its memory                                    0 / 2
      split_heads read 4 bytes behind the end of its memory.
      asked: split_heads(x (2, 3, 8), num_heads=4)
      heap-buffer-overflow at exercises/02_head_splitting/head_splitting.cpp:41
      │ READ of size 4 at 0x602000000030 thread T0
      │   #0 headway::ex02::split_heads head_splitting.cpp:41
      │ 0x602000000030 is located 0 bytes after 192-byte region

  ○ not written yet: contiguous                                            0 / 3
────────────────────────────────────────────────────────────────────────────────
2 of 10 points: 1 partial                                                  1.2 s
next: ./headway try 02   (run it yourself, under a debugger if you like)
)");
}

TEST(Terminal, FailedShowsEachFailureOnceInFull) {
    EXPECT_EQ(shown(wrong()),
              R"(03 scaled scores: failed                                                  3 / 10
  ✓ softmax is over keys                                                   1 / 1
  ✓ padding blocks keys, not queries                                       1 / 1
  ✓ masks broadcast over batch and heads                                   1 / 1
  ✗ scores are divided by √head_dim                                        0 / 3
      The scores are not q·kᵀ / √head_dim.
      asked: q random (2, 3, 5, 7), k random (2, 3, 9, 7)
             attention_scores(q, k) gave (2, 3, 5, 9)
      stage scale of attention_scores, all 270 elements differ
      largest difference at [b=1, h=2, query=3, key=0]:
        yours 0.2874, expected 0.3121 (tolerance 2e-6)
      at [b=1, h=2], one row a query, one column a key, rows 2 to 4 of 5,
        columns 0 to 3 of 9:
      yours        expected     difference
      ▒▒░░░░░░     ▒▒░░░░░░     ▒▒  ░░··
      ░░░░░░░░     ░░░░▒▒··     ····░░░░
      ····░░▓▓     ······██         ████
      · 0 or less, █ 1 or more; difference: █ 0.25

  ✗ the causal mask lets the last query see every key                      0 / 2
      The last query must see every key.
      asked: causal_mask(T=2, S=4)
      stage mask of causal_mask, 4 of 8 elements differ
      largest difference at [query=0, key=1]: yours 1, expected exactly 0
      yours         expected
      0  1  1  1    0  0  0  1
      0  0  1  1    0  0  0  0

  ✗ a fully masked row gives zeros, never NaN                              0 / 1
      A fully masked row must be all zero.
      asked: scores (1, 1, 2, 3), every key of query 1 masked
      stage softmax of masked_softmax, 3 of 6 elements differ
      largest difference at [b=0, h=0, query=1, key=0]:
        yours NaN, expected 0 (tolerance 1e-6)
      yours                     expected
      0.2000  0.3000  0.5000    0.2000  0.3000  0.5000
         NaN    -inf     inf    0.0000  0.0000  0.0000

  ✗ scores are scaled for any head_dim                                     0 / 1
      as above: The scores are not q·kᵀ / √head_dim.
      largest difference at [b=1, h=2, query=3, key=0]:
        yours 0.2874, expected 0.3121 (tolerance 2e-6)
────────────────────────────────────────────────────────────────────────────────
3 of 10 points: 1 failed                                                   1.2 s
more detail: ./headway grade 03 --verbose
next: ./headway hint 03   (scores are divided by √head_dim)
)");
}

TEST(Terminal, AfterThreeFailuresOthersAreBrief) {
    std::vector<verdict::Test> tests;
    for (const char* message : {"first", "second", "third", "fourth"}) {
        verdict::Failure failure = wrong_scale();
        failure.message = message;
        tests.push_back(failed(message, message, 1, failure));
    }
    const std::string text = shown(exercise("03", "scaled scores", State::failed, tests));
    EXPECT_THAT(text, HasSubstr("      third\n      asked: "));
    EXPECT_THAT(text, HasSubstr("      fourth\n      largest difference"));
}

TEST(Terminal, WhatADiagnosisExplainsIsShownOnce) {
    verdict::Failure second = wrong_scale();
    second.message = "second";
    verdict::Exercise explained = exercise("03", "scaled scores", State::failed,
                                           {failed("A", "a", 1, wrong_scale()), failed("B", "b", 1, second)});
    EXPECT_THAT(shown(explained), HasSubstr("      second\n      asked: "));
    explained.diagnosis.emplace();
    EXPECT_THAT(shown(explained), HasSubstr("      second\n      asked: ")) << "not all of it is explained";
    explained.diagnosis->complete = true;
    EXPECT_THAT(shown(explained), HasSubstr("      second\n      largest difference"));
}

TEST(Terminal, OneLineThatGoesWrongIsQuotedOnce) {
    verdict::Failure first;
    first.kind = verdict::FailureKind::sanitizer;
    first.function = "attention";
    first.message = "attention stopped";
    first.sanitizer = {.kind = "heap-buffer-overflow", .file = "a.cpp", .line = 7, .first_lines = {"READ of size 4"}};
    verdict::Failure second = first;
    second.function = "scores";
    second.message = "scores stopped";
    const auto text = [&] {
        return shown(
            exercise("03", "scaled scores", State::failed, {failed("A", "a", 1, first), failed("B", "b", 1, second)}));
    };
    EXPECT_THAT(text(), HasSubstr("      as above: scores stopped\n"));
    second.sanitizer->line = 8;
    EXPECT_THAT(text(), Not(HasSubstr("as above")));
}

TEST(Terminal, RemarksAreToldWhetherATestPassesOrFails) {
    verdict::Exercise remarked = exercise("03", "scaled scores", State::failed, {failed("A", "a", 1, wrong_scale())});
    remarked.tests.front().remarks = {"worth knowing"};
    EXPECT_THAT(shown(remarked), HasSubstr("  · worth knowing\n"));
    remarked.tests.front().state = verdict::TestState::passed;
    EXPECT_THAT(shown(remarked), HasSubstr("  · worth knowing\n"));
}

TEST(Terminal, ASanitizersReportIsToldOnce) {
    verdict::Test crashed = failed("A", "a", 1, reads_out_of_bounds());
    const std::string report = crashed.failure->sanitizer->first_lines.front();
    crashed.output = "mine\nAddressSanitizer:DEADLYSIGNAL\n=====\n" + report + "\nmore of it\n";
    verdict::Test again = crashed;
    again.output = report;
    const std::string text = shown(exercise("02", "head splitting", State::failed, {crashed, again}));
    EXPECT_EQ(text.find(report), text.rfind(report));
    EXPECT_THAT(text, HasSubstr("      printed:\n      │ mine\n"));
    EXPECT_THAT(text, Not(HasSubstr("DEADLYSIGNAL")));
    EXPECT_THAT(text, Not(HasSubstr("more of it")));
    EXPECT_THAT(shown(with_test(crashed), {.verbose = true}), HasSubstr("more of it"));
    again.output = crashed.output;
    const std::string all = shown(exercise("02", "head splitting", State::failed, {crashed, again}), {.verbose = true});
    EXPECT_THAT(all, HasSubstr("more of it"));
    EXPECT_EQ(all.find(report), all.rfind(report)) << "in full, and once";
    EXPECT_EQ(all.find("more of it"), all.rfind("more of it"));
}

TEST(Terminal, UnavailableIsNotTheStudentsFault) {
    EXPECT_EQ(shown(unavailable()),
              R"(02 head splitting: could not be graded                                    - / 10
  The disk is full. Free some space and run ./headway grade 02 again.
  No mark is given for it: this is not the submission's fault.
────────────────────────────────────────────────────────────────────────────────
no points: 1 could not be graded                                           1.2 s
next: ./headway doctor   (what this machine lacks)
)");
}

TEST(Terminal, AsciiHasTheSameForm) {
    EXPECT_THAT(shown(wrong(), {.unicode = false}),
                HasSubstr(R"(  x scores are divided by sqrt(head_dim)                                   0 / 3
      The scores are not q*k^T / sqrt(head_dim).
      asked: q random (2, 3, 5, 7), k random (2, 3, 9, 7)
)"));
}

TEST(Terminal, VerboseShowsEverythingWithItsCircumstances) {
    const std::string text = render(with_everything(), {.verbose = true});
    EXPECT_THAT(text, HasSubstr("  ✓ padding blocks keys, not queries"));
    EXPECT_THAT(text, HasSubstr("seed 18446744073709551615, compiler g++ 12.2.0\n"));
    EXPECT_THAT(text, HasSubstr("memory: degraded: measured, not limited\nnetwork: absent: no user namespaces\n"));
    EXPECT_THAT(text, HasSubstr("printed:\n      │ printed\n      │     \"quoted\" \\ √ 漢字 \\x1b[31m\n"
                                "      (it printed more than is kept)\n"));
    EXPECT_THAT(text, Not(HasSubstr("more detail")));
}

TEST(Terminal, SaysHowManyProtectionsAreMissing) {
    EXPECT_THAT(render(with_everything(), {}), HasSubstr("2 of 3 protections not fully enforced on this machine\n"));
}

TEST(Terminal, OutputIsCappedAndNotRepeated) {
    verdict::Test test = failed("A", "a", 1, crashes());
    for (int i = 0; i < 40; ++i) test.output += "line " + std::to_string(i) + "\n";
    const std::string text = shown(exercise("02", "head splitting", State::failed, {test, test}));
    EXPECT_THAT(text, HasSubstr("      │ line 8\n      … 31 more lines\n"));
    EXPECT_THAT(text, HasSubstr("      printed the same as above\n"));
    EXPECT_THAT(shown(with_test(test), {.verbose = true}), HasSubstr("│ line 39\n"));
}

TEST(Terminal, ExceptionMessagesCannotDriveTheTerminal) {
    verdict::Failure failure = crashes();
    failure.message = "split_heads threw: \x1b[2J\x1b[1;1H02 head splitting: passed\r10 / 10";
    EXPECT_THAT(shown(with_failure(failure)),
                HasSubstr("      split_heads threw: \\x1b[2J\\x1b[1;1H02 head splitting: passed\n      10 / 10\n"));
}

TEST(Terminal, LongMessagesAreCut) {
    verdict::Failure failure = crashes();
    failure.message = std::string(10'000, 'x');
    EXPECT_THAT(shown(with_failure(failure)), HasSubstr("      … 125 more lines\n"));
}

TEST(Terminal, AFailureInOneBuildSaysInWhich) {
    verdict::Test test = failed("A", "a", 1, wrong_scale());
    test.build = verdict::FailedIn::sanitized;
    EXPECT_THAT(shown(with_test(test)), HasSubstr("only in the sanitized build"));
    test.build = verdict::FailedIn::plain;
    EXPECT_THAT(shown(with_test(test)), HasSubstr("only in the plain build"));
}

TEST(Terminal, AFailureWithoutWordsGetsSome) {
    verdict::Failure failure = crashes();
    failure.message = "";
    EXPECT_THAT(shown(with_failure(failure)), HasSubstr("      split_heads: it crashed\n"));
    verdict::Test test = failed("A", "a", 1, failure);
    test.failure.reset();
    EXPECT_THAT(shown(with_test(test)), HasSubstr("no more is told of it\n"));
}

TEST(Terminal, ThePathIsTheSubmissions) {
    verdict::Verdict verdict = verdict_of({does_not_compile()});
    verdict.submission = "class/Ada L/";
    const std::string text = render(verdict, {});
    EXPECT_THAT(text, HasSubstr("    class/Ada L/05_module/module.cpp:14:12\n"));
    EXPECT_THAT(text, HasSubstr("next: ./headway grade 05 --submission 'class/Ada L/'"));
}

TEST(Terminal, NothingGradedSaysWhatToType) {
    EXPECT_THAT(render(verdict_of({}), {}), StartsWith("Nothing was graded."));
}

}  // namespace
}  // namespace headway::report
