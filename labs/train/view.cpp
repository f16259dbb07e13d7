#include "labs/train/view.hpp"

#include "labs/frame/chart.hpp"
#include "labs/frame/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace headway::lab {
namespace {

using report::Tone;

/// One line for each model.
Chart chart_of(const std::vector<Outcome>& outcomes, const std::string& title, const std::string& y_name,
               const std::function<double(const Look&)>& value) {
    Chart chart{.title = title, .x_name = "steps", .y_name = y_name, .series = {}};
    for (const Outcome& outcome : outcomes) {
        Series one{outcome.variant.name(), {}, {}};
        for (const Look& look : outcome.looks) {
            if (!std::isfinite(value(look))) continue;
            one.x.push_back(static_cast<double>(look.step));
            one.y.push_back(value(look));
        }
        chart.series.push_back(std::move(one));
    }
    return chart;
}

std::vector<Chart> charts(const std::vector<Outcome>& outcomes) {
    // The first steps, from ln(vocabulary) down, would leave nothing of the axis for the differences.
    const Index after_the_first = outcomes.front().looks.back().step / 20;
    std::vector<Chart> all = {
        chart_of(outcomes, "Validation loss, after the first steps", "nats a token",
                 [&](const Look& look) { return look.step >= after_the_first ? look.loss : NAN; }),
        chart_of(outcomes, "Copied colours that are right", "share", [](const Look& look) { return look.copy; }),
        chart_of(outcomes, "The best previous-token head", "score", [](const Look& look) { return look.previous; }),
        chart_of(outcomes, "The best induction head", "score", [](const Look& look) { return look.induction; })};
    all.front().floor = Floor::lowest;
    return all;
}

std::string share(double value) { return std::isfinite(value) ? fmt::format("{:.2f}", value) : "-"; }

Rows table(const std::vector<Outcome>& outcomes) {
    Rows rows{{"model", "parameters", "loss", "copy", "agree", "refer", "previous", "induction"}};
    for (const Outcome& outcome : outcomes) {
        const Look& last = outcome.looks.back();
        rows.push_back({outcome.variant.name(), std::to_string(outcome.parameters), fmt::format("{:.3f}", last.loss),
                        share(last.copy), share(last.agree), share(last.refer), share(last.previous),
                        share(last.induction)});
    }
    return rows;
}

constexpr const char* explanation =
    "loss: on text that was not learned from, nats a token; copy, agree, refer: share of right predictions where that "
    "relation decides; previous, induction: the best head's score, its mean weight on the token before (of places that "
    "are copied from later), and on what followed the same token earlier.";

/// The head in which `value` is largest.
const HeadScore& best(const Outcome& outcome, double HeadScore::*value) {
    return *std::max_element(outcome.scores.begin(), outcome.scores.end(),
                             [&](const HeadScore& a, const HeadScore& b) { return a.*value < b.*value; });
}

}  // namespace

Outcome outcome_of(Training& training, const Text& text, const std::vector<Index>& sentence) {
    LanguageModel& model = training.model();
    Outcome outcome{.variant = training.variant(),
                    .parameters = model.parameter_count(),
                    .looks = training.looks(),
                    .scores = score_heads(model, training.validation()),
                    .maps = {}};
    std::vector<std::string> labels;
    for (const Index token : sentence) labels.push_back(text.vocabulary()[static_cast<std::size_t>(token)]);
    const std::vector<Tensor> weights = model.weights(sentence, 1);
    for (std::size_t block = 0; block < weights.size(); ++block) {
        Heads map{fmt::format("{}, block {}", outcome.variant.name(), block), labels, weights[block][0].clone(), {}};
        for (const HeadScore& score : outcome.scores)
            if (score.block == static_cast<Index>(block))
                map.captions.push_back(fmt::format("head {}: {}", score.head, score.in_words()));
        outcome.maps.push_back(std::move(map));
    }
    return outcome;
}

std::string train_page(const std::vector<Outcome>& outcomes, const std::string& text) {
    return html_page("Which heads form, and when", [&](report::Xml& page) {
        page.text("p", {}, text);
        for (const Chart& chart : charts(outcomes)) write_chart(page, chart);
        write_table(page, explanation, table(outcomes));
        page.text("h2", {}, "Where each head looks");
        write_scale(page);
        for (const Outcome& outcome : outcomes)
            for (const Heads& map : outcome.maps) write_heads(page, map);
    });
}

void show_training(report::Page& page, const std::vector<Outcome>& outcomes) {
    const std::vector<Chart> all = charts(outcomes);
    show_chart(page, 0, all[0]);
    page.blank();
    show_chart(page, 0, all[3]);
    page.blank();
    const std::vector<std::string> lines = table_lines(table(outcomes));
    for (std::size_t i = 0; i < lines.size(); ++i) page.line(0, {{lines[i], i == 0 ? Tone::faint : Tone::plain}});
    page.paragraph({}, {{explanation, Tone::faint}});
    for (double HeadScore::*const role : {&HeadScore::previous, &HeadScore::induction}) {
        const HeadScore& head = best(outcomes.back(), role);
        page.blank();
        show_head(page, 0, outcomes.back().maps[static_cast<std::size_t>(head.block)], head.head);
    }
}

nlohmann::json to_json(const std::vector<Outcome>& outcomes) {
    nlohmann::json models = nlohmann::json::array();
    for (const Outcome& outcome : outcomes) {
        nlohmann::json looks = nlohmann::json::array(), heads = nlohmann::json::array(), maps = nlohmann::json::array();
        for (const Look& look : outcome.looks) looks.push_back(to_json(look));
        for (const HeadScore& score : outcome.scores)
            heads.push_back({{"block", score.block},
                             {"head", score.head},
                             {"previous", score.previous},
                             {"first", score.first},
                             {"induction", score.induction},
                             {"agree", score.agree},
                             {"refer", score.refer}});
        for (const Heads& map : outcome.maps) maps.push_back(to_json(map));
        models.push_back({{"heads", outcome.variant.H},
                          {"mistake", to_string(outcome.variant.mistake)},
                          {"positions", to_string(outcome.variant.positions)},
                          {"window", outcome.variant.window},
                          {"whole_blocks", static_cast<bool>(outcome.variant.whole)},
                          {"parameters", outcome.parameters},
                          {"looks", looks},
                          {"scores", heads},
                          {"maps", maps}});
    }
    return {{"lab", "train"}, {"models", models}};
}

}  // namespace headway::lab
