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

LetThrough let_through(const std::string& function, const std::string& because, const std::string& kind) {
    verdict::Failure failure;
    failure.function = function;
    failure.message = because + ": your " + function + " should throw std::invalid_argument, but it answered";
    failure.story = {"what led to it"};
    return {.function = function, .because = because, .kind = kind, .failure = failure};
}

TEST(TestRecord, AllThatWasLetThroughIsToldInOne) {
    TestRecord record;
    record.function = "decode";
    record.waits_for = {"append"};
    record.let_through = {let_through("make", "B must be at least 1", "B"), let_through("make", "a mask (3)", "mask"),
                          let_through("make", "H must be at least 1", "H"), let_through("make", "a mask (4)", "mask"),
                          let_through("append", "k is wider", "k is wider")};
    record.besides = "it keeps its arguments";
    verdict::Failure later;
    later.message = "what comes of it";
    record.stopped_by({later});
    ASSERT_TRUE(record.failure);
    EXPECT_EQ(record.failure->message,
              "B and H must be at least 1: your make should throw std::invalid_argument, but it answered; also let "
              "through: a mask (3). Besides: k is wider: your append should throw std::invalid_argument, but it "
              "answered. Besides: it keeps its arguments");
    EXPECT_EQ(record.failure->function, "make");
    ASSERT_TRUE(record.failure->sentences);
    ASSERT_EQ(record.failure->sentences->size(), 2U);
    EXPECT_EQ(record.failure->sentences->back().function, "append");
    EXPECT_EQ(record.failure->sentences->back().message,
              "k is wider: your append should throw std::invalid_argument, but it answered");
    EXPECT_EQ(record.failure->story, std::vector<std::string>{"what led to it"});
    EXPECT_TRUE(record.waits_for.empty());
}

TEST(TestRecord, WhatWasAnsweredIsToldBeforeWhatThrewAnotherType) {
    const auto threw = [](const std::string& because) {
        LetThrough one = let_through("project", because, because);
        one.threw = true;
        one.failure.message =
            because + ": your project should throw std::invalid_argument, but it threw std::out_of_range";
        return one;
    };
    TestRecord record;
    record.let_through = {threw("w has more rows"), threw("w has more columns")};
    record.stopped_by({});
    EXPECT_EQ(record.failure->message,
              "w has more rows: your project should throw std::invalid_argument, but it threw std::out_of_range");
    record.let_through.push_back(let_through("project", "x is wider", "x is wider"));
    record.stopped_by({});
    EXPECT_EQ(record.failure->message, "x is wider: your project should throw std::invalid_argument, but it answered");
}

TEST(TestRecord, WhatTheMachineIsAtFaultForIsNotToldAsARefusal) {
    TestRecord record;
    record.let_through = {let_through("make", "B must be at least 1", "B")};
    record.unavailable = "the worker cannot be run";
    record.stopped_by({});
    EXPECT_FALSE(record.failure);
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
