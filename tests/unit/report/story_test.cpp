// Which of the calls that led to a failure are shown.
#include <gmock/gmock.h>

#include "report/terminal.hpp"
#include "verdict/sample_verdicts.hpp"

namespace headway::report {
namespace {

using namespace samples;
using testing::HasSubstr;
using testing::Not;

std::string story_shown(verdict::Failure failure, const TerminalStyle& style = {}) {
    return render(verdict_of({exercise("02", "head splitting", verdict::State::failed,
                                       {failed("A", "a property", 2, std::move(failure))})}),
                  style);
}

TEST(Story, OfACrashOnlyTheLastCallIsShown) {
    verdict::Failure failure = crashes();
    failure.story = {"first", "second", "third", "last"};
    EXPECT_THAT(story_shown(failure), HasSubstr("asked: after 3 other calls:\n             last\n"));
}

TEST(Story, CallsThatAreRepeatedStandOnceAndTheLastOneFailed) {
    verdict::Failure failure = wrong_scale();
    failure.story = {"first", "first", "second", "third", "last", "last"};
    EXPECT_THAT(story_shown(failure), HasSubstr("asked: after 2 other calls, of these the last failed:\n"
                                                "             second\n"
                                                "             third\n"
                                                "             last (2 times)\n"));
}

TEST(Story, InFullALongStoryIsItsBeginningAndItsEnd) {
    verdict::Failure failure = wrong_scale();
    failure.story.clear();
    for (int i = 0; i < 40; ++i) failure.story.push_back("call " + std::to_string(i));
    failure.story.insert(failure.story.begin() + 20, 4, "call 19");
    const std::string text = story_shown(failure, {.verbose = true});
    EXPECT_THAT(text, HasSubstr("asked: call 0\n             call 1\n             call 2\n"
                                "             … 33 more calls …\n             call 32\n"));
    EXPECT_THAT(text, HasSubstr("             call 38\n             call 39\n"));
    failure.story.resize(12);
    EXPECT_THAT(story_shown(failure, {.verbose = true}), Not(HasSubstr("more call")));
}

TEST(Story, WhatMadeTheModuleThatFailedIsShownAmongTheCallsThatAreLeftOut) {
    verdict::Failure failure = wrong_scale();
    failure.story = {"make_layer(1)", "forward(1)", "make_layer(2)"};
    for (int i = 0; i < 20; ++i) failure.story.push_back("call " + std::to_string(i));
    EXPECT_THAT(story_shown(failure), HasSubstr("asked: make_layer(2)\n"
                                                "             after 17 other calls, of these the last failed:\n"
                                                "             call 17\n"));
    failure.story.insert(failure.story.begin() + 1, "third");
    EXPECT_THAT(story_shown(failure, {.verbose = true}),
                HasSubstr("asked: make_layer(1)\n             third\n             forward(1)\n"
                          "             make_layer(2)\n             … 12 more calls …\n             call 12\n"));
    failure.story.push_back("make_layer(3)");
    EXPECT_THAT(story_shown(failure), HasSubstr("asked: after 22 other calls"));
}

TEST(Story, OfSeveralModulesTheOneThatFailedIsShownWithWhatMadeIt) {
    verdict::Failure failure = wrong_scale();
    failure.story = {"make_layer(1): module 1", "make_layer(2): module 2", "make_layer(3): module 12"};
    for (int i = 0; i < 20; ++i) failure.story.push_back("call " + std::to_string(i));
    failure.story.push_back("forward(module 1, x)");
    EXPECT_THAT(story_shown(failure), HasSubstr("asked: make_layer(1): module 1\n"));
    failure.story.back() = "forward(module 12, x)";
    EXPECT_THAT(story_shown(failure), HasSubstr("asked: make_layer(3): module 12\n"));
}

}  // namespace
}  // namespace headway::report
