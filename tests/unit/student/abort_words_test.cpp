// Why a program aborted is in the last line that it printed, where the C library wrote one.
#include "student/abort_words.hpp"

#include <gmock/gmock.h>

namespace headway::judge {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(AbortWords, TheCLibrarysOwnMessageTakesThePlaceOfGuesses) {
    for (const char* line : {"double free or corruption (fasttop)", "free(): invalid pointer",
                             "malloc(): corrupted top size", "corrupted size vs. prev_size"}) {
        const std::string words = abort_words("row 3\n" + std::string(line) + "\n");
        EXPECT_THAT(words, HasSubstr("aborted: SIGABRT, after it printed \"" + std::string(line) + "\" (memory was"));
        EXPECT_THAT(words, Not(HasSubstr("assertion")));
    }
    EXPECT_THAT(abort_words("*** stack smashing detected ***: terminated"), HasSubstr("past the end of a local array"));
    EXPECT_THAT(abort_words("a.cpp:3: int f(): Assertion `n > 0' failed.\n"), HasSubstr("Assertion `n > 0' failed."));
    EXPECT_THAT(abort_words("terminate called without an active exception\n"), HasSubstr("nobody joined"));
}

TEST(AbortWords, OtherLinesAreNoReason) {
    for (const char* printed : {"", "\n", "free(): invalid pointer\nrow 3\n"})
        EXPECT_THAT(abort_words(printed), HasSubstr("SIGABRT (std::abort, a failed assertion")) << printed;
    EXPECT_EQ(abort_words("free(): " + std::string(1000, 'x')), "aborted: SIGABRT");
}

}  // namespace
}  // namespace headway::judge
