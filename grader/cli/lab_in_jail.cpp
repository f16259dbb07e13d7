#include "cli/lab_in_jail.hpp"

#include "sandbox/parcel.hpp"
#include "submission/digest.hpp"
#include "submission/scratch_folder.hpp"
#include "terminal/exit_status.hpp"
#include "verdict/utf8.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <optional>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_parcel_bytes = std::uintmax_t{64} << 20U;
constexpr std::size_t longest_line = 4096;
constexpr std::chrono::seconds longest_lab{7200};  ///< computing or asleep
constexpr std::size_t most_numbers = std::size_t{16} << 20U;
constexpr int deepest_numbers = 16;  ///< the labs' own have half as many levels
constexpr const char* numbers_name = "numbers.json";

/// The lab's options that name a place outside, and what is left of its words.
struct Places {
    fs::path output;
    std::optional<std::string> json;
    std::vector<fs::path> readable;
    std::vector<std::string> words;
};

Places parse(const std::vector<std::string>& arguments, const fs::path& default_output) {
    Places places;
    std::string output, model, corpus, exported;
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    app.add_option("--output", output);
    app.add_option("--json", places.json);
    app.add_option("--model", model);
    app.add_option("--corpus", corpus);
    app.add_option("--export", exported);
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what());
    }
    if (!exported.empty())
        throw UsageError(
            "--export does not go with --submission: what runs in the jail leaves a page and numbers only");
    places.output = output.empty() ? default_output : fs::absolute(output);
    places.words = app.remaining();
    for (const auto& [option, value] : {std::pair{"--model", model}, {"--corpus", corpus}}) {
        if (value.empty()) continue;
        const fs::path path = fs::weakly_canonical(value);
        if (!fs::exists(path)) throw UsageError(fmt::format("there is no {}", value));
        places.readable.push_back(path);
        places.words.insert(places.words.end(), {option, path.string()});
    }
    return places;
}

/// On the terminal nothing but text: a line may hold whatever the program likes.
void print_line(std::string_view line) {
    fmt::print("{}\n", verdict::showable(line.substr(0, longest_line)));
    std::fflush(stdout);
}

/// What it prints, line by line as it comes.
class Relay {
public:
    void operator()(std::string_view bytes) {
        pending_ += bytes;
        for (std::size_t end = 0; (end = pending_.find('\n')) != std::string::npos; pending_.erase(0, end + 1))
            print_line(std::string_view(pending_).substr(0, end));
        if (pending_.size() > longest_line) flush();
    }
    void flush() {
        if (!pending_.empty()) print_line(pending_);
        pending_.clear();
    }

private:
    std::string pending_;
};

sandbox::Finished run_and_relay(const sandbox::Launch& launch) {
    Relay relay;
    auto finished = sandbox::run(launch, longest_lab, [&](std::string_view bytes) { relay(bytes); });
    relay.flush();
    return finished;
}

/// Why it did not end by itself; empty if it did.
std::string why_stopped(const sandbox::Finished& finished, std::uint64_t most_memory) {
    if (finished.timed_out)
        return fmt::format("it had run for {} hours, which is the limit for somebody else's code",
                           std::chrono::duration_cast<std::chrono::hours>(longest_lab).count());
    if (finished.starved) return "this machine had no memory left. Close other programs and run it again";
    if (finished.out_of_memory)
        return fmt::format("it used more than {} MiB of memory (memory_mib of [compiler] in policy.toml)",
                           most_memory >> 20U);
    return finished.ended.signal == 0 ? "" : fmt::format("signal {} ended it", finished.ended.signal);
}

/// The page is that program's word: it is shown in a frame that may not fetch, run, send or lead elsewhere.
std::string in_a_frame(const std::string& page) {
    std::string quoted;
    for (const char c : verdict::valid_utf8(page))
        if (c == '&')
            quoted += "&amp;";
        else if (c == '"')
            quoted += "&quot;";
        else
            quoted += c;
    return "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
           "http-equiv=\"Content-Security-Policy\" "
           "content=\"default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'\">"
           "<title>A lab on a submission</title></head><body style=\"margin:0\">"
           "<iframe sandbox style=\"border:0;width:100%;height:100vh\" title=\"What the submission drew\" srcdoc=\"" +
           quoted + "\"></iframe></body></html>\n";
}

/// Numbers as JSON that drives no terminal. Nothing if they are too large, or nested so deeply that who reads them
/// might run out of stack: to write a document again takes a call for each level.
std::optional<std::string> as_json(const std::string& bytes) {
    if (bytes.size() > most_numbers) return std::nullopt;
    bool too_deep = false;
    const auto is_shallow = [&](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) {
        too_deep |= depth > deepest_numbers;
        return depth <= deepest_numbers;
    };
    const auto document = nlohmann::json::parse(bytes, is_shallow, false);
    if (too_deep || document.is_discarded()) return std::nullopt;
    return document.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

void hand_out_numbers(const std::string& bytes, const std::string& place) {
    const auto numbers = as_json(bytes);
    if (!numbers)
        fmt::print(stderr, "headway: the numbers are left out: they are no JSON of at most {} MiB and {} levels\n",
                   most_numbers >> 20U, deepest_numbers);
    else if (place == "-")
        fmt::print("{}", *numbers);
    else
        build::write_file(place, *numbers);
}

}  // namespace

int run_lab_in_jail(const Course& course, const std::string& lab, const fs::path& program,
                    const std::vector<std::string>& arguments) {
    const sandbox::Jail& jail = course.machine().jail;
    if (!jail.exists())
        throw CourseError(
            "a lab runs somebody else's code in the jail only, and there is none here: ./headway doctor says what is "
            "missing. If you trust that code, copy it to your exercises/.");
    const Places places = parse(arguments, course.root / "lab-results" / lab);
    const auto& most = jail.policy();
    const fs::path inside = sandbox::Jail::parcel_place();
    sandbox::Command command;
    command.arguments = {program.string(), "--output", inside.string()};
    if (places.json) command.arguments.insert(command.arguments.end(), {"--json", (inside / numbers_name).string()});
    command.arguments.insert(command.arguments.end(), places.words.begin(), places.words.end());
    command.environment = {"LC_ALL=C.UTF-8"};
    command.limits.cpu = longest_lab;
    command.limits.address_space = most.compiler.memory;
    command.limits.resident = most.compiler.memory;
    command.limits.file_size = most.worker.folder;
    command.limits.processes = most.worker.processes;
    command.limits.files = most.compiler.files;
    const sandbox::JailContents contents{
        .program = program, .readable = places.readable, .folder = most.worker.folder, .secret = course.root};
    const build::ScratchFolder scratch(program.parent_path());
    const fs::path parcel_file = scratch.path() / "parcel";
    const auto finished = run_and_relay(jail.lock_with_parcel(command, contents, parcel_file));
    sandbox::Parcel parcel = sandbox::open_parcel(parcel_file, most_parcel_bytes);
    const std::string page = lab + ".html";
    if (const auto found = parcel.find(page); found != parcel.end()) {
        fs::create_directories(places.output);
        build::write_file(places.output / page, in_a_frame(found->second));
        fmt::print("copied out of the jail: {}\n", (places.output / page).string());
    }
    if (const auto found = parcel.find(numbers_name); places.json && found != parcel.end())
        hand_out_numbers(found->second, *places.json);
    const std::string why = why_stopped(finished, command.limits.resident);
    if (why.empty()) return finished.ended.exit_code;
    fmt::print(stderr, "headway: the lab was stopped: {}\n", why);
    return some_did_not_pass;
}

}  // namespace headway::cli
