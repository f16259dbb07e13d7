#include "grading/at_once.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace headway::cli {
namespace {

TEST(AtOnce, RunsInThatManyThreadsAndAtLeastOne) {
    std::atomic<int> runs = 0;
    at_once(3, [&] { ++runs; });
    EXPECT_EQ(runs, 3);
    at_once(0, [&] { ++runs; });
    EXPECT_EQ(runs, 4);
}

TEST(AtOnce, ThrowsWhatOneThrewWhenAllHaveEnded) {
    std::atomic<int> ended = 0;
    EXPECT_THROW(at_once(2,
                         [&] {
                             if (ended++ == 0) throw std::runtime_error("the first");
                         }),
                 std::runtime_error);
    EXPECT_EQ(ended, 2);
}

}  // namespace
}  // namespace headway::cli
