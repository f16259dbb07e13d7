#include "labs/prune/view.hpp"

#include "labs/frame/chart.hpp"
#include "labs/frame/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headway::lab {
namespace {

using report::Tone;

constexpr double bearable = 0.01;

Series series(const std::string& name, const Removal& whole, const std::vector<Removal>& removals,
              double Removal::*value) {
    Series one{name, {0}, {whole.*value}};
    for (const Removal& removal : removals) {
        one.x.push_back(static_cast<double>(one.x.size()));
        one.y.push_back(removal.*value);
    }
    return one;
}

Chart losses(const Pruned& pruned) {
    return {.title = "Loss as heads go",
            .x_name = "heads removed",
            .y_name = "nats a token",
            .floor = Floor::lowest,
            .series = {series("one by one", pruned.whole, pruned.one_by_one, &Removal::loss),
                       series("by cost alone", pruned.whole, pruned.by_cost, &Removal::loss)}};
}

/// Which relation is lost when: of those that the text has.
Chart abilities(const Pruned& pruned) {
    Chart chart{.title = "Right predictions as heads go, one by one",
                .x_name = "heads removed",
                .y_name = "share",
                .series = {}};
    for (const auto& [name, value] :
         {std::pair("copy", &Removal::copy), std::pair("agree", &Removal::agree), std::pair("refer", &Removal::refer)})
        if (std::isfinite(pruned.whole.*value))
            chart.series.push_back(series(name, pruned.whole, pruned.one_by_one, value));
    return chart;
}

std::vector<Chart> charts(const Pruned& pruned) {
    std::vector<Chart> all{losses(pruned)};
    if (Chart chart = abilities(pruned); !chart.series.empty()) all.push_back(std::move(chart));
    return all;
}

/// Of all heads, the one that costs most alone first.
std::vector<std::size_t> dearest_first(const Pruned& pruned) {
    std::vector<std::size_t> order(pruned.scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return pruned.without_each[a] > pruned.without_each[b]; });
    return order;
}

/// When a head went, from 1 on.
std::size_t turn_of(const Pruned& pruned, const HeadScore& score) {
    const auto found = std::find_if(pruned.one_by_one.begin(), pruned.one_by_one.end(), [&](const Removal& removal) {
        return removal.head == HeadPlace{score.block, score.head};
    });
    return static_cast<std::size_t>(found - pruned.one_by_one.begin()) + 1;
}

/// To four digits, without a zero that is called negative.
double rounded(double x) { return std::round(x * 1e4) / 1e4 + 0.0; }

/// @param where  how the last column says where a head looks
Rows table(const Pruned& pruned, std::string (HeadScore::*where)() const) {
    Rows rows{{"block", "head", "costs alone", "removed as", "where it looks"}};
    for (const std::size_t i : dearest_first(pruned)) {
        const HeadScore& score = pruned.scores[i];
        rows.push_back({std::to_string(score.block), std::to_string(score.head),
                        fmt::format("{:+.4f}", rounded(pruned.without_each[i] - pruned.choosing_loss)),
                        std::to_string(turn_of(pruned, score)), (score.*where)()});
    }
    return rows;
}

constexpr const char* explanation =
    "costs alone: what the loss grows by, in nats a token, when only this head is removed; removed as: its turn when "
    "each time the head goes without which the loss is least.";

std::string answer(const Pruned& pruned) {
    const auto sentence = [&](const std::vector<Removal>& removals, const std::string& how) {
        const std::size_t count = removable(removals, pruned.whole.loss, bearable);
        const double left = count == 0 ? pruned.whole.loss : removals[count - 1].loss;
        return fmt::format("{}, {} of {} heads can go for 1 % of the loss ({:.3f} becomes {:.3f}).", how, count,
                           removals.size(), pruned.whole.loss, left);
    };
    return sentence(pruned.one_by_one, "Chosen one by one") + " " +
           sentence(pruned.by_cost, "In the order of what each costs alone") +
           fmt::format(" Without any head the loss is {:.3f}.", pruned.one_by_one.back().loss);
}

/// What the user asked for; empty if nothing.
std::string answer_to_choice(const Pruned& pruned) {
    if (pruned.chosen.empty()) return {};
    std::string heads;
    for (const auto& [block, head] : pruned.chosen)
        heads += fmt::format("{}{}.{}", heads.empty() ? "" : ", ", block, head);
    std::string sentence =
        fmt::format("Without {}{}: the loss is {:.3f} instead of {:.3f}", heads,
                    pruned.chosen.size() > 1 ? " together" : "", pruned.without_chosen.loss, pruned.whole.loss);
    for (const auto& [name, value] :
         {std::pair("copy", &Removal::copy), std::pair("agree", &Removal::agree), std::pair("refer", &Removal::refer)})
        if (std::isfinite(pruned.whole.*value))
            sentence +=
                fmt::format(", {} {:.2f} instead of {:.2f}", name, pruned.without_chosen.*value, pruned.whole.*value);
    return sentence + ".";
}

nlohmann::json to_json(const Removal& removal) {
    return {{"block", removal.head.block}, {"head", removal.head.head}, {"loss", removal.loss},
            {"copy", removal.copy},        {"agree", removal.agree},    {"refer", removal.refer}};
}

nlohmann::json to_json(const std::vector<Removal>& removals) {
    nlohmann::json all = nlohmann::json::array();
    for (const Removal& removal : removals) all.push_back(to_json(removal));
    return all;
}

}  // namespace

std::string prune_page(const Pruned& pruned, const std::string& text) {
    return html_page("Heads that can go", [&](report::Xml& page) {
        page.text("p", {}, text);
        page.text("p", {}, answer(pruned));
        if (!pruned.chosen.empty()) page.text("p", {}, answer_to_choice(pruned));
        for (const Chart& chart : charts(pruned)) write_chart(page, chart);
        write_table(page, explanation, table(pruned, &HeadScore::in_words));
    });
}

void show_pruning(report::Page& page, const Pruned& pruned) {
    for (const Chart& chart : charts(pruned)) {
        show_chart(page, 0, chart);
        page.blank();
    }
    const std::vector<std::string> lines = table_lines(table(pruned, &HeadScore::main_role));
    for (std::size_t i = 0; i < lines.size(); ++i) page.line(0, {{lines[i], i == 0 ? Tone::faint : Tone::plain}});
    page.paragraph({}, {{explanation, Tone::faint}});
    page.blank();
    page.paragraph({}, {{answer(pruned), Tone::strong}});
    if (pruned.chosen.empty()) return;
    page.blank();
    page.paragraph({}, {{answer_to_choice(pruned), Tone::strong}});
}

nlohmann::json to_json(const Pruned& pruned) {
    nlohmann::json heads = nlohmann::json::array();
    for (std::size_t i = 0; i < pruned.scores.size(); ++i) {
        const HeadScore& score = pruned.scores[i];
        heads.push_back({{"block", score.block},
                         {"head", score.head},
                         {"cost", pruned.without_each[i] - pruned.choosing_loss},
                         {"removed", turn_of(pruned, score)},
                         {"looks", score.in_words()}});
    }
    nlohmann::json whole = to_json(pruned.whole);
    whole.erase("block");
    whole.erase("head");
    nlohmann::json chosen = nlohmann::json::array();
    for (const auto& [block, head] : pruned.chosen) chosen.push_back({{"block", block}, {"head", head}});
    return {{"lab", "prune"},
            {"chosen", chosen},
            {"without_chosen", pruned.chosen.empty() ? nlohmann::json() : to_json(pruned.without_chosen)},
            {"heads", heads},
            {"whole", whole},
            {"one_by_one", to_json(pruned.one_by_one)},
            {"by_cost", to_json(pruned.by_cost)},
            {"removable_for_1_percent", removable(pruned.one_by_one, pruned.whole.loss, bearable)}};
}

}  // namespace headway::lab
