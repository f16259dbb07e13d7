#include "labs/cost/view.hpp"

#include "labs/cost/memory_view.hpp"
#include "labs/frame/chart.hpp"
#include "labs/frame/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace headway::lab {
namespace {

using report::Tone;

/// One line for each T.
Chart chart_of(const std::vector<Cost>& costs, const std::string& title, const std::string& y_name,
               const std::function<double(const Cost&)>& value) {
    Chart chart{.title = title, .x_name = "heads H, D fixed", .y_name = y_name, .x_scale = Scale::log2, .series = {}};
    for (const Cost& cost : costs) {
        const std::string name = fmt::format("T = {}", cost.sizes.T);
        if (chart.series.empty() || chart.series.back().name != name) chart.series.push_back({name, {}, {}});
        chart.series.back().x.push_back(static_cast<double>(cost.sizes.H));
        chart.series.back().y.push_back(value(cost));
    }
    return chart;
}

double millions(Index multiply_adds) { return static_cast<double>(multiply_adds) / 1e6; }
double mebibytes(Index numbers) { return static_cast<double>(numbers) * sizeof(float) / (1024.0 * 1024.0); }

std::vector<Chart> charts(const std::vector<Cost>& costs) {
    return {chart_of(costs, "Time of forward", "ms", [](const Cost& cost) { return cost.forward_ms; }),
            chart_of(costs, "Memory for the weights of all heads", "MiB",
                     [](const Cost& cost) { return mebibytes(cost.weights); }),
            chart_of(costs, "Multiply-adds of forward", "millions",
                     [](const Cost& cost) { return millions(cost.counted); })};
}

Rows table(const std::vector<Cost>& costs) {
    Rows rows{{"T", "B", "H", "d", "needed", "counted", "MiB", "forward", "at once", "loop"}};
    for (const Cost& cost : costs) {
        const auto [B, T, D, H] = cost.sizes;
        rows.push_back({std::to_string(T), std::to_string(B), std::to_string(H), std::to_string(D / H),
                        fmt::format("{:.1f}", millions(work_of(cost.sizes).all())),
                        fmt::format("{:.1f}", millions(cost.counted)), fmt::format("{:.2f}", mebibytes(cost.weights)),
                        fmt::format("{:.1f}", cost.forward_ms), fmt::format("{:.1f}", cost.batched_ms),
                        fmt::format("{:.1f}", cost.one_by_one_ms)});
    }
    return rows;
}

constexpr const char* explanation =
    "d: head_dim; needed, counted: millions of multiply-adds, by formula and as forward did them; MiB: the weights of "
    "all heads; forward: of exercise 05, in ms; at once, loop: attention without projections, all heads in one batched "
    "product or one after another, in ms.";

/// What can be said of counts; of times everybody's own table speaks.
std::string verdict_on_counts(const std::vector<Cost>& costs) {
    const auto differs = [](const Cost& cost) { return cost.counted != work_of(cost.sizes).all(); };
    if (std::none_of(costs.begin(), costs.end(), differs))
        return "forward does exactly the multiply-adds that the formula asks for, whatever H is.";
    const bool more = costs.front().counted > work_of(costs.front().sizes).all();
    return more ? "forward does more multiply-adds than the formula asks for: something is computed twice, or "
                  "computed and not used. Can you find it?"
                : "forward does fewer products by matmul than the formula asks for: loops of your own, and "
                  "Eigen without <headway/eigen.hpp>, are not counted.";
}

// ---- texts through a window --------------------------------------------------------------------------------------

/// One line for all keys, one for the window.
Chart chart_of(const WindowCosts& windows, const std::string& title, const std::string& y_name,
               double WindowCost::*of_all, double WindowCost::*of_window) {
    Chart chart{.title = title, .x_name = "tokens T", .y_name = y_name, .x_scale = Scale::log2, .series = {}};
    for (const auto& [name, value] :
         {std::pair{std::string("all keys"), of_all}, {fmt::format("window of {}", windows.w), of_window}}) {
        Series series{name, {}, {}};
        for (const WindowCost& text : windows.texts) {
            series.x.push_back(static_cast<double>(text.T));
            series.y.push_back(text.*value);
        }
        chart.series.push_back(std::move(series));
    }
    return chart;
}

/// Before the last text and at it: four times as long.
std::pair<WindowCost, WindowCost> last_two(const WindowCosts& windows) {
    return {windows.texts.at(windows.texts.size() - 2), windows.texts.back()};
}

bool memory_is_known(const WindowCosts& windows) {
    return std::all_of(windows.texts.begin(), windows.texts.end(),
                       [](const WindowCost& text) { return text.all_mib > 0 && text.window_mib > 0; });
}

Rows table(const WindowCosts& windows) {
    Rows rows{{"T", "all keys", "ms", fmt::format("window of {}", windows.w), "ms"}};
    for (const WindowCost& text : windows.texts)
        rows.push_back({std::to_string(text.T), fmt::format("{:.2f} MiB", text.all_mib),
                        fmt::format("{:.2f}", text.all_ms), fmt::format("{:.2f} MiB", text.window_mib),
                        fmt::format("{:.2f}", text.window_ms)});
    return rows;
}

std::string explanation_of(const WindowCosts& windows) {
    return fmt::format(
        "all keys: causal attention as the course computes it, with scores of some queries at a time and a mask of all "
        "pairs; window: your window_attention of exercise 11; {} heads of width {}. MiB: in use at the peak, beside "
        "what is handed over.",
        windows.H, windows.head_dim);
}

std::string what_windows_cost(const WindowCosts& windows) {
    const auto [before, last] = last_two(windows);
    const std::string time =
        fmt::format("From {} tokens to {}, time grew {:.1f} times with all keys and {:.1f} times through the window",
                    before.T, last.T, last.all_ms / before.all_ms, last.window_ms / before.window_ms);
    if (!memory_is_known(windows)) return time + "; what memory it took is not known here.";
    return time + fmt::format(", memory {:.1f} times and {:.1f} times.", last.all_mib / before.all_mib,
                              last.window_mib / before.window_mib);
}

void write_windows(report::Xml& page, const WindowCosts& windows) {
    page.text("h2", {}, "Long texts");
    write_chart(page, chart_of(windows, "Time of attention", "ms", &WindowCost::all_ms, &WindowCost::window_ms));
    if (memory_is_known(windows))
        write_chart(page,
                    chart_of(windows, "Memory of attention", "MiB", &WindowCost::all_mib, &WindowCost::window_mib));
    page.text("p", {}, what_windows_cost(windows));
    write_table(page, explanation_of(windows), table(windows));
}

void show_windows(report::Page& page, const WindowCosts& windows) {
    page.blank();
    for (const std::string& line : table_lines(table(windows))) page.line(0, {{line}});
    page.blank();
    page.paragraph({}, {{explanation_of(windows), Tone::faint}});
    page.paragraph({}, {{what_windows_cost(windows)}});
}

nlohmann::json json_of(const WindowCosts& windows) {
    nlohmann::json rows = nlohmann::json::array();
    for (const WindowCost& text : windows.texts)
        rows.push_back({{"T", text.T},
                        {"all_mib", text.all_mib},
                        {"window_mib", text.window_mib},
                        {"all_ms", text.all_ms},
                        {"window_ms", text.window_ms}});
    return {{"H", windows.H}, {"head_dim", windows.head_dim}, {"w", windows.w}, {"rows", rows}};
}

}  // namespace

std::string cost_page(const AllCosts& all_costs) {
    const std::vector<Cost>& costs = all_costs.heads;
    return html_page("What heads cost", [&](report::Xml& page) {
        page.text("p", {},
                  fmt::format("D = {}, B·T = {}: measured on one thread.", costs.front().sizes.D,
                              costs.front().sizes.B * costs.front().sizes.T));
        for (const Chart& chart : charts(costs)) write_chart(page, chart);
        page.text("p", {}, verdict_on_counts(costs));
        write_table(page, explanation, table(costs));
        if (all_costs.windows) write_windows(page, *all_costs.windows);
        if (all_costs.caches) write_caches(page, *all_costs.caches);
        if (all_costs.stacks) write_stacks(page, *all_costs.stacks);
    });
}

void show_costs(report::Page& page, const AllCosts& all_costs) {
    const std::vector<Cost>& costs = all_costs.heads;
    const std::vector<Chart> all = charts(costs);
    show_chart(page, 0, all[0]);
    page.blank();
    const std::vector<std::string> lines = table_lines(table(costs));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i > 0 && costs[i - 1].sizes.H == costs.front().sizes.H) page.blank();
        page.line(0, {{lines[i], i == 0 ? Tone::faint : Tone::plain}});
    }
    page.blank();
    page.paragraph({}, {{explanation, Tone::faint}});
    page.paragraph({}, {{verdict_on_counts(costs)}});
    if (all_costs.windows) show_windows(page, *all_costs.windows);
    if (all_costs.caches) show_caches(page, *all_costs.caches);
    if (all_costs.stacks) show_stacks(page, *all_costs.stacks);
}

nlohmann::json to_json(const AllCosts& costs) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Cost& cost : costs.heads)
        rows.push_back({{"B", cost.sizes.B},
                        {"T", cost.sizes.T},
                        {"D", cost.sizes.D},
                        {"H", cost.sizes.H},
                        {"needed_multiply_adds", work_of(cost.sizes).all()},
                        {"counted_multiply_adds", cost.counted},
                        {"score_bytes", cost.weights * static_cast<Index>(sizeof(float))},
                        {"forward_ms", cost.forward_ms},
                        {"batched_ms", cost.batched_ms},
                        {"loop_ms", cost.one_by_one_ms}});
    nlohmann::json all{{"lab", "cost"}, {"rows", rows}};
    if (costs.windows) all["windows"] = json_of(*costs.windows);
    if (costs.caches) all["caches"] = to_json(*costs.caches);
    if (costs.stacks) all["stacks"] = to_json(*costs.stacks);
    return all;
}

}  // namespace headway::lab
