// ./headway lab prune: which heads of a trained model can go, and what that costs.
#include "labs/prune/pruning.hpp"
#include "labs/prune/view.hpp"

#include "labs/frame/program.hpp"
#include "labs/frame/results.hpp"
#include "labs/train/kept_training.hpp"
#include "terminal/console.hpp"
#include "terminal/interrupt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace {

using namespace headway;
using headway::Index;

struct Arguments : lab::TrainingArguments {
    Index heads = 8;
    std::vector<std::string> without;  ///< "1.4": block and head
};

/// @throws lab::WrongUsage if there is no such head
std::vector<lab::HeadPlace> places_of(const std::vector<std::string>& words, Index blocks, Index heads) {
    std::vector<lab::HeadPlace> places;
    for (const std::string& word : words) {
        for (Index i = 0; i < blocks * heads; ++i)
            if (word == fmt::format("{}.{}", i / heads, i % heads)) places.push_back({i / heads, i % heads});
        if (places.empty() || word != fmt::format("{}.{}", places.back().block, places.back().head))
            throw lab::WrongUsage(
                fmt::format("--without: there is no head {}; there are 0.0 to {}.{}", word, blocks - 1, heads - 1));
    }
    return places;
}

/// Cheapest first.
std::vector<lab::HeadPlace> by_cost_alone(const lab::LanguageModel& model, const std::vector<double>& without_each) {
    const auto heads = lab::all_heads(model);
    std::vector<std::size_t> order(heads.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return without_each[a] < without_each[b]; });
    std::vector<lab::HeadPlace> sorted;
    for (const std::size_t i : order) sorted.push_back(heads[i]);
    return sorted;
}

/// Heads are chosen on one part of the validation text and measured on another: what was chosen on a text fits it.
lab::Pruned prune(lab::LanguageModel& model, const lab::Text& text, const lab::TrainingPlan& plan,
                  const std::vector<lab::HeadPlace>& chosen) {
    const auto part = [&](std::uint64_t seed) {
        return text.batch(lab::Part::validation, seed, plan.validation, plan.T);
    };
    const lab::Batch choosing = part(plan.seed), measuring = part(plan.seed + 1);
    const auto count = static_cast<Index>(lab::all_heads(model).size());
    const Index all = count + lab::losses_to_choose(count);
    cli::ProgressLine progress;
    Index done = 0;
    const auto measured = [&] {
        progress.show(fmt::format("removing heads: {} of {} losses measured", ++done, all));
        if (cli::Interrupt::requested())
            throw lab::Stopped("stopped; the trained model is kept, the same command removes its heads again.");
    };
    const Index nobody = -1;
    lab::Pruned pruned{.whole = lab::measured(model, {nobody, nobody}, measuring),
                       .choosing_loss = model.loss(choosing),
                       .scores = lab::score_heads(model, choosing),
                       .without_each = lab::losses_without_each(model, choosing, measured),
                       .one_by_one = lab::remove_one_by_one(model, choosing, measuring, measured),
                       .by_cost = {},
                       .chosen = chosen,
                       .without_chosen = {}};
    if (!chosen.empty()) pruned.without_chosen = lab::remove_in_order(model, chosen, measuring).back();
    pruned.by_cost = lab::remove_in_order(model, by_cost_alone(model, pruned.without_each), measuring);
    return pruned;
}

void run_prune(const Arguments& arguments) {
    const lab::TrainingPlan plan = lab::plan_of(arguments);
    lab::require_divides(arguments.heads, plan);
    const auto chosen = places_of(arguments.without, lab::ModelSizes{}.blocks, arguments.heads);
    const auto text = lab::text_of(arguments, plan);
    lab::require_training_exercises("prune");
    const cli::Interrupt interrupt(lab::stopping);
    const auto training = lab::trained(*text, plan, {arguments.heads}, arguments);
    const lab::Pruned pruned = prune(training->model(), *text, plan, chosen);
    const std::string what =
        fmt::format("{} blocks of {} heads, width {}, trained for {} steps with seed {}; text: {}.",
                    training->model().sizes().blocks, arguments.heads, plan.D, plan.steps, plan.seed, text->identity());
    lab::deliver(arguments, "prune",
                 {lab::prune_page(pruned, what), [&](report::Page& page) { lab::show_pruning(page, pruned); },
                  [&] { return lab::to_json(pruned); }});
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Take heads out of a model that was trained on your attention:\nwhich can go, and at what cost");
    Arguments arguments;
    lab::declare_training(app, arguments, "prune");
    app.add_option("--heads", arguments.heads, "Heads of each block (default: 8)")->type_name("H");
    app.add_option("--without", arguments.without, "Heads to take out together, such as 1.4,1.6 (block.head)")
        ->delimiter(',')
        ->type_name("B.H");
    return lab::parse_and_run(app, argc, argv, [&] { run_prune(arguments); });
}
