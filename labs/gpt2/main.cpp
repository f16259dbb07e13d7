// ./headway lab gpt2: a real GPT-2 runs on the student's own attention (05) and, once it is written, on the student's
// block around it (14); its heads are looked at.
#include "labs/gpt2/block.hpp"
#include "labs/gpt2/model.hpp"
#include "labs/gpt2/roles.hpp"
#include "labs/gpt2/tokenizer.hpp"
#include "labs/gpt2/view.hpp"

#include "labs/frame/attention_probe.hpp"
#include "labs/frame/program.hpp"
#include "labs/frame/results.hpp"
#include "terminal/console.hpp"
#include "terminal/interrupt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

namespace {

using namespace headway;
using headway::Index;

struct Arguments : lab::CommonArguments {
    std::string model;
    std::string text = "When Mary and John went to the store, John gave a drink to";
    Index layer = 0;
    Index token = -1;
    Index more = 12;
};

/// Tokens: a heatmap of more is too fine to be looked at, and its page too large.
constexpr Index widest_picture = 128;

constexpr const char* files[] = {"config.json", "model.safetensors", "vocab.json", "merges.txt"};

[[noreturn]] void lacks_model(const std::string& why) {
    throw lab::WrongUsage(
        why +
        ".\nThe lab gpt2 reads a model that you download once: lessons/labs/gpt2.md says from where.\n"
        "A tiny one is here already (lessons/labs/tiny):\n"
        "./headway lab gpt2 --quick");
}

std::string model_folder(const Arguments& arguments) {
    const std::string folder = arguments.model.empty() ? arguments.output + "/model" : arguments.model;
    std::error_code unknown;
    if (!std::filesystem::exists(folder, unknown)) lacks_model("there is no folder " + lab::shown(folder));
    if (!std::filesystem::is_directory(folder, unknown)) lacks_model(lab::shown(folder) + " is a file, not a folder");
    for (const char* file : files)
        if (!std::filesystem::exists(folder + "/" + file, unknown))
            lacks_model("there is no " + lab::shown(folder + "/" + file));
    return folder;
}

/// Whatever is wrong with the user's files is their fault, not the machine's.
template <class Read>
auto usable(const std::string& what, Read read) {
    try {
        return read();
    } catch (const lab::WrongUsage&) {
        throw;
    } catch (const lab::NotDone&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw lab::WrongUsage(what.empty() ? error.what() : fmt::format("{}: {}", what, error.what()));
    }
}

void require_between(const char* option, Index value, Index count) {
    if (value < 0 || value >= count)
        throw lab::WrongUsage(fmt::format("{}: there is no {}; there are 0 to {}", option, value, count - 1));
}

void stop_if_asked() {
    if (cli::Interrupt::requested()) throw lab::Stopped("stopped; nothing was written.");
}

lab::Reading read_text(const Arguments& arguments, const std::string& folder) {
    lab::Reading reading;
    reading.text = arguments.text;
    reading.layer = arguments.layer;
    cli::ProgressLine progress;
    reading.sizes = usable("", [&] {
        const std::string config = folder + "/config.json";
        return lab::sizes_from(lab::read_file(config), lab::shown(config));
    });
    const lab::Tokenizer tokenizer = usable("", [&] {
        return lab::Tokenizer(lab::read_file(folder + "/vocab.json"), lab::read_file(folder + "/merges.txt"),
                              lab::shown(folder));
    });
    if (tokenizer.size() != reading.sizes.vocabulary)
        throw lab::WrongUsage(fmt::format("{0}/vocab.json has {1} tokens, {0}/config.json says {2}", lab::shown(folder),
                                          tokenizer.size(), reading.sizes.vocabulary));
    reading.tokens = usable("--text", [&] { return tokenizer.encode(arguments.text); });
    const auto T = static_cast<Index>(reading.tokens.size());
    const Index most = std::min(reading.sizes.places, widest_picture);
    if (T < 2 || T > most)
        throw lab::WrongUsage(fmt::format("--text: that is {} token{}; {} takes 2 to {}", T, T == 1 ? "" : "s",
                                          most < widest_picture ? "the model" : "a picture", most));
    reading.token = arguments.token < 0 ? T - 1 : arguments.token;
    require_between("--token", reading.token, T);
    require_between("--layer", reading.layer, reading.sizes.layers);
    for (const Index token : reading.tokens) reading.labels.push_back(tokenizer.label(token));

    const std::string weights = folder + "/model.safetensors";
    progress.show("reading " + lab::shown(weights));
    const lab::Checkpoint checkpoint = usable("", [&] {
        const auto is_mask = [](const std::string& name) { return lab::is_mask_buffer("." + name); };
        return lab::read_safetensors(weights, is_mask);
    });
    stop_if_asked();
    lab::Gpt2 model = usable(lab::shown(weights), [&] { return lab::Gpt2(checkpoint, reading.sizes); });
    if (auto layer = lab::layer_of_student()) {
        model.compute_layers_by(*std::move(layer));
        reading.has_own_blocks = true;
    }
    stop_if_asked();
    progress.show("looking");
    reading.last_logits = model.last_logits(reading.tokens);
    if (!std::all_of(reading.last_logits.begin(), reading.last_logits.end(), [](float x) { return std::isfinite(x); }))
        throw lab::NotDone(
            "the logits are no numbers: with these weights your attention gives NaN or infinity.\n"
            "./headway grade 05 may say why.");
    stop_if_asked();
    reading.looks = model.look(reading.tokens);
    stop_if_asked();
    reading.roles =
        lab::roles_of(reading.looks, model.look(lab::said_twice(model.known_tokens(), reading.sizes.places, 25, 1)));
    stop_if_asked();
    const Index more = arguments.quick ? std::min<Index>(arguments.more, 3) : arguments.more;
    Index done = 0;
    reading.continued = lab::continue_greedily(model, reading.tokens, more, [&] {
        progress.show(fmt::format("writing on: {} of {} tokens", ++done, more));
        stop_if_asked();
    });
    reading.continuation = tokenizer.readable(reading.continued);
    return reading;
}

void run_gpt2(const Arguments& arguments) {
    lab::require_attention("gpt2");
    const std::string folder = model_folder(arguments);
    const cli::Interrupt interrupt(lab::stopping);
    const lab::Reading reading = read_text(arguments, folder);
    lab::deliver(arguments, "gpt2",
                 {lab::gpt2_page(reading), [&](report::Page& page) { lab::show_reading(page, reading); },
                  [&] { return lab::to_json(reading); }});
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("A real GPT-2 on your own attention: what it writes, and where its heads look");
    Arguments arguments;
    lab::declare(app, arguments, "gpt2");
    app.add_option("--model", arguments.model,
                   "Folder with config.json, model.safetensors, vocab.json, merges.txt\n"
                   "(default: model, below the pictures)")
        ->type_name("DIR");
    app.add_option("--text", arguments.text, "What it reads, and goes on with")->type_name("TEXT");
    app.add_option("--layer", arguments.layer, "The layer whose heads are shown (default: 0)")->type_name("N");
    app.add_option("--token", arguments.token, "Whose k and v are compared, from 0 (default: the last)")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber.description(""));
    app.add_option("--more", arguments.more, "Tokens to write (default: 12)")
        ->check(CLI::Range(0, 10'000).description(""))
        ->type_name("N");
    return lab::parse_and_run(app, argc, argv, [&] { run_gpt2(arguments); });
}
