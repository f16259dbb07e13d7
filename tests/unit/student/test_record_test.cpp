#include "student/test_record.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway::judge {
namespace {

/// Names that a submission gives, and values that are written out, may be in them.
TEST(TestRecord, WordsOfAnyLengthAreCutShort) {
    TestRecord record;
    record.function = "named_parameters";
    verdict::Failure failure;
    failure.message = "there is a parameter that should not be: " + std::string(1'000'000, '\1');
    record.stopped_by({failure, true});
    ASSERT_TRUE(record.failure);
    EXPECT_LT(record.failure->message.size(), 8300U);
    EXPECT_TRUE(record.failure->message.starts_with("your named_parameters there is a parameter"));
    EXPECT_TRUE(record.failure->message.ends_with("..."));
    failure.message = std::string(8192, 'x');  // an exception's type and words
    record.stopped_by({failure});
    EXPECT_EQ(record.failure->message, failure.message);
}

TEST(TestRecord, OfSeveralModulesAStorySaysWhichIsAsked) {
    TestRecord record;
    record.story = {"make_layer(options)", "forward(module, key)", "make_layer(options)", "forward(module, key)",
                    "eval(module)"};
    record.objects = {{.made = 7},
                      {.given = {{"module", 7}, {"key", 3}}},
                      {.made = 9},
                      {.given = {{"module", 9}}},
                      {.given = {{"module", 7}}}};
    const std::vector<std::string> told{"make_layer(options): module 1", "forward(module 1, key)",
                                        "make_layer(options): module 2", "forward(module 2, key)", "eval(module 1)"};
    EXPECT_EQ(record.numbered_story(), told);
    record.story = told;
    EXPECT_EQ(record.numbered_story(), told);
    record.story = {"make_layer(options)", "forward(module, key)"};
    EXPECT_EQ(record.numbered_story(), record.story) << "of one there is no other";
}

}  // namespace
}  // namespace headway::judge
