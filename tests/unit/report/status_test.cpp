#include <gmock/gmock.h>

#include "report/terminal.hpp"
#include "verdict/sample_verdicts.hpp"

namespace headway::report {
namespace {

using namespace samples;
using testing::HasSubstr;

TEST(Status, IsATableAndTheNextStep) {
    verdict::Exercise last = never_graded();
    last.number = "05";
    last.title = "module";
    EXPECT_EQ(render_status({all_right(), half_written(), wrong(), untouched(), last}, {}),
              R"(Headway: multi-head attention, learned by building it

✓ 01 single head      passed                                             10 / 10
◐ 02 head splitting   partial                                             2 / 10
✗ 03 scaled scores    failed                                              3 / 10
○ 04 merge heads      not started                                         0 / 10
○ 05 module           not graded yet                                      - / 10

15 of 50 points
next: ./headway try 02   (run it yourself, under a debugger if you like)
)");
}

TEST(Status, OfAFreshCloneLeadsToTheFirstLesson) {
    EXPECT_THAT(render_status({never_graded()}, {}),
                HasSubstr("0 of 10 points\n"
                          "next: ./headway lesson 02   (read, write, then ./headway grade 02)\n"));
}

TEST(Status, WithoutExercisesIsNoTable) { EXPECT_THAT(render_status({}, {}), HasSubstr("0 of 0 points\n")); }

}  // namespace
}  // namespace headway::report
