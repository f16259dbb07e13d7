// ./headway lab train: a small language model on the student's own attention (05) and its gradients (07).
#include "corpus.hpp"
#include "identity.hpp"
#include "language.hpp"
#include "training.hpp"
#include "view.hpp"

#include "../../grader/cli/console.hpp"
#include "../../grader/cli/interrupt.hpp"
#include "../frame/arguments.hpp"
#include "../frame/program.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

using namespace headway;
using headway::Index;

struct Arguments : lab::CommonArguments {
    std::vector<Index> heads = {1, 4, 8};
    std::string corpus;
    std::string sentence;
    lab::Mistake mistake = lab::Mistake::none;
    std::uint64_t seed = 1;
    Index steps = 0;  ///< 0: as planned
    bool fresh = false;
};

/// Steps between two checkpoints: a kill loses some seconds.
constexpr Index keep_every = 25;

std::string bytes_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) throw lab::WrongUsage("cannot read " + file);
    return bytes;
}

lab::TrainingPlan plan_of(const Arguments& arguments) {
    lab::TrainingPlan plan;
    if (arguments.quick) plan = {.steps = 200, .B = 8, .T = 32, .look_every = 20, .validation = 16};
    if (arguments.steps > 0) plan.steps = arguments.steps;
    plan.seed = arguments.seed;
    return plan;
}

/// A mistake is seen beside the right model; with one head it is none.
std::vector<lab::Variant> variants_of(const Arguments& arguments, const lab::TrainingPlan& plan) {
    std::vector<lab::Variant> variants;
    for (const Index H : arguments.heads) {
        if (H < 1 || plan.D % H != 0)
            throw lab::WrongUsage(fmt::format("--heads: {} does not divide the width, {}", H, plan.D));
        if (arguments.mistake == lab::Mistake::none) variants.push_back({H});
    }
    if (arguments.mistake != lab::Mistake::none)
        variants = {{arguments.heads.back()}, {arguments.heads.back(), arguments.mistake}};
    return variants;
}

void require_exercises() {
    const Tensor x = Tensor::ones({1, 3, 4});
    lab::try_exercise("05_module", "train", [&] {
        const auto attention = ex05::make_multi_head_attention({.embed_dim = 4, .num_heads = 2, .causal = true});
        lab::require_shape("forward", attention->forward(x, x, x, {}), {1, 3, 4});
        lab::require_shape("attention_weights", attention->attention_weights(x, x, {}), {1, 2, 3, 3});
    });
    lab::try_exercise("07_backward", "train", [&] {
        const auto square = [] { return Tensor::zeros({4, 4}); };
        const auto row = [] { return Tensor::zeros({4}); };
        const auto all = [&] {
            return ex07::Parameters{square(), row(), square(), row(), square(), row(), square(), row()};
        };
        ex07::Parameters grads = all();
        lab::require_shape("multi_head_attention_backward",
                           ex07::multi_head_attention_backward(x, all(), 2, {}, x, grads), {1, 3, 4});
        Tensor weight = square(), bias = row();
        lab::require_shape("linear_backward", ex07::linear_backward(x, square(), x, weight, bias), {1, 3, 4});
    });
}

/// Where a training is kept. The name says all that it depends on, your code too: another one begins anew.
std::string checkpoint_file(const Arguments& arguments, const lab::TrainingPlan& plan, const lab::Variant& variant,
                            const lab::Text& text) {
    const std::string code = lab::identity_of(bytes_of("/proc/self/exe"));
    const std::string all = fmt::format("{} {} {} {} {} {} {} {} {}", code, text.identity(), plan.steps, plan.B, plan.T,
                                        plan.D, plan.rate, plan.seed, plan.validation);
    return fmt::format("{}/checkpoints/h{}-{}-{}.safetensors", arguments.output, variant.H, to_string(variant.mistake),
                       lab::identity_of(all));
}

void resume(lab::Training& training, const std::string& file) {
    try {
        training.restore(lab::read_safetensors(file));
    } catch (const std::exception& error) {
        throw lab::WrongUsage(fmt::format("{}\nThe training cannot go on from {}: begin anew with --fresh.",
                                          error.what(), lab::shown(file)));
    }
    if (training.steps_done() > 0)
        fmt::print(stderr, "{}: goes on from step {} ({})\n", training.variant().name(), training.steps_done(),
                   lab::shown(file));
}

/// To the end, or to the first Ctrl-C.
void train(lab::Training& training, const lab::TrainingPlan& plan, const std::string& file) {
    cli::ProgressLine progress;
    const auto begin = std::chrono::steady_clock::now();
    const Index first = training.steps_done();
    while (!training.done()) {
        training.step();
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        const double left = passed.count() / static_cast<double>(training.steps_done() - first) *
                            static_cast<double>(plan.steps - training.steps_done());
        progress.show(fmt::format("{}: step {} of {}, loss {:.3f}, {:.0f} s left", training.variant().name(),
                                  training.steps_done(), plan.steps, training.looks().back().loss, left));
        const bool stop = cli::Interrupt::requested();
        if (training.steps_done() % keep_every == 0 || training.done() || stop)
            lab::write_safetensors(file, training.save());
        if (!stop || training.done()) continue;
        progress.clear();
        throw lab::Stopped(fmt::format("stopped at step {} of {} of {}; the same command goes on from there.",
                                       training.steps_done(), plan.steps, training.variant().name()));
    }
}

std::unique_ptr<lab::Text> text_of(const Arguments& arguments, const lab::TrainingPlan& plan) {
    if (arguments.corpus.empty()) return std::make_unique<lab::Language>();
    return std::make_unique<lab::Corpus>(bytes_of(arguments.corpus), arguments.corpus, plan.T);
}

void run_train(const Arguments& arguments) {
    const lab::TrainingPlan plan = plan_of(arguments);
    const auto variants = variants_of(arguments, plan);
    const auto text = text_of(arguments, plan);
    std::vector<Index> sentence =
        text->sentence(arguments.sentence.empty() ? text->default_sentence() : arguments.sentence);
    if (sentence.size() > static_cast<std::size_t>(plan.T)) sentence.resize(static_cast<std::size_t>(plan.T));
    require_exercises();
    const cli::Interrupt interrupt;
    std::vector<lab::Outcome> outcomes;
    for (const lab::Variant& variant : variants) {
        lab::Training training(*text, plan, variant);
        const std::string file = checkpoint_file(arguments, plan, variant, *text);
        if (!arguments.fresh && std::filesystem::exists(file)) resume(training, file);
        train(training, plan, file);
        outcomes.push_back(lab::outcome_of(training, *text, sentence));
    }
    report::Page page(cli::terminal_style());
    lab::show_training(page, outcomes);
    const std::string picture = arguments.output + "/train.html";
    const std::string what = fmt::format("{} steps of {} sequences of {} tokens, width {}, seed {}; text: {}.",
                                         plan.steps, plan.B, plan.T, plan.D, plan.seed, text->identity());
    lab::write_file(picture, lab::train_page(outcomes, what));
    page.blank();
    page.line(0, {{"the pictures: " + lab::shown(picture)}});
    if (arguments.json) lab::write_json(*arguments.json, lab::to_json(outcomes));
    if (arguments.json != "-") fmt::print("{}", page.take());
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("A small language model on your own attention: which heads form, and when");
    Arguments arguments;
    lab::declare(app, arguments, "train");
    app.add_option("--heads", arguments.heads, "Numbers of heads to compare (default: 1,4,8)")
        ->delimiter(',')
        ->type_name("H");
    app.add_option("--corpus", arguments.corpus, "Learn from this text instead of the lab's language")
        ->type_name("FILE");
    app.add_option("--sentence", arguments.sentence, "What the heatmaps show")->type_name("WORDS");
    app.add_option("--mistake", arguments.mistake, "Train with it too: sqrt_d or heads_mixed")
        ->transform(CLI::CheckedTransformer(std::map<std::string, lab::Mistake>{
            {"sqrt_d", lab::Mistake::sqrt_d}, {"heads_mixed", lab::Mistake::heads_mixed}}))
        ->type_name("NAME");
    app.add_option("--seed", arguments.seed, "Of parameters and text")->type_name("N");
    app.add_option("--steps", arguments.steps, "Of each training")->check(CLI::Range(1, 1'000'000))->type_name("N");
    app.add_flag("--fresh", arguments.fresh, "Begin anew instead of going on from a checkpoint");
    return lab::parse_and_run(app, argc, argv, [&] { run_train(arguments); });
}
