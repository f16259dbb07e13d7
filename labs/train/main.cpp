// ./headway lab train: a small language model on the student's own attention (05) and its gradients (07), in whole
// blocks once these are written (14); through a window too (11), and with rotary positions (13).
#include "labs/train/kept_training.hpp"
#include "labs/train/rotation.hpp"
#include "labs/train/students_block.hpp"
#include "labs/train/view.hpp"
#include "labs/train/window.hpp"

#include "labs/frame/program.hpp"
#include "labs/frame/results.hpp"
#include "labs/gpt2/export.hpp"
#include "terminal/console.hpp"
#include "terminal/interrupt.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace {

using namespace headway;
using headway::Index;

struct Arguments : lab::TrainingArguments {
    std::vector<Index> heads = {1, 4, 8};
    std::string sentence;
    lab::TrainedMistake mistake = lab::TrainedMistake::none;
    std::vector<lab::Positions> positions;  ///< empty: learned ones, for all numbers of heads
    std::vector<Index> windows;             ///< compare with these; empty: none
    bool blocks = false;                    ///< compare with whole blocks
    bool attention_alone = false;           ///< whatever exercise 14 does
    std::string gpt2_folder;                ///< where to write the last model as a GPT-2; empty: nowhere
};

lab::TrainedMistake mistake_named(const std::string& name) {
    for (const lab::TrainedMistake mistake : {lab::TrainedMistake::sqrt_d, lab::TrainedMistake::heads_mixed})
        if (name == to_string(mistake)) return mistake;
    throw CLI::ValidationError("--mistake", "there is none called " + name + "; there are sqrt_d and heads_mixed");
}

std::vector<lab::Positions> positions_named(const std::vector<std::string>& names) {
    std::vector<lab::Positions> all;
    for (const std::string& name : names) {
        const std::size_t before = all.size();
        for (const lab::Positions one : {lab::Positions::none, lab::Positions::learned, lab::Positions::rotary})
            if (name == to_string(one)) all.push_back(one);
        if (all.size() == before)
            throw CLI::ValidationError("--positions",
                                       "there are none called " + name + "; there are none, learned and rotary");
    }
    return all;
}

/// A mistake is seen beside the right model; with one head it is none. Positions and windows are compared with the last
/// number of heads.
std::vector<lab::Variant> variants_of(const Arguments& arguments, const lab::TrainingPlan& plan) {
    std::vector<lab::Variant> variants;
    for (const Index H : arguments.heads) {
        lab::require_divides(H, plan);
        if (arguments.mistake == lab::TrainedMistake::none) variants.push_back({H});
    }
    if (arguments.mistake != lab::TrainedMistake::none)
        variants = {{arguments.heads.back()}, {arguments.heads.back(), arguments.mistake}};
    if (!arguments.positions.empty()) variants.clear();
    for (const lab::Positions positions : arguments.positions)
        variants.push_back({.H = arguments.heads.back(), .positions = positions, .turn = lab::turn_of_student});
    if (!arguments.windows.empty()) variants = {{arguments.heads.back()}};
    for (const Index w : arguments.windows)
        variants.push_back({.H = arguments.heads.back(), .window = w, .sight = lab::sight_of_student(w)});
    if (!arguments.blocks) return variants;
    // The last of them, without MLPs and with them.
    variants = {variants.back(), variants.back()};
    variants.back().whole = lab::blocks_of_student();
    return variants;
}

/// Comparisons are of attention alone, as the lesson tells them, and so is what is exported.
bool takes_whole_blocks(const Arguments& arguments) {
    const bool compares = arguments.mistake != lab::TrainedMistake::none || !arguments.positions.empty() ||
                          !arguments.windows.empty() || arguments.blocks;
    return !compares && !arguments.attention_alone && arguments.gpt2_folder.empty();
}

/// What a short training of the lab's own language cannot show; empty: nothing.
std::string too_short_for(const Arguments& arguments, const lab::TrainingPlan& plan) {
    if (!arguments.corpus.empty() || plan.steps >= lab::TrainingPlan{}.steps / 2) return "";
    return fmt::format(
        "{} steps are too few for heads that copy, and shares are of few cases: what the lesson tells shows after {}.",
        plan.steps, lab::TrainingPlan{}.steps);
}

void run_train(const Arguments& arguments) {
    const lab::TrainingPlan plan = lab::plan_of(arguments);
    auto variants = variants_of(arguments, plan);
    if (!arguments.gpt2_folder.empty() && (!arguments.corpus.empty() || arguments.mistake != lab::TrainedMistake::none))
        throw lab::WrongUsage("--export writes a right model of the lab's own language: no --corpus, no --mistake");
    if (!arguments.positions.empty() &&
        (arguments.mistake != lab::TrainedMistake::none || !arguments.gpt2_folder.empty()))
        throw lab::WrongUsage("--positions compares right models: no --mistake, no --export");
    if (arguments.blocks && (arguments.mistake != lab::TrainedMistake::none || !arguments.gpt2_folder.empty()))
        throw lab::WrongUsage("--blocks compares right models: no --mistake, no --export");
    if (!arguments.windows.empty() && (arguments.mistake != lab::TrainedMistake::none || arguments.blocks ||
                                       !arguments.positions.empty() || !arguments.gpt2_folder.empty()))
        throw lab::WrongUsage("--window compares right models: no --mistake, --positions, --blocks or --export");
    if (arguments.blocks && arguments.attention_alone)
        throw lab::WrongUsage("--blocks compares attention alone with whole blocks: no --attention-alone");
    const auto text = lab::text_of(arguments, plan);
    std::vector<Index> sentence =
        text->sentence(arguments.sentence.empty() ? text->default_sentence() : arguments.sentence);
    if (sentence.size() > static_cast<std::size_t>(plan.T)) sentence.resize(static_cast<std::size_t>(plan.T));
    lab::require_training_exercises("train");
    if (std::ranges::count(arguments.positions, lab::Positions::rotary) > 0)
        lab::require_rotation("train", plan.D / arguments.heads.back());
    for (const Index w : arguments.windows) lab::require_window("train", w);
    if (arguments.blocks) lab::require_blocks("train");
    const auto whole = takes_whole_blocks(arguments) ? lab::blocks_if_written() : std::nullopt;
    if (whole)
        for (lab::Variant& variant : variants) variant.whole = *whole;
    const cli::Interrupt interrupt(lab::stopping);
    std::vector<lab::Outcome> outcomes;
    for (const lab::Variant& variant : variants) {
        const auto training = lab::trained(*text, plan, variant, arguments);
        outcomes.push_back(lab::outcome_of(*training, *text, sentence));
        if (!arguments.gpt2_folder.empty())
            lab::export_as_gpt2(training->model(), text->vocabulary(), arguments.gpt2_folder);
    }
    std::string remarks = too_short_for(arguments, plan);
    if (whole) remarks = "Whole blocks are your exercise 14; --attention-alone trains without it. " + remarks;
    const std::string what = fmt::format("{} steps of {} sequences of {} tokens, width {}, seed {}; text: {}. {}",
                                         plan.steps, plan.B, plan.T, plan.D, plan.seed, text->identity(), remarks);
    const auto show = [&](report::Page& page) {
        lab::show_training(page, outcomes);
        if (!remarks.empty()) page.blank();
        if (!remarks.empty()) page.paragraph({}, {{remarks}});
    };
    lab::deliver(arguments, "train", {lab::train_page(outcomes, what), show, [&] { return lab::to_json(outcomes); }});
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("A small language model on your own attention: which heads form, and when");
    Arguments arguments;
    lab::declare_training(app, arguments, "train");
    app.add_option("--heads", arguments.heads, "Numbers of heads to compare (default: 1,4,8)")
        ->delimiter(',')
        ->type_name("H");
    app.add_option("--sentence", arguments.sentence, "What the heatmaps show")->type_name("WORDS");
    app.add_option_function<std::string>(
           "--mistake", [&](const std::string& name) { arguments.mistake = mistake_named(name); },
           "Train with it too: sqrt_d or heads_mixed")
        ->type_name("NAME");
    app.add_option_function<std::vector<std::string>>(
           "--positions", [&](const std::vector<std::string>& names) { arguments.positions = positions_named(names); },
           "Compare how it knows positions: none,learned,rotary (rotary: your exercise 13)")
        ->delimiter(',')
        ->type_name("NAME");
    app.add_option("--window", arguments.windows,
                   "Compare with attention to the last w tokens, such as 8,4 (your exercise 11)")
        ->delimiter(',')
        ->type_name("W");
    app.add_flag("--blocks", arguments.blocks, "Compare attention alone with whole blocks, MLPs too: your exercise 14");
    app.add_flag("--attention-alone", arguments.attention_alone,
                 "Without your exercise 14, of which blocks are made once it is done");
    app.add_option("--export", arguments.gpt2_folder, "Write the last model into this folder, for the lab gpt2")
        ->type_name("DIR");
    return lab::parse_and_run(app, argc, argv, [&] { run_train(arguments); });
}
