#include "report/terminal.hpp"

#include <gmock/gmock.h>

#include "verdict/sample_verdicts.hpp"

namespace headway::report {
namespace {

using namespace samples;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using verdict::State;

verdict::Exercise with_one_failure(verdict::Failure failure) {
    return exercise("02", "head splitting", State::failed, {failed("A", "a property", 2, std::move(failure))});
}

TEST(NextStep, LeadsOn) {
    const auto next = [](const verdict::Exercise& exercise) {
        const std::string text = render(verdict_of({all_right(), exercise}), {});
        return text.substr(text.find("next: "));
    };
    EXPECT_THAT(next(with_one_failure(wrong_mask())), StartsWith("next: ./headway hint 02   (a property)"));
    EXPECT_THAT(next(with_one_failure(reads_out_of_bounds())), StartsWith("next: ./headway try 02 "));
    EXPECT_THAT(next(exercise("02", "head splitting", State::partial, {not_written("A", "a", 1, "view")})),
                StartsWith("next: ./headway lesson 02   (what is still to be written)"));
    EXPECT_THAT(next(untouched()), StartsWith("next: ./headway lesson 04 "));
    EXPECT_THAT(next(does_not_compile()), StartsWith("next: ./headway grade 05 "));
    EXPECT_THAT(next(all_right()), StartsWith("next: ./headway   ("));
}

TEST(NextStep, IsForTheReaderOfAStrangersVerdict) {
    const auto next = [](const verdict::Exercise& exercise) {
        verdict::Verdict verdict = verdict_of({exercise});
        verdict.submission = "class/ada";
        const std::string text = render(verdict, {}, {untouched()});
        EXPECT_THAT(text, Not(HasSubstr("headway hint")));
        const std::size_t at = text.find("next: ");
        return at == std::string::npos ? "" : text.substr(at, text.find("   (", at) - at);
    };
    EXPECT_EQ(next(with_one_failure(wrong_mask())), "next: ./headway grade 02 --submission class/ada --html page.html");
    EXPECT_EQ(next(all_right()), "");
    EXPECT_EQ(next(untouched()), "");
}

}  // namespace
}  // namespace headway::report
