#include "lab_in_jail.hpp"

#include "../build/digest.hpp"
#include "../build/scratch_folder.hpp"
#include "../sandbox/parcel.hpp"
#include "../verdict/utf8.hpp"
#include "exit_status.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include <unistd.h>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_parcel_bytes = std::uintmax_t{64} << 20U;
constexpr std::size_t longest_line = 4096;
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
    std::string plain;
    for (const std::string text = verdict::valid_utf8(line.substr(0, longest_line)); const char c : text)
        plain += c == '\t' || static_cast<unsigned char>(c) >= 0x20 ? c : ' ';
    fmt::print("{}\n", plain);
    std::fflush(stdout);
}

void relay(const sandbox::Process& process) {
    std::string pending;
    std::array<char, 1 << 14> buffer;  // NOLINT(*-member-init): filled by read
    for (;;) {
        const ssize_t got = ::read(process.output(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        pending.append(buffer.data(), static_cast<std::size_t>(got));
        for (std::size_t end = 0; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1))
            print_line(std::string_view(pending).substr(0, end));
        if (pending.size() > longest_line) {
            print_line(pending);
            pending.clear();
        }
    }
    if (!pending.empty()) print_line(pending);
}

/// The page is that program's word: in a browser it must not fetch or run anything.
std::string without_scripts(const std::string& page) {
    return "<!DOCTYPE html><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
           "'unsafe-inline'\">\n" +
           page;
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
    command.limits.address_space = most.compiler.memory;
    command.limits.resident = most.compiler.memory;
    command.limits.file_size = most.worker.folder;
    command.limits.processes = most.worker.processes;
    const sandbox::Room room{
        .program = program, .readable = places.readable, .folder = most.worker.folder, .secret = course.root};
    const build::ScratchFolder scratch(program.parent_path());
    const fs::path parcel_file = scratch.path() / "parcel";
    sandbox::Ended ended;
    {
        auto process = sandbox::Process::start(jail.lock_with_parcel(command, room, parcel_file), sandbox::Channel::no);
        relay(process);
        ended = process.wait();
    }
    sandbox::Parcel parcel = sandbox::open_parcel(parcel_file, most_parcel_bytes);
    const std::string page = lab + ".html";
    if (const auto found = parcel.find(page); found != parcel.end()) {
        fs::create_directories(places.output);
        build::write_file(places.output / page, without_scripts(found->second));
        fmt::print("copied out of the jail: {}\n", (places.output / page).string());
    }
    if (const auto found = parcel.find(numbers_name); places.json && found != parcel.end()) {
        if (*places.json == "-")
            fmt::print("{}\n", verdict::valid_utf8(found->second));
        else
            build::write_file(*places.json, found->second);
    }
    if (ended.signal == 0) return ended.exit_code;
    fmt::print(stderr, "headway: the lab was ended by signal {}\n", ended.signal);
    return some_did_not_pass;
}

}  // namespace headway::cli
