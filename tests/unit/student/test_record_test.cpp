#include "student/test_record.hpp"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace headway::judge
