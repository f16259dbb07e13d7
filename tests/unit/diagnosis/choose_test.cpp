// Which of several sets of mistakes that explain the same answers is told, and which are told beside it.
#include "diagnosis/choose.hpp"

#include <gtest/gtest.h>

namespace headway::diagnosis {
namespace {

const MistakeSet by_view{&mistake("merge_by_view")}, interleaved{&mistake("merge_interleaved")};

TEST(Choose, TellsInTheOrderOfTheCatalogue) {
    std::vector<MistakeSet> sets{interleaved, by_view};
    put_likeliest_first(sets, {}, {}, {});
    EXPECT_EQ(sets, (std::vector<MistakeSet>{by_view, interleaved}));
}

TEST(Choose, TellsNoOtherMistakeBesideOneThatIsKnown) {
    std::vector<MistakeSet> sets{by_view, interleaved};
    put_likeliest_first(sets, interleaved, {}, {});
    EXPECT_EQ(sets, (std::vector<MistakeSet>{interleaved}));
}

}  // namespace
}  // namespace headway::diagnosis
