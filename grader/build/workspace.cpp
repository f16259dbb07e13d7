#include "workspace.hpp"

#include "diagnostics.hpp"
#include "digest.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace headway::build {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

/// For a debugger, which then shows every variable; without the precompiled header, which needs equal options.
const Words unoptimised = {"-O0", "-g"};

constexpr std::size_t most_diagnostics = std::size_t{64} << 10U;
constexpr std::uint64_t compiler_memory = std::uint64_t{4} << 30U;
constexpr std::uint64_t most_object_bytes = std::uint64_t{64} << 20U;

/// Compiling may take 60 s of CPU; the wall clock is generous, so that a loaded machine fails nobody.
sandbox::Command compiler_command(Words arguments, const fs::path& directory, const fs::path& temporary) {
    sandbox::Command command;
    command.arguments = std::move(arguments);
    command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "TMPDIR=" + temporary.string()};
    command.directory = directory;
    command.limits = {seconds(60), compiler_memory, most_object_bytes};
    return command;
}

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

bool is_up_to_date(const fs::path& product, const std::string& digest) {
    fs::path stamp = product;
    stamp += ".digest";
    std::error_code ignored;
    return fs::exists(product, ignored) && fs::exists(stamp, ignored) && read_file(stamp) == digest;
}

void stamp(const fs::path& product, const std::string& digest) {
    fs::path file = product;
    file += ".digest";
    write_file(file, digest);
}

/// The place of a file for the digest: what is prebuilt is not read again and again.
std::string identity(const fs::path& file) {
    std::error_code ignored;
    return file.string() + " " + std::to_string(fs::file_size(file, ignored)) + " " +
           std::to_string(fs::last_write_time(file, ignored).time_since_epoch().count());
}

/// Demangled names of the functions that the objects define.
std::vector<std::string> defined_functions(const Words& objects, const fs::path& directory) {
    Words arguments{"/usr/bin/nm", "-C", "--defined-only", "--no-sort"};
    append(arguments, objects);
    std::vector<std::string> names;
    std::istringstream lines(
        sandbox::run(compiler_command(arguments, directory, directory), seconds(20), std::size_t{1} << 20U).output);
    for (std::string line; std::getline(lines, line);)
        if (line.size() > 19 && (line[17] == 'T' || line[17] == 'W' || line[17] == 't'))
            names.push_back(line.substr(19));
    return names;
}

fs::path object_name(const fs::path& source) {
    std::string flat = source.string();
    std::replace(flat.begin(), flat.end(), '/', '+');
    return flat + ".o";
}

}  // namespace

Workspace::Workspace(const Toolchain& toolchain, Submission submission, fs::path folder)
    : toolchain_(toolchain), submission_(std::move(submission)), folder_(std::move(folder)) {
    write_sources();
}

void Workspace::write_sources() const {
    const fs::path source_folder = folder_ / "src";
    const std::string digest = submission_.digest();
    if (is_up_to_date(source_folder, digest)) return;
    fs::remove_all(source_folder);
    fs::create_directories(source_folder);
    fs::create_directories(folder_ / "tmp");
    for (const auto* files : {&submission_.files, &submission_.course_files})
        for (const SourceFile& file : *files) {
            fs::create_directories((source_folder / file.path).parent_path());
            write_file(source_folder / file.path, file.text);
        }
    stamp(source_folder, digest);
}

std::optional<verdict::Build> Workspace::compile_file(const SourceFile& source, const fs::path& object, Flavour flavour,
                                                      const Words& options) {
    Words arguments{toolchain_.compiler};
    append(arguments, options);
    append(arguments, {"-w", "-fmax-errors=20", "-fdiagnostics-color=never", "-I" + toolchain_.include, "-isystem",
                       toolchain_.system_include});
    append(arguments, {"-c", source.path.string(), "-o", object.string()});

    Digest inputs;
    for (const std::string& argument : arguments) inputs.add(argument);
    for (const std::string& file : toolchain_.prelude.at(flavour))
        if (!file.starts_with('-')) inputs.add(identity(fs::exists(file + ".gch") ? file + ".gch" : file));
    // Any header may be included by any file.
    for (const auto* files : {&submission_.files, &submission_.course_files})
        for (const SourceFile& file : *files)
            if (!file.is_compiled() || file.path == source.path) inputs.add(file.path.string()).add(file.text);
    const std::string digest = inputs.hex();
    if (is_up_to_date(object, digest)) return std::nullopt;

    std::error_code ignored;
    fs::remove(object, ignored);
    const auto finished =
        sandbox::run(compiler_command(arguments, folder_ / "src", folder_ / "tmp"), seconds(300), most_diagnostics);
    if (finished.ended.success() && !finished.timed_out) {
        stamp(object, digest);
        return std::nullopt;
    }
    const fs::path root = fs::path(toolchain_.include).parent_path().parent_path();
    return explain_compile(finished, source.path.string(),
                           {submission_.exercise, submission_.folder, root.string() + "/"});
}

Workspace::Objects Workspace::compile(const fs::path& output, Flavour flavour, const Words& options) {
    fs::create_directories(output);
    const auto begin = std::chrono::steady_clock::now();
    Objects objects;
    for (const SourceFile& source : submission_.files) {
        if (!source.is_compiled()) continue;
        const fs::path object = output / object_name(source.path);
        objects.problem = compile_file(source, object, flavour, options);
        if (objects.problem) break;
        objects.files.push_back(object.string());
    }
    objects.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return objects;
}

Built Workspace::link(const fs::path& program, const Objects& objects, const Words& inputs, const Words& options,
                      Flavour flavour) {
    Built built;
    built.build.compile_seconds = objects.seconds;
    if (objects.problem) {
        built.build = *objects.problem;
        built.build.compile_seconds = objects.seconds;
        return built;
    }
    Words arguments{toolchain_.compiler};
    append(arguments, toolchain_.link.at(flavour));
    append(arguments, options);
    append(arguments, objects.files);
    append(arguments, inputs);
    append(arguments, {"-o", program.string()});
    Digest digest_of_inputs;
    for (const std::string& argument : arguments) digest_of_inputs.add(argument);
    for (const std::string& object : objects.files) digest_of_inputs.add_file(object + ".digest");
    for (const std::string& input : inputs) digest_of_inputs.add(identity(input));
    const std::string digest = digest_of_inputs.hex();
    if (!is_up_to_date(program, digest)) {
        const auto finished =
            sandbox::run(compiler_command(arguments, folder_ / "src", folder_ / "tmp"), seconds(120), most_diagnostics);
        built.build.link_seconds = finished.seconds.count();
        if (!finished.ended.success() || finished.timed_out) {
            const fs::path root = fs::path(toolchain_.include).parent_path().parent_path();
            const double compile_seconds = built.build.compile_seconds;
            built.build = explain_link(finished, defined_functions(objects.files, folder_),
                                       {submission_.exercise, submission_.folder, root.string() + "/"});
            built.build.compile_seconds = compile_seconds;
            built.build.link_seconds = finished.seconds.count();
            return built;
        }
        stamp(program, digest);
    }
    built.program = program;
    return built;
}

Words Workspace::sources_shown_in(const fs::path& folder) const {
    return {"-ffile-prefix-map=" + (folder_ / "src").string() + "=" + folder.string()};
}

fs::path Workspace::worker(Flavour flavour) const { return folder_ / to_string(flavour) / "worker"; }

Built Workspace::build_worker(Flavour flavour) {
    const fs::path output = folder_ / to_string(flavour);
    Words options = toolchain_.compile.at(flavour);
    append(options, toolchain_.prelude.at(flavour));
    append(options, sources_shown_in("."));
    const Objects objects = compile(output, flavour, options);
    Words inputs = toolchain_.main.at(flavour);
    append(inputs, toolchain_.libraries.at(submission_.exercise).at(flavour));
    return link(worker(flavour), objects, inputs, {}, flavour);
}

/// Not from the precompiled header, which needs equal options.
Built Workspace::build_special_worker(const fs::path& output, Flavour flavour, const Words& more_options,
                                      const Words& link_options) {
    Words options = toolchain_.compile.at(flavour);
    append(options, sources_shown_in(submission_.folder));
    append(options, more_options);  // of options that contradict each other, the last one counts
    const Objects objects = compile(output, flavour, options);
    Words inputs = toolchain_.main.at(flavour);
    append(inputs, toolchain_.libraries.at(submission_.exercise).at(flavour));
    return link(output / "worker", objects, inputs, link_options, flavour);
}

Built Workspace::build_worker_to_debug(Flavour flavour) {
    return build_special_worker(folder_ / "debug" / to_string(flavour), flavour, unoptimised, {});
}

Built Workspace::build_worker_with_counters() {
    return build_special_worker(folder_ / "counted", Flavour::plain, {"-O0", "--coverage"}, {"--coverage"});
}

Built Workspace::build_visible_test(const fs::path& visible_test, const fs::path& replays) {
    const fs::path output = folder_ / "visible";
    fs::create_directories(output);
    Workspace with_test(*this);
    const auto add = [&](const fs::path& file) {
        with_test.submission_.files.push_back({file.filename(), read_file(file)});
        write_file(folder_ / "src" / file.filename(), with_test.submission_.files.back().text);
    };
    add(visible_test);
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(replays, missing))
        if (is_replay(entry.path().filename())) add(entry.path());
    Words options{"-std=c++20", "-pthread"};
    append(options, unoptimised);
    append(options, sources_shown_in(submission_.folder));
    const Objects objects = with_test.compile(output, Flavour::plain, options);
    Words inputs = toolchain_.libraries.at(submission_.exercise).at(Flavour::plain);
    append(inputs, toolchain_.gtest);
    return with_test.link(output / "visible_test", objects, inputs, {}, Flavour::plain);
}

}  // namespace headway::build
