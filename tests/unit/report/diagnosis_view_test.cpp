#include "report/github.hpp"
#include "report/html.hpp"
#include "report/terminal.hpp"
#include "report/words.hpp"

#include <gmock/gmock.h>

#include "verdict/sample_verdicts.hpp"

namespace headway::report {
namespace {

using namespace samples;
using testing::HasSubstr;
using testing::Not;
using verdict::State;

std::string shown(const verdict::Exercise& exercise) { return render(verdict_of({exercise}), {}); }

verdict::Exercise unnamed(const verdict::FailureKind kind, const std::string& message) {
    verdict::Failure failure;
    failure.kind = kind;
    failure.function = "split_heads";
    failure.message = message;
    failure.story = {"split_heads(x (2, 3, 8), num_heads=2)", "split_heads(x (2, 3, 8), num_heads=4)"};
    verdict::Exercise found = exercise("02", "head splitting", State::failed, {failed("A", "a property", 2, failure)});
    verdict::FunctionDiagnosis function;
    function.function = "split_heads";
    function.stage = verdict::Stage::split;
    function.sentences = {"2 of 7 questions are answered right"};
    found.diagnosis.emplace().functions = {function};
    return found;
}

TEST(DiagnosisView, WhatIsRefusedLoudlyIsToldFirst) {
    const std::string text = shown(
        unnamed(verdict::FailureKind::exception, "your split_heads threw std::invalid_argument: view: not contiguous"));
    EXPECT_THAT(text, HasSubstr("  ▸ split_heads threw where it should answer: view: not contiguous\n"
                                "    (std::invalid_argument)\n"
                                "      asked: split_heads(x (2, 3, 8), num_heads=4)\n"));
    EXPECT_THAT(text, HasSubstr("as above: your split_heads threw"));
    EXPECT_THAT(text, Not(HasSubstr("no name for")));
    EXPECT_THAT(text, Not(HasSubstr("questions are answered right"))) << "of the answers that came";
    EXPECT_THAT(shown(unnamed(verdict::FailureKind::crash, "your split_heads crashed: SIGSEGV")),
                HasSubstr("▸ split_heads crashed: SIGSEGV\n"));
}

TEST(DiagnosisView, WhatATestCallsRightGivenOthersIsNotSaidToWait) {
    verdict::Test given = passed("B", "another property", 1);
    given.given = "contiguous_strides";
    given.function = "split_heads";
    verdict::Exercise waits =
        unnamed(verdict::FailureKind::exception, "your split_heads threw std::invalid_argument: view: not contiguous");
    waits.diagnosis->functions.front().state = verdict::FunctionState::unjudged;
    constexpr const char* words = "split_heads is judged when what is wrong above is mended";
    EXPECT_THAT(shown(waits), HasSubstr(words));
    EXPECT_THAT(html(verdict_of({waits})), HasSubstr(words));
    waits.tests.push_back(given);
    EXPECT_THAT(shown(waits), Not(HasSubstr(words)));
    EXPECT_THAT(html(verdict_of({waits})), Not(HasSubstr(words)));
}

TEST(DiagnosisView, WhereItThrowsIsToldBesideWhatItThrew) {
    verdict::Exercise thrown =
        unnamed(verdict::FailureKind::exception, "your split_heads threw std::invalid_argument: view: not contiguous");
    thrown.diagnosis->functions.front().sentences = {
        "wrong only where some tokens are padding: in 36 of 43 such questions, and in none of the 74 others",
        "2 of 7 questions are answered right"};
    EXPECT_THAT(shown(thrown), HasSubstr("      seen: wrong only where some tokens are padding: in 36 of 43"));
    EXPECT_THAT(shown(thrown), Not(HasSubstr("questions are answered right")));
    EXPECT_THAT(html(verdict_of({thrown})), HasSubstr("wrong only where some tokens are padding"));
    thrown.tests.front().failure->pattern = "of 20 questions it is wrong where H > 1, and only there";
    EXPECT_THAT(shown(thrown), Not(HasSubstr("wrong only where"))) << "one condition is enough";
}

TEST(DiagnosisView, TooMuchMemoryMayBeASizeThatWasFreed) {
    verdict::Exercise freed = unnamed(verdict::FailureKind::exception,
                                      "your split_heads asked for more memory than there is (std::bad_alloc)");
    EXPECT_THAT(shown(freed), Not(HasSubstr("of that, perhaps")));
    verdict::NamedMistake& mistake = freed.diagnosis->mistakes.emplace_back();
    mistake.id = "used_after_freed";
    mistake.title = "memory is used after it was given back";
    mistake.functions = {"forward"};
    EXPECT_THAT(shown(freed), HasSubstr("(std::bad_alloc): of that,"));
    EXPECT_THAT(html(verdict_of({freed})), HasSubstr("(std::bad_alloc): of that, perhaps."));
}

TEST(DiagnosisView, WrongNumbersAreToldAsSuchBesideWhatIsLoud) {
    verdict::Exercise both = unnamed(verdict::FailureKind::crash, "your split_heads crashed: SIGSEGV");
    verdict::Test quiet = both.tests.front();
    quiet.failure->kind = verdict::FailureKind::wrong_value;
    both.tests.push_back(quiet);
    EXPECT_THAT(shown(both), HasSubstr("▸ split_heads crashed: SIGSEGV\n"));
    EXPECT_THAT(shown(both), HasSubstr("2 of 7 questions are answered right"));
}

TEST(DiagnosisView, WhatAMistakeLeavesOpenIsNoAnswerThatItFits) {
    verdict::FunctionDiagnosis function;
    function.function = "split_heads";
    function.mistakes = {"heads_interleaved"};
    function.inputs = 8;
    function.telling = 5;
    EXPECT_EQ(evidence(function), "fits all 8 answers of split_heads that we saw; 5 of them are wrong");
    function.left_open = 2;
    EXPECT_EQ(evidence(function),
              "fits all 8 answers of split_heads that it predicts; 5 of them are wrong. Of 2 more it says nothing");
    function.telling = 0;
    EXPECT_EQ(evidence(function),
              "fits all 8 answers of split_heads to questions of our own. Of 2 more it says nothing");
    function.left_open.reset();
    EXPECT_EQ(evidence(function), "fits all 8 answers of split_heads to questions of our own");
    function.left_open = 2;
    function.mistakes.emplace_back("view_instead_of_transpose");
    function.inputs = function.telling = 1;
    EXPECT_EQ(evidence(function),
              "together they fit the one answer of split_heads that they predict; it is wrong. Of 2 more they say "
              "nothing");
}

TEST(DiagnosisView, TheLineOfTheStudentsFileStandsBelow) {
    verdict::Exercise thrown = unnamed(verdict::FailureKind::exception,
                                       "your split_heads threw std::invalid_argument: view: (2, 3, 8) as (2, 7)");
    thrown.tests.front().failure->at = {"head_splitting.cpp", 41, "return x.view({B, T, num_heads, D / num_heads});"};
    thrown.tests.front().failure->advice = "A view keeps every number.";
    verdict::Test other = thrown.tests.front();
    other.failure->message = "your split_heads threw std::invalid_argument: view: (5, 3, 8) as (5, 7)";
    thrown.tests.push_back(other);
    const std::string text = shown(thrown);
    EXPECT_THAT(text, HasSubstr("    (std::invalid_argument)\n"
                                "      at head_splitting.cpp:41:   return x.view({B, T, num_heads, D /\n"
                                "        num_heads});\n"
                                "      A view keeps every number.\n"
                                "      asked: "));
    EXPECT_THAT(text, HasSubstr("as above: your split_heads fails at head_splitting.cpp:41\n"));
    EXPECT_THAT(text, Not(HasSubstr("(5, 3, 8) as (5, 7)"))) << "the same throw with other sizes";
    EXPECT_THAT(html(verdict_of({thrown})), HasSubstr("at head_splitting.cpp:41:   return x.view("));
    EXPECT_THAT(github_annotations(findings(verdict_of({thrown}))), HasSubstr("file=head_splitting.cpp,line=41,"));
}

TEST(DiagnosisView, HowItGotToALineOfAnotherFunctionStandsBelowThat) {
    verdict::Exercise thrown =
        unnamed(verdict::FailureKind::exception, "your split_heads threw std::invalid_argument: k does not match");
    thrown.tests.front().failure->at = {"head_splitting.cpp", 12, "throw std::invalid_argument(what);"};
    thrown.tests.front().failure->through = {"head_splitting.cpp", 41, "return cut(x);"};
    const std::string way = "your split_heads gets there at head_splitting.cpp:41:   return cut(x);";
    EXPECT_THAT(shown(thrown),
                HasSubstr("      at head_splitting.cpp:12:   throw std::invalid_argument(what);\n      " + way + "\n"));
    EXPECT_THAT(html(verdict_of({thrown})), HasSubstr("<pre>" + way + "</pre>"));
}

TEST(DiagnosisView, ForWhichSizesItThrewIsNoPartOfWhatItSaid) {
    verdict::Exercise thrown =
        unnamed(verdict::FailureKind::exception, "your split_heads threw std::invalid_argument: view: not contiguous");
    thrown.tests.front().failure->pattern = "of 20 questions it is wrong where H > 1, and only there";
    EXPECT_THAT(shown(thrown), HasSubstr("  ▸ split_heads threw where it should answer: view: not contiguous\n"
                                         "    (std::invalid_argument)\n"
                                         "      of 20 questions it is wrong where H > 1, and only there\n"));
    EXPECT_THAT(html(verdict_of({thrown})), HasSubstr("<p>of 20 questions it is wrong where H"));
}

TEST(DiagnosisView, WhatItThrewStandsAboveForWhichSizes) {
    verdict::Exercise thrown =
        unnamed(verdict::FailureKind::exception, "your split_heads threw std::invalid_argument: view: not contiguous");
    thrown.tests.front().failure->at = {"head_splitting.cpp", 41, "return x.view({B, T});"};
    thrown.tests.front().failure->advice = "Write .contiguous() before it.";
    verdict::FunctionDiagnosis& function = thrown.diagnosis->functions.front();
    function.state = verdict::FunctionState::named;
    function.mistakes = {"refuses_what_fits"};
    function.sentences = {"it throws where H > 1: in all 9 such calls, and in none of the 5 others"};
    verdict::NamedMistake& mistake = thrown.diagnosis->mistakes.emplace_back();
    mistake.id = "refuses_what_fits";
    mistake.title = function.sentences.front();
    mistake.functions = {"split_heads"};
    EXPECT_THAT(shown(thrown), HasSubstr("  ▸ split_heads threw where it should answer: view: not contiguous\n"
                                         "    (std::invalid_argument)\n"
                                         "      at head_splitting.cpp:41:   return x.view({B, T});\n"
                                         "      Write .contiguous() before it.\n"));
    EXPECT_THAT(shown(thrown), HasSubstr("      seen: it throws where H > 1: in all 9 such calls"));
    EXPECT_THAT(html(verdict_of({thrown})), HasSubstr("<h3>split_heads threw where it should answer"));
    // For which sizes a test found is no part of what the exception said, and stands with what was seen already.
    thrown.tests.front().failure->pattern = "of 20 questions it is wrong where H > 1, and only there";
    EXPECT_THAT(shown(thrown), HasSubstr("  ▸ split_heads threw where it should answer: view: not contiguous\n"
                                         "    (std::invalid_argument)\n"
                                         "      at head_splitting.cpp:41:"));
    thrown.tests.front().failure->pattern.reset();
    mistake.id = "argument_changed";
    EXPECT_THAT(shown(thrown), HasSubstr("  ▸ it throws where H > 1: in all 9 such calls"));
}

TEST(DiagnosisView, OneLineThatThrowsIsToldOnce) {
    verdict::Exercise thrown =
        unnamed(verdict::FailureKind::exception, "your split_heads threw std::invalid_argument: view: not contiguous");
    thrown.tests.front().failure->at = {"head_splitting.cpp", 41, "return x.view({B, T});"};
    verdict::Test& other = thrown.tests.emplace_back(thrown.tests.front());
    other.failure->function = "merge_heads";
    other.failure->message = "your merge_heads threw std::invalid_argument: view: not contiguous";
    verdict::FunctionDiagnosis also = thrown.diagnosis->functions.front();
    also.function = "merge_heads";
    thrown.diagnosis->functions.push_back(also);
    for (verdict::FunctionDiagnosis& function : thrown.diagnosis->functions) {
        function.state = verdict::FunctionState::named;
        function.mistakes = {"refuses_what_fits"};
        verdict::NamedMistake& mistake = thrown.diagnosis->mistakes.emplace_back();
        mistake.id = "refuses_what_fits";
        mistake.functions = {function.function};
    }
    EXPECT_THAT(shown(thrown), HasSubstr("  ▸ split_heads threw where it should answer: view: not contiguous\n"));
    EXPECT_THAT(shown(thrown), HasSubstr("  ▸ merge_heads throws at head_splitting.cpp:41, too\n"));
    EXPECT_THAT(shown(thrown), testing::Not(HasSubstr("merge_heads threw where it should answer")));
}

TEST(DiagnosisView, TheLineThatMakesMemoryStandsBelowItsMistakeAlone) {
    verdict::Exercise read = unnamed(verdict::FailureKind::wrong_value, "your split_heads is wrong");
    verdict::FunctionDiagnosis& function = read.diagnosis->functions.front();
    function.state = verdict::FunctionState::named;
    function.at = {"head_splitting.cpp", 41, "Tensor heads = Tensor::empty({B, H, T, d});"};
    function.mistakes = {"uninitialised_memory"};
    verdict::NamedMistake& mistake = read.diagnosis->mistakes.emplace_back();
    mistake.id = "uninitialised_memory";
    mistake.title = "memory is read";
    mistake.functions = {"split_heads"};
    const std::string line = "at head_splitting.cpp:41:   Tensor heads = Tensor::empty({B, H, T, d});";
    EXPECT_THAT(shown(read), HasSubstr("      seen: 2 of 7 questions are answered right\n      " + line + "\n"));
    EXPECT_THAT(html(verdict_of({read})), HasSubstr("<pre>" + line + "</pre>"));
    EXPECT_THAT(github_annotations(findings(verdict_of({read}))), HasSubstr("file=head_splitting.cpp,line=41,"));
    function.besides = "x must be (B, T, D): your split_heads should throw";
    EXPECT_THAT(shown(read), HasSubstr("      besides: x must be (B, T, D): your split_heads should throw\n"));
    EXPECT_THAT(html(verdict_of({read})), HasSubstr("x must be (B, T, D): your split_heads should throw"));
    mistake.id = "argument_changed";
    EXPECT_THAT(shown(read), Not(HasSubstr("at head_splitting.cpp:41:")));
}

TEST(DiagnosisView, WhatHasAMistakeFromOthersIsRightGivenThese) {
    verdict::Exercise wrong = unnamed(verdict::FailureKind::wrong_value, "your split_heads is wrong");
    verdict::FunctionDiagnosis& first = wrong.diagnosis->functions.front();
    first.state = verdict::FunctionState::named;
    verdict::NamedMistake& mistake = wrong.diagnosis->mistakes.emplace_back();
    mistake.title = "heads are interleaved";
    mistake.functions = {"split_heads", "project_heads"};
    wrong.diagnosis->functions.push_back(first);
    verdict::FunctionDiagnosis& second = wrong.diagnosis->functions.back();
    second.function = "project_heads";
    EXPECT_THAT(shown(wrong), HasSubstr("      in split_heads, project_heads\n"));
    second.given_own = true;
    EXPECT_THAT(shown(wrong), HasSubstr("      in split_heads\n"
                                        "      right given your own earlier functions: project_heads\n"));
    EXPECT_THAT(html(verdict_of({wrong})), HasSubstr("right given your own earlier functions:"));
    // What tests missed in it is told with the mistake that it has from others, and once.
    second.given_own.reset();
    second.inherited = {{""}};
    second.besides = "x must be (B, T, D): your project_heads should throw";
    wrong.diagnosis->mistakes.push_back(wrong.diagnosis->mistakes.front());
    const std::string page = shown(wrong);
    const std::size_t told = page.find("      besides: x must be (B, T, D): your project_heads should throw\n");
    ASSERT_NE(told, std::string::npos);
    EXPECT_EQ(page.find("besides: ", told + 1 + sizeof("      ")), std::string::npos);
}

TEST(DiagnosisView, WhatHasAMistakeOfItsOwnBesideTheirsIsNotNamedWithTheirs) {
    verdict::Exercise wrong = unnamed(verdict::FailureKind::wrong_value, "your split_heads is wrong");
    verdict::FunctionDiagnosis& first = wrong.diagnosis->functions.front();
    first.state = verdict::FunctionState::named;
    verdict::NamedMistake& theirs = wrong.diagnosis->mistakes.emplace_back();
    theirs.id = "interleaved";
    theirs.title = "heads are interleaved";
    theirs.functions = {"split_heads", "project_heads"};
    wrong.diagnosis->functions.push_back(first);
    verdict::FunctionDiagnosis& second = wrong.diagnosis->functions.back();
    second.function = "project_heads";
    second.inherited = {{"interleaved"}};
    EXPECT_THAT(shown(wrong), HasSubstr("      in split_heads\n"
                                        "      from your own earlier functions, in project_heads\n"));
    EXPECT_THAT(shown(wrong), Not(HasSubstr("right given your own earlier functions")));
}

TEST(DiagnosisView, WhereItShouldAnswerIsToldBeforeWhereItShouldRefuse) {
    verdict::Exercise thrown = unnamed(verdict::FailureKind::exception, "your split_heads throws whatever it is asked");
    thrown.tests.push_back(thrown.tests.front());
    verdict::Failure& later = *thrown.tests.back().failure;
    later.message = "your split_heads threw T: no";
    later.at = {"head_splitting.cpp", 41, "throw T();"};
    EXPECT_THAT(shown(thrown), HasSubstr("  ▸ split_heads threw where it should answer: no (T)\n"));
}

TEST(DiagnosisView, WhatItThrewIsToldInsteadOfThatItAnswersNowhere) {
    verdict::Exercise thrown =
        unnamed(verdict::FailureKind::exception, "your split_heads answers in none of these tests");
    EXPECT_THAT(shown(thrown), HasSubstr("▸ split_heads answers in none of these tests\n"));
    verdict::Test seen = thrown.tests.front();
    seen.failure->kind = verdict::FailureKind::wrong_behaviour;
    seen.failure->message = "your split_heads threw T: no";
    thrown.tests.push_back(seen);
    EXPECT_THAT(shown(thrown), HasSubstr("▸ your split_heads threw T: no\n"));
    EXPECT_THAT(shown(thrown), Not(HasSubstr("▸ split_heads answers in none")));
}

TEST(DiagnosisView, WhatLeadsToTheSameLineIsNotToldAgain) {
    verdict::Exercise thrown = unnamed(verdict::FailureKind::exception, "your split_heads threw T: no");
    thrown.tests.front().failure->at = {"head_splitting.cpp", 41, "throw T();"};
    verdict::Test other = thrown.tests.front();
    other.failure->function = "view";
    other.failure->message = "your view threw T: no, neither";
    thrown.tests.push_back(other);
    thrown.diagnosis->functions.push_back(thrown.diagnosis->functions.front());
    thrown.diagnosis->functions.back().function = "view";
    EXPECT_THAT(shown(thrown), HasSubstr("  ▸ view fails at head_splitting.cpp:41, too\n"));
    EXPECT_THAT(shown(thrown), Not(HasSubstr("neither")));
    thrown.tests.back().failure->at->line = 42;
    EXPECT_THAT(shown(thrown), HasSubstr("▸ view threw where it should answer: no, neither (T)\n"));
}

TEST(DiagnosisView, WhatWasNotLookedAtIsNotSaidToHaveNoName) {
    verdict::Exercise found = unnamed(verdict::FailureKind::wrong_value, "your split_heads is wrong");
    EXPECT_THAT(shown(found), HasSubstr("split_heads is wrong in a way that Headway has no name for"));
    found.diagnosis->out_of_time = true;
    EXPECT_THAT(shown(found), HasSubstr("no name for")) << "this function was";
    EXPECT_THAT(shown(found), HasSubstr("Headway's time was up before it had looked at every function"));
    found.diagnosis->functions.front().sentences.clear();
    EXPECT_THAT(shown(found), HasSubstr("split_heads is wrong, and there was no time to look for its mistake"));
    EXPECT_THAT(html(verdict_of({found})), HasSubstr("there was no time to look for its mistake"));
    found.diagnosis->functions.clear();
    EXPECT_THAT(shown(found), HasSubstr("there was no time to look for the mistake"));
    EXPECT_THAT(shown(found), Not(HasSubstr("no name for")));
}

TEST(DiagnosisView, AReportsLineIsSaidOnce) {
    verdict::Exercise found = unnamed(verdict::FailureKind::sanitizer, "your split_heads leaves its memory at a.cpp:7");
    found.tests.front().failure->at = {"a.cpp", 7, "return x[9];"};
    EXPECT_THAT(shown(found), HasSubstr("▸ split_heads leaves its memory\n      at a.cpp:7:   return x[9];\n"));
}

TEST(DiagnosisView, ACrashOfAFunctionWithoutAReturnMayComeOfThat) {
    verdict::Exercise found = unnamed(verdict::FailureKind::sanitizer, "your split_heads can end without returning");
    found.tests.front().failure->sanitizer = verdict::SanitizerReport{
        "execution reached the end of a value-returning function without returning a value", "a.cpp", 7, {}};
    verdict::Failure crash;
    crash.kind = verdict::FailureKind::crash;
    crash.function = "split_heads";
    crash.message = "your split_heads aborted: SIGABRT";
    crash.at = {"a.cpp", 9, "need(x);"};
    found.tests.push_back(failed("B", "another property", 1, crash));
    const auto words = [&] { return shown(found) + html(verdict_of({found})); };
    EXPECT_THAT(words(), HasSubstr("mend the missing return above first, which this may come of: your"));
    EXPECT_THAT(shown(found), Not(HasSubstr("need(x);"))) << "the line where it was noticed";
    found.tests.back().failure->function = "merge_heads";
    EXPECT_THAT(words(), Not(HasSubstr("mend the missing return")));
}

}  // namespace
}  // namespace headway::report
