// ./headway lab cost: what the number of heads costs, on the student's own module of exercise 05.
#include "labs/cost/caches.hpp"
#include "labs/cost/measure.hpp"
#include "labs/cost/stacks.hpp"
#include "labs/cost/view.hpp"
#include "labs/cost/windows.hpp"

#include "labs/frame/attention_probe.hpp"
#include "labs/frame/program.hpp"
#include "labs/frame/results.hpp"
#include "terminal/console.hpp"
#include "terminal/interrupt.hpp"

#include <fmt/format.h>

namespace {

using namespace headway;

/// Small enough to be over before one has read the options.
lab::CostPlan quick_plan() {
    return {.D = 128, .tokens = 512, .lengths = {64, 128}, .heads = {1, 2, 4, 8, 16, 32, 64}, .repeats = 3};
}

void cost(const lab::CommonArguments& arguments) {
    lab::require_attention("cost");
    const cli::Interrupt interrupt(lab::stopping);
    cli::ProgressLine progress;
    lab::AllCosts costs;
    costs.heads = lab::measure(arguments.quick ? quick_plan() : lab::CostPlan{},
                               [&](const std::string& text) { progress.show(text); });
    progress.show("texts through a window");
    costs.windows = lab::measure_windows(arguments.quick ? 1024 : 4096, arguments.quick ? 2 : 5);
    progress.show("caches");
    costs.caches = lab::measure_caches(arguments.quick ? 1024 : 4096, arguments.quick ? 2 : 5);
    progress.show("stacks of blocks");
    costs.stacks = arguments.quick ? lab::measure_stacks({.B = 2, .T = 64, .D = 64, .F = 256}, 32, 2)
                                   : lab::measure_stacks({}, 32, 2);
    progress.clear();
    lab::deliver(arguments, "cost",
                 {lab::cost_page(costs), [&](report::Page& page) { lab::show_costs(page, costs); },
                  [&] { return lab::to_json(costs); }});
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("What heads cost: multiply-adds, time and memory, measured on your own attention");
    lab::CommonArguments arguments;
    lab::declare(app, arguments, "cost");
    return lab::parse_and_run(app, argc, argv, [&] { cost(arguments); });
}
