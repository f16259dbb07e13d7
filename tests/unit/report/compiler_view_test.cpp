// What the compiler said, in the terminal.
#include <gmock/gmock.h>

#include "report/terminal.hpp"
#include "verdict/sample_verdicts.hpp"

namespace headway::report {
namespace {

using namespace samples;
using testing::HasSubstr;
using testing::Not;

std::string rendered(const verdict::Exercise& exercise, const TerminalStyle& style = {}) {
    return render(verdict_of({exercise}), style);
}

TEST(CompilerView, ACompileErrorIsToldAtItsLineWithTheCoursesSentence) {
    EXPECT_EQ(rendered(does_not_compile()),
              R"(05 module: failed                                                         0 / 10
  ✗ it does not compile
    exercises/05_module/module.cpp:14:12
    no matching function for call to 'matmul(Tensor&)'
    │ return matmul(x);
    │        ~~~~~~^~~
    ▸ Compare the arguments one by one.
    candidate: 'Tensor matmul(const Tensor&, const Tensor&)'
    … and 1 more error, at exercises/05_module/module.cpp:20: no return
      statement
────────────────────────────────────────────────────────────────────────────────
0 of 10 points: 1 failed                                                   1.2 s
more detail: ./headway grade 05 --verbose
next: ./headway grade 05   (when you have fixed it)
)");
    EXPECT_THAT(rendered(does_not_compile(), {.verbose = true}), HasSubstr("│ tensor.hpp:90:8: note: candidate"));
}

TEST(CompilerView, FurtherErrorsMayHaveTheSameCauseIfTheySayTheSame) {
    verdict::Exercise broken = does_not_compile();
    verdict::CompilerMessage& second = broken.build.errors->back();
    second.text = "no matching function for call to 'matmul(const Tensor&)'";
    EXPECT_THAT(rendered(broken), HasSubstr("    … and 1 more error; it may have the same cause\n"));
    second.text = "no matching function for call to 'transpose(const Tensor&)'";
    second.advice = "It takes two axes.";
    EXPECT_THAT(rendered(broken), HasSubstr("… and 1 more error, at exercises/05_module/module.cpp:20: It takes two"));
    broken.build.errors->push_back(second);
    EXPECT_THAT(rendered(broken),
                HasSubstr("    … and 2 more errors, which may come of the first; the next that says"));
}

TEST(CompilerView, AnErrorWithTheSameAdviceSaysNothingElse) {
    verdict::Exercise broken = does_not_compile();
    broken.build.errors->back().advice = broken.build.errors->front().advice;
    EXPECT_THAT(rendered(broken), HasSubstr("    … and 1 more error; the same hint is for line 20\n"));
    broken.build.errors->back().advice = verdict::within_a_library;
    EXPECT_THAT(rendered(broken), HasSubstr("… and 1 more error, at exercises/05_module/module.cpp:20: This shows"));
    broken.build.errors->back().at.line = broken.build.errors->front().at.line;
    EXPECT_THAT(rendered(broken), HasSubstr("    … and 1 more error; it may have the same cause\n"));
}

TEST(CompilerView, ErrorsOfTheSameKindAreToldByNameAndLine) {
    verdict::Exercise broken = does_not_compile();
    std::vector<verdict::CompilerMessage>& errors = *broken.build.errors;
    const auto undeclared = [&](const std::string& name, int line) {
        verdict::CompilerMessage error = errors.front();
        error.text = "'" + name + "' was not declared in this scope; did you mean 'headway::given::" + name + "'?";
        error.advice = "It is declared within a namespace: write headway::given::" + name + ".";
        error.at.line = line;
        return error;
    };
    errors = {undeclared("split_heads", 49), undeclared("scaled_dot_product_context", 56),
              undeclared("merge_heads", 57)};
    EXPECT_THAT(rendered(broken),
                HasSubstr("    … and 2 more errors of this kind: 'scaled_dot_product_context' at line 56\n"
                          "      and 'merge_heads' at line 57\n"));
    errors.pop_back();
    errors.back() = undeclared("merge_heads", 57);
    EXPECT_THAT(rendered(broken), HasSubstr("    … and 1 more error of this kind: 'merge_heads' at line 57\n"));
    errors.back().advice = "Is it spelt as where it is declared?";
    EXPECT_THAT(rendered(broken), HasSubstr("… and 1 more error, at exercises/05_module/module.cpp:57: Is it spelt"));
}

TEST(CompilerView, ALongLineIsWrappedWithItsMarks) {
    verdict::Exercise broken = does_not_compile();
    verdict::CompilerMessage& error = broken.build.errors->front();
    error.at.text = "const Tensor scores =\tmatmul(projected_queries, projected_keys.transpose(0, 1)) / undefined;";
    error.marks = std::string(82, ' ') + "^~~~~~~~~";
    EXPECT_THAT(rendered(broken), HasSubstr("    │ const Tensor scores = matmul(projected_queries,\n"
                                            "    │     projected_keys.transpose(0, 1)) / undefined;\n"
                                            "    │                                       ^~~~~~~~~\n"));
}

TEST(CompilerView, WarningsAreToldAfterTheVerdict) {
    verdict::Exercise warned = all_right();
    warned.build.warnings.emplace(7, does_not_compile().build.errors->back());
    const std::string text = rendered(warned);
    EXPECT_THAT(text,
                HasSubstr("3 / 3\n\n  The compiler warns (a warning costs no point):\n"
                          "    exercises/01_single_head/module.cpp:20:1\n    no return statement\n    │ }\n    │ ^\n"));
    EXPECT_THAT(text, HasSubstr("    … 2 more warnings\n"));
    EXPECT_THAT(text, HasSubstr("01 single head: passed"));
}

TEST(CompilerView, AWarningBesideTheLineThatFailsIsTiedToIt) {
    verdict::Exercise warned = samples::exercise("02", "head splitting", verdict::State::failed, {});
    verdict::Test test;
    test.state = verdict::TestState::failed;
    test.failure.emplace();
    test.failure->kind = verdict::FailureKind::sanitizer;
    test.failure->message = "your contiguous_strides reads outside of its memory";
    test.failure->at = verdict::SourceLine{"head_splitting.cpp", 12, "strides[i] = step;"};
    warned.tests = {test};
    verdict::CompilerMessage unsigned_loop;
    unsigned_loop.text = "comparison of unsigned expression";
    unsigned_loop.at = {"head_splitting.cpp", 11, "for (;;)"};
    unsigned_loop.advice = "An unsigned number is never below 0.";
    warned.build.warnings.emplace({unsigned_loop});
    constexpr const char* tie = "a call fails right there, at head_splitting.cpp:12";
    EXPECT_THAT(rendered(warned), HasSubstr(tie));
    warned.build.warnings->front().at.line = 40;
    EXPECT_THAT(rendered(warned), Not(HasSubstr(tie)));
    warned.build.warnings->front().at.line = 11;
    warned.tests.front().failure->kind = verdict::FailureKind::wrong_value;
    EXPECT_THAT(rendered(warned), Not(HasSubstr(tie)));
}

TEST(CompilerView, BuildErrorsWithoutAnOwnLineShowTheFirstWithoutTheNoise) {
    verdict::Exercise broken = does_not_compile();
    broken.build.errors.reset();
    EXPECT_EQ(rendered(broken),
              R"(05 module: failed                                                         0 / 10
  ✗ it does not compile
    exercises/05_module/module.cpp does not compile (line 14). Fix it and run
    ./headway grade 05 again.
    exercises/05_module/module.cpp:14:12
    │ error: no matching function for call to ‘matmul(headway::Tensor&)’
    │    14 |     return matmul(x);
    │       |            ~~~~~~^~~
────────────────────────────────────────────────────────────────────────────────
0 of 10 points: 1 failed                                                   1.2 s
more detail: ./headway grade 05 --verbose
next: ./headway grade 05   (when you have fixed it)
)");
    EXPECT_THAT(rendered(does_not_compile(), {.verbose = true}), HasSubstr("│ tensor.hpp:90:8: note: candidate"));
}

}  // namespace
}  // namespace headway::report
