#include "labs/train/kept_training.hpp"

#include "labs/train/corpus.hpp"
#include "labs/train/identity.hpp"
#include "labs/train/language.hpp"

#include "labs/frame/attention_probe.hpp"
#include "labs/frame/program.hpp"
#include "terminal/console.hpp"
#include "terminal/interrupt.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

namespace headway::lab {
namespace {

/// Steps between two checkpoints: a kill loses some seconds.
constexpr Index keep_every = 25;

/// Of this program, in which your code is. A jail has no /proc, and keeps nothing for the next run.
std::string identity_of_code() {
    constexpr auto self = "/proc/self/exe";
    std::error_code hidden;
    return std::filesystem::exists(self, hidden) ? identity_of(read_file(self)) : std::string();
}

/// Where a training is kept. The name says all that it depends on, your code too: another one begins anew.
std::string checkpoint_file(const TrainingArguments& arguments, const TrainingPlan& plan, const Variant& variant,
                            const Text& text) {
    const std::string all =
        fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}", identity_of_code(), to_string(variant.positions),
                    variant.whole ? "whole" : "attention", variant.window, text.identity(), plan.steps, plan.B, plan.T,
                    plan.D, plan.rate, plan.seed, plan.validation);
    return fmt::format("{}/checkpoints/h{}-{}-{}.safetensors", arguments.output, variant.H, to_string(variant.mistake),
                       identity_of(all));
}

void resume(Training& training, const std::string& file) {
    try {
        training.restore(read_safetensors(file));
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        throw std::runtime_error(
            fmt::format("the training cannot go on from its checkpoint:\n{}\n"
                        "Delete that file and say the same again; or begin all of it anew with --fresh.",
                        error.what()));
    }
    const std::string name = training.variant().name();
    if (training.done()) {
        fmt::print(stderr, "{}: was trained before, and is taken from {}\n", name, shown(file));
    } else if (training.steps_done() > 0) {
        fmt::print(stderr, "{}: goes on from step {} ({})\n", name, training.steps_done(), shown(file));
    }
}

/// To the end, or to the first Ctrl-C.
void train(Training& training, const TrainingPlan& plan, const std::string& file) {
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
            write_safetensors(file, training.save());
        if (!stop || training.done()) continue;
        progress.clear();
        throw Stopped(fmt::format("stopped at step {} of {} of {}; the same command goes on from there.",
                                  training.steps_done(), plan.steps, training.variant().name()));
    }
}

}  // namespace

void declare_training(CLI::App& app, TrainingArguments& arguments, const std::string& lab) {
    declare(app, arguments, lab);
    app.add_option("--corpus", arguments.corpus, "Learn from this text instead of the lab's language")
        ->type_name("FILE");
    app.add_option("--seed", arguments.seed, "Of parameters and text")->type_name("N");
    app.add_option("--steps", arguments.steps, "Of each training")
        ->check(CLI::Range(1, 1'000'000).description(""))
        ->type_name("N");
    app.add_flag("--fresh", arguments.fresh, "Begin anew instead of going on from a checkpoint");
}

TrainingPlan plan_of(const TrainingArguments& arguments) {
    TrainingPlan plan;
    if (arguments.quick) plan = {.steps = 200, .B = 8, .T = 32, .look_every = 20, .validation = 16};
    if (arguments.steps > 0) plan.steps = arguments.steps;
    plan.seed = arguments.seed;
    return plan;
}

std::unique_ptr<Text> text_of(const TrainingArguments& arguments, const TrainingPlan& plan) {
    if (arguments.corpus.empty()) return std::make_unique<Language>();
    return std::make_unique<Corpus>(read_file(arguments.corpus), arguments.corpus, plan.T);
}

void require_divides(Index H, const TrainingPlan& plan) {
    if (H < 1 || plan.D % H != 0) throw WrongUsage(fmt::format("--heads: {} does not divide the width, {}", H, plan.D));
}

void require_training_exercises(const std::string& lab) {
    require_attention(lab);
    const Tensor x = Tensor::ones({1, 3, 4});
    try_exercise("07_backward", lab, [&] {
        const auto square = [] { return Tensor::zeros({4, 4}); };
        const auto row = [] { return Tensor::zeros({4}); };
        const auto all = [&] {
            return ex07::Parameters{square(), row(), square(), row(), square(), row(), square(), row()};
        };
        ex07::Parameters grads = all();
        require_shape("multi_head_attention_backward", ex07::multi_head_attention_backward(x, all(), 2, {}, x, grads),
                      {1, 3, 4});
        Tensor weight = square(), bias = row();
        require_shape("linear_backward", ex07::linear_backward(x, square(), x, weight, bias), {1, 3, 4});
    });
}

std::unique_ptr<Training> trained(const Text& text, const TrainingPlan& plan, const Variant& variant,
                                  const TrainingArguments& arguments) {
    auto training = std::make_unique<Training>(text, plan, variant);
    const std::string file = checkpoint_file(arguments, plan, variant, text);
    if (!arguments.fresh && std::filesystem::exists(file)) resume(*training, file);
    train(*training, plan, file);
    return training;
}

}  // namespace headway::lab
