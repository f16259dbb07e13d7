#include "labs/frame/heads.hpp"

#include "report/shades.hpp"
#include "terminal/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headway::lab {
namespace {

using report::Tone;

/// A weight beyond 0 and 1, or NaN, comes from a wrong softmax; its cell tells the number.
double shade(double weight) { return std::isfinite(weight) ? std::clamp(weight, 0.0, 1.0) : 0.0; }

}  // namespace

void write_heads(report::Xml& page, const Heads& heads) {
    page.text("h3", {}, heads.title);
    page.open("div", {{"class", "maps"}});
    for (Index head = 0; head < heads.weights.size(0); ++head) {
        const Tensor weights = heads.weights[head].contiguous();
        report::write_shaded_table(
            page, {.title = heads.captions[static_cast<std::size_t>(head)],
                   .corner = "query\\key",
                   .rows = heads.tokens,
                   .columns = heads.tokens,
                   .cell = [&weights](std::size_t i) {
                       const double weight = weights.data()[i];
                       return report::ShadedCell{weight, report::shade_style(shade(weight), report::blue_shades)};
                   }});
    }
    page.close();
}

void write_scale(report::Xml& page) {
    page.open("p", {{"class", "small"}, {"role", "img"}, {"aria-label", "Colour scale: white is 0, dark blue is 1"}});
    for (const double weight : {0.0, 0.25, 0.5, 0.75, 1.0})
        page.text("span", {{"style", report::shade_style(weight, report::blue_shades) + ";padding:.2rem .8rem"}},
                  report::number(weight));
    page.words(" weight of a key; a row is a query, and sums to 1");
    page.close();
}

void show_head(report::Page& page, std::size_t indent, const Heads& heads, Index head) {
    page.line(indent,
              {{heads.title + ", ", Tone::strong}, {heads.captions[static_cast<std::size_t>(head)], Tone::strong}});
    std::size_t widest = 0;
    for (const std::string& token : heads.tokens) widest = std::max(widest, token.size());
    const auto T = static_cast<Index>(heads.tokens.size());
    for (Index t = 0; t < T; ++t) {
        std::string line = fmt::format("{:>{}} ", heads.tokens[static_cast<std::size_t>(t)], widest);
        for (Index s = 0; s < T; ++s) {
            const auto glyph = report::shade_glyph(shade(heads.weights[head](t, s)), page.style().unicode);
            line += fmt::format("{}{}", glyph, glyph);  // two characters look like a square
        }
        page.line(indent, {{line}});
    }
    page.line(indent,
              {{fmt::format("{} 0  {} 1; columns are keys, in the same order",
                            report::shade_glyph(0, page.style().unicode), report::shade_glyph(1, page.style().unicode)),
                Tone::faint}});
}

nlohmann::json to_json(const Heads& heads) {
    const Tensor weights = heads.weights.contiguous();
    return {{"title", heads.title},
            {"tokens", heads.tokens},
            {"captions", heads.captions},
            {"shape", weights.shape()},
            {"weights", std::vector<float>(weights.data(), weights.data() + weights.numel())}};
}

}  // namespace headway::lab
