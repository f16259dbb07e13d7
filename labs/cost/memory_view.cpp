#include "labs/cost/memory_view.hpp"

#include "labs/frame/chart.hpp"
#include "labs/frame/page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway::lab {
namespace {

using report::Tone;

/// A table with what its columns mean, and what can be said of it.
struct Told {
    Rows table;
    std::string explanation;
    std::string verdict;
};

void show(report::Page& page, const Told& told) {
    page.blank();
    for (const std::string& line : table_lines(told.table)) page.line(0, {{line}});
    page.blank();
    page.paragraph({}, {{told.explanation, Tone::faint}});
    page.paragraph({}, {{told.verdict}});
}

void write(report::Xml& page, const std::string& title, const Chart& chart, const Told& told) {
    page.text("h2", {}, title);
    write_chart(page, chart);
    page.text("p", {}, told.verdict);
    write_table(page, told.explanation, told.table);
}

// ---- caches ------------------------------------------------------------------------------------------------------

Chart chart_of(const CacheCosts& costs) {
    Chart chart{.title = "Time of one more token",
                .x_name = "tokens T in the cache",
                .y_name = "ms",
                .x_scale = Scale::log2,
                .series = {}};
    for (const CacheCost& cost : costs.caches) {
        auto series = std::find_if(chart.series.begin(), chart.series.end(),
                                   [&](const Series& one) { return one.name == cost.kept; });
        if (series == chart.series.end()) series = chart.series.insert(series, {cost.kept, {}, {}});
        series->x.push_back(static_cast<double>(cost.T));
        series->y.push_back(cost.token_ms);
    }
    return chart;
}

std::string what_caches_cost(const CacheCosts& costs) {
    const CacheCost &in_float = *(costs.caches.end() - 3), &in_int8 = costs.caches.back();
    const std::string found = fmt::format(
        "With {} tokens, one takes {} bytes as floats and {} in int8: {:.3f} of it. A token costs {:.1f} times the "
        "time of floats.",
        in_int8.T, in_float.bytes, in_int8.bytes,
        static_cast<double>(in_int8.bytes) / static_cast<double>(in_float.bytes), in_int8.token_ms / in_float.token_ms);
    if (costs.bytes_said == in_int8.bytes) return found;
    return found + fmt::format(" Your cache_bytes says {} bytes: ./headway grade 12 may say why.", costs.bytes_said);
}

Told told_of(const CacheCosts& costs) {
    Rows rows{{"T", "kept as", "bytes per token", "largest error", "one more token"}};
    for (const CacheCost& cost : costs.caches)
        rows.push_back({std::to_string(cost.T), cost.kept, std::to_string(cost.bytes),
                        fmt::format("{:.5f}", cost.largest_error), fmt::format("{:.3f}", cost.token_ms)});
    return {rows,
            fmt::format("bytes: of keys and values with their scales, {} heads of width {}; largest error: of the "
                        "context, beside floats; one more token: added and attended to, in ms. Halves are rounded by "
                        "your exercise 12, int8 is your append and int8_attention.",
                        costs.H, costs.head_dim),
            what_caches_cost(costs)};
}

// ---- stacks ------------------------------------------------------------------------------------------------------

Chart chart_of(const StackCosts& costs) {
    Chart chart{.title = "Memory of the way back",
                .x_name = "blocks L",
                .y_name = "MiB",
                .x_scale = Scale::log2,
                .series = {{"all kept", {}, {}}, {"inputs kept", {}, {}}}};
    for (const StackCost& cost : costs.stacks)
        for (Series& series : chart.series) {
            series.x.push_back(static_cast<double>(cost.L));
            series.y.push_back(&series == &chart.series.front() ? cost.all_mib : cost.inputs_mib);
        }
    return chart;
}

std::string what_stacks_cost(const StackCosts& costs) {
    const StackCost& deepest = costs.stacks.back();
    const std::string time = fmt::format("{:.2f} times the time", deepest.inputs_ms / deepest.all_ms);
    if (deepest.all_mib <= 0 || deepest.inputs_mib <= 0)
        return fmt::format("With {} blocks, your stack_backward takes {}; what memory it took is not known here.",
                           deepest.L, time);
    return fmt::format("With {} blocks, your stack_backward takes 1/{:.1f} of the memory, and {}.", deepest.L,
                       deepest.all_mib / deepest.inputs_mib, time);
}

Told told_of(const StackCosts& costs) {
    Rows rows{{"L", "all kept", "ms", "inputs kept", "ms"}};
    for (const StackCost& cost : costs.stacks)
        rows.push_back({std::to_string(cost.L), fmt::format("{:.1f} MiB", cost.all_mib),
                        fmt::format("{:.1f}", cost.all_ms), fmt::format("{:.1f} MiB", cost.inputs_mib),
                        fmt::format("{:.1f}", cost.inputs_ms)});
    const auto [B, T, D, F] = costs.sizes;
    return {
        rows,
        fmt::format("All gradients of L blocks, B = {}, T = {}, D = {}, F = {}. all kept: every tensor that the way "
                    "back needs; inputs kept: your stack_backward of exercise 14. MiB: in use at the peak, beside what "
                    "is handed over.",
                    B, T, D, F),
        what_stacks_cost(costs)};
}

}  // namespace

void write_caches(report::Xml& page, const CacheCosts& costs) {
    write(page, "What a cache costs", chart_of(costs), told_of(costs));
}
void show_caches(report::Page& page, const CacheCosts& costs) { show(page, told_of(costs)); }

nlohmann::json to_json(const CacheCosts& costs) {
    nlohmann::json rows = nlohmann::json::array();
    for (const CacheCost& cost : costs.caches)
        rows.push_back({{"T", cost.T},
                        {"kept", cost.kept},
                        {"bytes_per_token", cost.bytes},
                        {"largest_error", cost.largest_error},
                        {"token_ms", cost.token_ms}});
    return {{"H", costs.H}, {"head_dim", costs.head_dim}, {"int8_bytes_said", costs.bytes_said}, {"rows", rows}};
}

void write_stacks(report::Xml& page, const StackCosts& costs) {
    write(page, "Computing twice", chart_of(costs), told_of(costs));
}
void show_stacks(report::Page& page, const StackCosts& costs) { show(page, told_of(costs)); }

nlohmann::json to_json(const StackCosts& costs) {
    nlohmann::json rows = nlohmann::json::array();
    for (const StackCost& cost : costs.stacks)
        rows.push_back({{"L", cost.L},
                        {"all_mib", cost.all_mib},
                        {"inputs_mib", cost.inputs_mib},
                        {"all_ms", cost.all_ms},
                        {"inputs_ms", cost.inputs_ms}});
    const auto [B, T, D, F] = costs.sizes;
    return {{"B", B}, {"T", T}, {"D", D}, {"F", F}, {"rows", rows}};
}

}  // namespace headway::lab
