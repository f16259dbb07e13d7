// Each mistake is told once, with the functions in which it is.
#include "diagnosis/naming.hpp"

#include "diagnosis/catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway::diagnosis {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

verdict::FunctionDiagnosis refuses_too_little(const std::string& function, const std::string& words) {
    verdict::FunctionDiagnosis diagnosis;
    diagnosis.function = function;
    diagnosis.state = verdict::FunctionState::named;
    diagnosis.mistakes = {not_refused};
    diagnosis.sentences = {words};
    return diagnosis;
}

TEST(Naming, OneRefusalThatSeveralFunctionsLackIsToldOnce) {
    const auto named =
        named_mistakes({refuses_too_little("repeat_heads", "there are no groups: your repeat_heads should throw"),
                        refuses_too_little("forward (heads)", "there are no groups: your forward should throw"),
                        refuses_too_little("pool_heads", "there are no groups: your pool_heads should throw")},
                       "09");
    ASSERT_THAT(named, SizeIs(1));
    EXPECT_EQ(named.front().title, "there are no groups: your repeat_heads should throw");
    EXPECT_THAT(named.front().functions, ElementsAre("repeat_heads", "forward (heads)", "pool_heads"));
}

TEST(Naming, OtherRefusalsAreToldEach) {
    EXPECT_THAT(
        named_mistakes({refuses_too_little("repeat_heads", "there are no groups: your repeat_heads should throw"),
                        refuses_too_little("pool_heads", "w is too narrow: your pool_heads should throw")},
                       "09"),
        SizeIs(2));
}

}  // namespace
}  // namespace headway::diagnosis
