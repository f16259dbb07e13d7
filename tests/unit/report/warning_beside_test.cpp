// What the compiler warned of, told with the mistake that it causes.
#include "report/warning_beside.hpp"
#include "report/besides.hpp"
#include "report/terminal.hpp"

#include <gmock/gmock.h>

#include "verdict/sample_verdicts.hpp"

namespace headway::report {
namespace {

using testing::HasSubstr;

verdict::CompilerMessage warning(int line, const std::string& text, const std::string& of_source) {
    return {.text = text,
            .at = {"head_splitting.cpp", line, of_source},
            .column = 0,
            .marks = {},
            .advice = "An unsigned number is never below 0.",
            .notes = {}};
}

verdict::NamedMistake named(const std::string& id) {
    verdict::NamedMistake mistake;
    mistake.id = id;
    mistake.functions = {"contiguous_strides"};
    return mistake;
}

/// contiguous_strides begins at line 8 and ends the program at line 14; view begins at line 20.
verdict::Exercise ended(const verdict::CompilerMessage& warned) {
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::sanitizer;
    failure.function = "contiguous_strides";
    failure.at = {"head_splitting.cpp", 14, "strides[i] = step;"};
    verdict::Exercise exercise = samples::exercise("02", "head splitting", verdict::State::failed,
                                                   {samples::failed("A", "a property", 1, failure)});
    exercise.places = {{"contiguous_strides", {"head_splitting.cpp", 8, ""}}, {"view", {"head_splitting.cpp", 20, ""}}};
    exercise.build.warnings.emplace({warned});
    return exercise;
}

constexpr const char* endless = "comparison of unsigned expression in '>= 0' is always true [-Wtype-limits]";

TEST(WarningBeside, AnEndlessLoopIsToldWithTheIndexThatRunsOutInIt) {
    const std::string told = warning_beside(ended(warning(11, endless, "for (;;)")), named("reads_out_of_bounds"));
    EXPECT_EQ(told, "the compiler warns at head_splitting.cpp:11: An unsigned number is never below 0.");
    verdict::Exercise shown = ended(warning(11, endless, "for (;;)"));
    shown.diagnosis.emplace().mistakes = {named("reads_out_of_bounds")};
    EXPECT_THAT(render(samples::verdict_of({shown}), {}), HasSubstr("the compiler warns at head_splitting.cpp:11: An"));
}

TEST(WarningBeside, AnEndlessLoopIsToldWhereAnotherFunctionRanOutForIt) {
    verdict::Exercise exercise = ended(warning(11, endless, "for (;;)"));
    exercise.tests.front().failure->at->line = 22;
    exercise.diagnosis.emplace().mistakes = {named("reads_out_of_bounds")};
    EXPECT_EQ(warning_beside(exercise, named("reads_out_of_bounds")), "");
    exercise.tests.front().failure->through = {"head_splitting.cpp", 12, "view(x[i]);"};
    EXPECT_NE(warning_beside(exercise, named("reads_out_of_bounds")), "");
    verdict::FunctionDiagnosis& function = exercise.diagnosis->functions.emplace_back();
    function.function = "contiguous_strides";
    function.state = verdict::FunctionState::named;
    function.mistakes = {"reads_out_of_bounds"};
    exercise.diagnosis->mistakes.front().symptom = "it crashes";
    EXPECT_THAT(render(samples::verdict_of({exercise}), {}),
                HasSubstr("your contiguous_strides gets there at head_splitting.cpp:12"));
}

TEST(WarningBeside, OfOtherWarningsThoseBesideTheLineAlone) {
    const verdict::NamedMistake mistake = named("reads_out_of_bounds");
    EXPECT_NE(warning_beside(ended(warning(13, "unused", "x")), mistake), "");
    EXPECT_EQ(warning_beside(ended(warning(11, "unused", "x")), mistake), "");
    EXPECT_EQ(warning_beside(ended(warning(21, endless, "for (;;)")), mistake), "") << "in another function";
    EXPECT_EQ(warning_beside(ended(warning(3, endless, "for (;;)")), mistake), "") << "before the function";
}

TEST(WarningBeside, AGeneratorThatIsMadeTooLateIsToldWithTheSeedThatIsIgnored) {
    const std::string order = "'Heads::random_' will be initialized after [-Wreorder]";
    EXPECT_NE(warning_beside(ended(warning(57, order, "Random random_;")), named("seed_ignored")), "");
    EXPECT_EQ(warning_beside(ended(warning(57, order, "Random random_;")), named("dropout_not_scaled")), "");
    EXPECT_EQ(warning_beside(ended(warning(57, "'a_' will be initialized after", "int a_;")), named("seed_ignored")),
              "");
}

TEST(WarningBeside, ANameOfMemoryHasTheSameKindOfBugBeside) {
    verdict::NamedMistake mistake = named("reads_out_of_bounds");
    mistake.decision = "memory";
    EXPECT_EQ(before_shipped(mistake), "the same kind of bug shipped:");
    mistake.decision = "split";
    EXPECT_EQ(before_shipped(mistake), "the same bug shipped:");
}

}  // namespace
}  // namespace headway::report
