#include "report/diagnostics.hpp"

#include <gtest/gtest.h>

#include "verdict/sample_verdicts.hpp"

namespace headway::report {
namespace {

TEST(FirstError, LeavesOutWhatStandsAround) {
    EXPECT_EQ(first_error(samples::does_not_compile().build.diagnostics),
              "module.cpp:14:12: error: no matching function for call to ‘matmul(headway::Tensor&)’\n"
              "   14 |     return matmul(x);\n"
              "      |            ~~~~~~^~~\n");
}

TEST(FirstError, OfALinkerIsTheUndefinedName) {
    EXPECT_EQ(
        first_error("ld: a.o: in function `main':\nld: a.cpp:3: undefined reference to `f()'\ncollect2: error: ld\n"),
        "ld: a.cpp:3: undefined reference to `f()'\n");
}

TEST(FirstError, OfUnknownWordsIsTheirBeginning) {
    EXPECT_EQ(first_error("strange\nthings\n"), "strange\nthings\n");
    EXPECT_EQ(first_error(""), "");
}

TEST(FirstError, IsNeverLong) {
    std::string text = "error: x\n";
    for (int i = 0; i < 100; ++i) text += "source\n";
    EXPECT_EQ(first_error(text).size(), text.find("source") + 7 * std::string("source\n").size());
}

}  // namespace
}  // namespace headway::report
