// What is shown of a sanitizer's trace.
#include <gmock/gmock.h>

#include "report/terminal.hpp"
#include "report/words.hpp"
#include "verdict/sample_verdicts.hpp"

namespace headway::report {
namespace {

using namespace samples;
using testing::HasSubstr;
using testing::Not;

std::string in_full(const std::string& output) {
    verdict::Test crashed = failed("A", "a", 1, reads_out_of_bounds());
    crashed.output = output;
    return render(verdict_of({exercise("02", "head splitting", verdict::State::failed, {crashed})}),
                  {.width = 200, .verbose = true});
}

TEST(SanitizerTrace, EndsWithTheLastFrameOfTheStudentsOwn) {
    const std::string text = in_full(
        "==2==ERROR: AddressSanitizer: SEGV\n"
        "    #0 0x5 in std::vector<float>::operator[](unsigned long) /usr/include/c++/12/vector:1\n"
        "    #1 0x5 in headway::ex02::view(headway::Tensor const&) head_splitting.cpp:21\n"
        "    #2 0x5 in headway::worker::Dispatcher::run(headway::wire::Call const&)\n"
        "    #3 0x5 in main /course/grader/worker/main.cpp:115\n"
        "    #4 0x5 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58\n"
        "\n"
        "SUMMARY: AddressSanitizer: SEGV head_splitting.cpp:21\n");
    EXPECT_THAT(text, HasSubstr("/usr/include/c++/12/vector:1"));
    EXPECT_THAT(text, HasSubstr("#1 0x5 in headway::ex02::view"));
    EXPECT_THAT(text, Not(HasSubstr("#2 0x5")));
    EXPECT_THAT(text, Not(HasSubstr("#4 0x5")));
    EXPECT_THAT(text, HasSubstr("(what called that is not in your files)"));
    EXPECT_THAT(text, HasSubstr("SUMMARY"));
}

TEST(SanitizerTrace, IsWholeWhereNoFrameIsTheStudents) {
    const std::string text = in_full(
        "    #0 0x5 in free /course/grader/worker/main.cpp:1\n"
        "    #1 0x5 in main /course/grader/worker/main.cpp:115\n");
    EXPECT_THAT(text, HasSubstr("#1 0x5 in main"));
    EXPECT_THAT(text, Not(HasSubstr("what called that")));
}

TEST(SanitizerTrace, OfAFunctionThatCallsItselfHasEachFrameOnce) {
    std::string trace = "==2==ERROR: AddressSanitizer: stack-overflow\n    #0 0x4 in view(Tensor const&) a.cpp:20\n";
    for (int i = 1; i < 200; ++i) trace += "    #" + std::to_string(i) + " 0x5 in view(Tensor const&) a.cpp:21\n";
    const std::string text = in_full(trace + "    #200 0x6 in f() a.cpp:9\n    #201 0x6 in f() a.cpp:9\nSUMMARY\n");
    EXPECT_THAT(text, HasSubstr("#0 0x4"));
    EXPECT_THAT(text, HasSubstr("#1 0x5 in view"));
    EXPECT_THAT(text, HasSubstr("(the same 199 times in a row)"));
    EXPECT_THAT(text, Not(HasSubstr("#2 0x5")));
    EXPECT_THAT(text, HasSubstr("#201 0x6")) << "two are no more than they and a remark";
    EXPECT_THAT(text, HasSubstr("SUMMARY"));
}

TEST(Words, ThatAReportNamesNoLineIsSaidWhereNoneIsKnown) {
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::sanitizer;
    failure.message = "your named_parameters touches memory that is not its own (SEGV)";
    failure.sanitizer = verdict::SanitizerReport{"SEGV", "", 0, {"    #0 0x55 in named_parameters() nn.cpp:50"}};
    EXPECT_EQ(message_of(failure), failure.message + "; the report names no line of yours");
    failure.at = verdict::SourceLine{"module.cpp", 12, "eval();"};
    EXPECT_EQ(message_of(failure), failure.message);
}

}  // namespace
}  // namespace headway::report
