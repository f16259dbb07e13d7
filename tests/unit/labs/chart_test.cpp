// Charts: every point where it belongs, in the picture and in characters, and the picture in words.
#include "labs/frame/chart.hpp"

#include "labs/frame/heads.hpp"
#include "labs/frame/page.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace headway::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Chart sample(Scale scale = Scale::linear) {
    return {.title = "Loss",
            .x_name = "steps",
            .y_name = "nats",
            .x_scale = scale,
            .series = {{"one", {1, 4}, {10, 2}}, {"two", {1, 2, 4}, {NAN, 5, 1}}}};
}

TEST(Chart, TicksAreRound) {
    EXPECT_THAT(ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
    EXPECT_THAT(ticks(0.13, 0.31, 4), ElementsAre(testing::DoubleEq(0.15), testing::DoubleEq(0.2),
                                                  testing::DoubleEq(0.25), testing::DoubleNear(0.3, 1e-12)));
}

TEST(Chart, PutsPointsWhereTheyBelong) {
    const Chart chart = sample(Scale::log2);
    const Span2d span = span_of(chart);
    EXPECT_EQ(across(chart, span, 2), 0.5);  // half way from 1 to 4
    EXPECT_EQ(up(span, 10), 1);
    EXPECT_EQ(span.bottom, 0);
    Chart close = chart;
    close.floor = Floor::lowest;
    EXPECT_EQ(span_of(close).bottom, 1);
}

TEST(Chart, IsAPictureWithWords) {
    const std::string page = html_page("A chart", [](report::Xml& xml) { write_chart(xml, sample()); });
    EXPECT_THAT(page, HasSubstr("role=\"img\" aria-label=\"Loss: nats over steps. one: from 10 at 1 to 2 at 4."));
    EXPECT_THAT(page, Not(HasSubstr("nan")));
    for (const char* asks : {"<script", "src=", "<link", "url(", "href=\"http"})
        EXPECT_THAT(page, Not(HasSubstr(asks)));
}

TEST(Chart, IsDrawnInCharactersWithin80Columns) {
    for (const bool unicode : {true, false}) {
        report::Page page({.width = 80, .unicode = unicode});
        show_chart(page, 0, sample());
        const std::string text = page.take();
        EXPECT_THAT(text, HasSubstr(unicode ? "●" : "o"));
        EXPECT_THAT(text, HasSubstr(unicode ? "○ two" : "x two"));
    }
}

TEST(Chart, SaysWhereLinesMeet) {
    report::Page page({.width = 80, .unicode = false});
    show_chart(
        page, 0,
        {.title = "meet", .x_name = "x", .y_name = "y", .series = {{"one", {0, 1}, {0, 2}}, {"two", {0, 1}, {1, 2}}}});
    const std::string text = page.take();
    EXPECT_THAT(text, HasSubstr("2.00|" + std::string(63, ' ') + "%"));
    EXPECT_THAT(text, HasSubstr("% several")) << text;
}

TEST(Chart, EmptyOrFlatIsNoReasonToFail) {
    report::Page page({});
    show_chart(page, 0, {.title = "none", .x_name = "x", .y_name = "y", .series = {}});
    show_chart(page, 0, {.title = "flat", .x_name = "x", .y_name = "y", .series = {{"one", {3}, {0}}}});
    html_page("flat", [](report::Xml& xml) {
        write_chart(xml, {.title = "flat", .x_name = "x", .y_name = "y", .series = {{"one", {3}, {0}}}});
    });
}

TEST(Heads, ShowTokensAndNumbersWhateverTheWeightsAre) {
    const Heads heads{"H = 1", {"a<b", "c"}, Tensor::of({1, 2, 2}, {1, 0, NAN, 7}), {"head 0: nothing"}};
    const std::string page = html_page("Heads", [&](report::Xml& xml) { write_heads(xml, heads); });
    EXPECT_THAT(page, HasSubstr("a&lt;b"));
    EXPECT_THAT(page, HasSubstr("aria-label=\"head 0: nothing\""));
    EXPECT_THAT(page, HasSubstr("title=\"NaN\""));
    report::Page lines({});
    show_head(lines, 0, heads, 0);
    EXPECT_THAT(lines.take(), HasSubstr("a<b ██··"));
}

}  // namespace
}  // namespace headway::lab
