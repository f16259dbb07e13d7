#include "build/workspace.hpp"

#include "build/defined_functions.hpp"
#include "build/diagnostics.hpp"
#include "build/killed.hpp"
#include "build/own_messages.hpp"
#include "build/precompiled.hpp"
#include "build/stamp.hpp"
#include "submission/digest.hpp"

#include <fmt/format.h>

#include <chrono>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace headway::build {
namespace {

namespace fs = std::filesystem;

/// For a debugger, which then shows every variable; without the precompiled header, which needs equal options.
const Words unoptimised = {"-O0", "-g"};

/// What the compiler warns of. Told, it costs no point: so what right programs are full of is left out.
const Words warnings_told = {"-Wall",
                             "-Wextra",
                             "-Wshadow",
                             "-Wtype-limits",
                             "-Wno-unused-parameter",
                             "-Wno-unused-function",
                             "-Wno-unknown-pragmas"};

/// The folder of each file: what the compiler is to read.
Words folders_of(const Words& files) {
    Words folders;
    for (const std::string& file : files)
        if (!file.starts_with('-')) folders.push_back(fs::path(file).parent_path().string());
    return folders;
}

}  // namespace

Workspace::Workspace(const Toolchain& toolchain, const sandbox::Jail& jail, Submission submission, fs::path folder)
    : toolchain_(toolchain),
      jail_(jail),
      submission_(std::move(submission)),
      prelude_(submission_.includes_eigen() && !precompiled(toolchain.prelude_eigen.at(Build::plain)).empty()
                   ? toolchain.prelude_eigen
                   : toolchain.prelude),
      folder_(std::move(folder)) {
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

fs::path Workspace::course_root() const { return fs::path(toolchain_.include).parent_path().parent_path(); }

NamesForStudent Workspace::names_for_student() const {
    return {submission_.exercise, submission_.folder, course_root().string() + "/", folder_.string() + "/"};
}

sandbox::Finished Workspace::run_tool(Words arguments, const Words& readable, const fs::path& product,
                                      std::size_t most_output, Leaves leaves, Killed killed) const {
    const auto& most = jail_.policy().compiler;
    const std::chrono::seconds cpu = time_->next_run(most);
    const fs::path source_folder = folder_ / "src";
    sandbox::JailContents contents{.program = {}, .readable = {source_folder}, .tools = true, .folder = most.folder};
    contents.secret = course_root();
    for (const std::string& path : readable)
        if (!path.starts_with("/usr/")) contents.readable.emplace_back(path);  // that is seen anyway
    if (!product.empty() && leaves == Leaves::a_file) append(arguments, {"-o", jail_.product_place(product).string()});
    const std::string temporary = jail_.exists() ? "/tmp" : (folder_ / "tmp").string();
    const sandbox::Command command{
        .arguments = std::move(arguments),
        .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "TMPDIR=" + temporary},
        .directory = source_folder,
        .limits = {.cpu = cpu,
                   .address_space = most.memory,
                   .file_size = most.file,
                   .processes = most.processes,
                   .resident = most.memory,
                   .files = most.files}};
    // What is there may be half of something, whenever and however this ends: no stamp, no product.
    std::error_code ignored;
    if (!product.empty()) fs::remove(product.string() + ".digest", ignored);
    const sandbox::Launch launch = leaves == Leaves::a_parcel ? jail_.lock_with_parcel(command, contents, product)
                                                              : jail_.lock(command, contents, product);
    auto finished = sandbox::run(launch, most.wall, most_output);
    time_->spend(finished.computed);
    if (killed == Killed::is_trouble && may_have_been_killed(finished, cpu)) {
        finished = sandbox::run(launch, most.wall, most_output);
        time_->spend(finished.computed);
    }
    finished.timed_out |= used_up_its_time(finished, cpu);
    if (!product.empty() && (!finished.ended.success() || finished.timed_out)) fs::remove(product, ignored);
    if (killed == Killed::is_trouble && was_killed_from_outside(finished, cpu))
        throw std::runtime_error(
            "the compiler was killed by something outside the grader (is the machine short of memory?). Grade again.");
    return finished;
}

void Workspace::require_known_good(const fs::path& folder, const std::string& text, const Words& options,
                                   const Words& readable, const std::string& otherwise) const {
    const fs::path source = folder / "known_good.cpp", product = folder / "known_good";
    write_file(source, text);
    Words arguments{toolchain_.compiler};
    append(arguments, options);
    arguments.push_back(source.string());
    Words seen{folder.string()};
    append(seen, readable);
    const auto finished = run_tool(arguments, seen, product, jail_.policy().compiler.diagnostics);
    if (!finished.ended.success() || finished.timed_out)
        throw std::runtime_error(otherwise + " " + explain_compile(finished, "", names_for_student(), {}).diagnostics);
}

void Workspace::require_compiler(const fs::path& folder) const {
    require_known_good(folder, "int main() {}\n", {}, {},
                       "this machine cannot compile now: what is known to compile does not (has it no memory, no "
                       "processes or no room on its disk left?). Grade again.");
}

sandbox::Finished Workspace::list_functions(const Words& options, const Words& objects) const {
    constexpr std::size_t most_printed = std::size_t{1} << 20U;
    Words arguments{"/usr/bin/nm", "--defined-only", "--no-sort"};
    append(arguments, options);
    arguments.emplace_back("--");
    append(arguments, objects);
    return run_tool(arguments, folders_of(objects), {}, most_printed, Leaves::a_file, Killed::is_no_list);
}

Workspace::Compiled Workspace::compile_file(const SourceFile& source, const fs::path& object, Build build,
                                            const Words& options, Warnings warnings) {
    Words arguments{toolchain_.compiler};
    append(arguments, options);
    append(arguments, warnings == Warnings::told ? warnings_told : Words{"-w"});
    append(arguments, {"-fmax-errors=20", "-fdiagnostics-color=never", "-I" + toolchain_.include, "-isystem",
                       toolchain_.system_include});
    append(arguments, {"-ffile-prefix-map=./=", "-c", "./" + source.path.string()});  // no name is an option

    Digest inputs;
    inputs.add(object.string());
    for (const std::string& argument : arguments) inputs.add(argument);
    for (const std::string& file : prelude_.at(build))
        if (!file.starts_with('-')) inputs.add(identity(fs::exists(file + ".gch") ? file + ".gch" : file));
    // Any file may be included by any other, a .cpp too.
    inputs.add(source.path.string());
    for (const auto* files : {&submission_.files, &submission_.course_files})
        for (const SourceFile& file : *files) inputs.add(file.path.string()).add(file.text);
    const std::string digest = inputs.hex();
    const fs::path words = object.string() + ".words";
    if (is_up_to_date(object, digest))
        return {.words = warnings == Warnings::told ? read_file(words) : "", .problem = {}};

    Words readable = folders_of(prelude_.at(build));
    append(readable, {toolchain_.include, toolchain_.system_include});
    const auto finished = run_tool(arguments, readable, object, jail_.policy().compiler.diagnostics);
    if (finished.ended.success() && !finished.timed_out) {
        if (warnings == Warnings::told) write_file(words, finished.output);
        stamp(object, digest);
        return {.words = finished.output, .problem = {}};
    }
    verdict::Compilation problem =
        explain_compile(finished, source.path.string(), names_for_student(), submission_.files);
    if (problem.problem == verdict::BuildProblem::compile_error) {
        if (problem.line == 0) require_compiler(object.parent_path());
        if (is_older_than_headers(prelude_.at(build), toolchain_.include)) {
            // As the submission is compiled, but for its name.
            arguments.erase(std::prev(arguments.end()));
            arguments.erase(arguments.begin());
            require_known_good(object.parent_path(), "#include <headway/given.hpp>\n#include <headway/nn.hpp>\n",
                               arguments, readable,
                               "the course's headers have changed since the grader was built. Start ./headway again.");
        }
    }
    return {.words = {}, .problem = std::move(problem)};
}

Workspace::Objects Workspace::compile(const fs::path& output, Build build, const Words& options, Warnings warnings) {
    fs::create_directories(output);
    const auto begin = std::chrono::steady_clock::now();
    Objects objects;
    std::string words;
    for (const SourceFile& source : submission_.files) {
        if (!source.is_compiled()) continue;
        const fs::path object = output / source.object_name();
        Compiled compiled = compile_file(source, object, build, options, warnings);
        if (words.size() < jail_.policy().compiler.diagnostics) words += with_short_lines(compiled.words);
        objects.problem = std::move(compiled.problem);
        if (objects.problem) break;
        objects.files.push_back(object.string());
        if (bytes_of(objects.files) > jail_.policy().compiler.folder)
            objects.problem = explain_large_objects(source.path.string(), names_for_student());
        if (objects.problem) break;
    }
    if (objects.problem) forget_large(objects.files, jail_.policy().compiler.file);
    if (warnings == Warnings::told)
        objects.warnings = own_messages(Severity::warning, words, submission_.files, names_for_student());
    objects.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return objects;
}

Built Workspace::link(const fs::path& program, const Objects& objects, const Words& inputs, const Words& options,
                      Build build) {
    Built built;
    built.build.compile_seconds = objects.seconds;
    if (!objects.warnings.empty()) built.build.warnings = objects.warnings;
    if (objects.problem) {
        built.build = *objects.problem;
        built.build.compile_seconds = objects.seconds;
        return built;
    }
    Words arguments{toolchain_.compiler};
    append(arguments, toolchain_.link.at(build));
    append(arguments, options);
    append(arguments, objects.files);
    append(arguments, inputs);
    Digest digest_of_inputs;
    digest_of_inputs.add(program.string());
    for (const std::string& argument : arguments) digest_of_inputs.add(argument);
    for (const std::string& object : objects.files) digest_of_inputs.add_file(object + ".digest");
    for (const std::string& input : inputs) digest_of_inputs.add(identity(input));
    const std::string digest = digest_of_inputs.hex();
    if (!is_up_to_date(program, digest)) {
        Words readable = folders_of(objects.files);
        append(readable, inputs);
        const auto finished = run_tool(arguments, readable, program, jail_.policy().compiler.diagnostics);
        built.build.link_seconds = finished.seconds.count();
        if (!finished.ended.success() || finished.timed_out) {
            const double compile_seconds = built.build.compile_seconds;
            built.build = explain_link(finished, functions_listed(list_functions({"-C"}, objects.files).output),
                                       names_for_student(), submission_.files);
            if (built.build.problem == verdict::BuildProblem::link_error) require_compiler(program.parent_path());
            built.build.compile_seconds = compile_seconds;
            built.build.link_seconds = finished.seconds.count();
            forget_large(objects.files, jail_.policy().compiler.file);
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

fs::path Workspace::worker(Build build) const { return folder_ / to_string(build) / "worker"; }

Built Workspace::build_worker(Build build) {
    const fs::path output = folder_ / to_string(build);
    Words options = toolchain_.compile.at(build);
    append(options, prelude_.at(build));
    append(options, sources_shown_in("."));
    // Of one build, since the other would say the same again. This one's optimiser sees more.
    const Objects objects = compile(output, build, options, build == Build::plain ? Warnings::told : Warnings::silent);
    Words inputs = toolchain_.main.at(build);
    append(inputs, toolchain_.libraries.at(submission_.exercise).at(build));
    return link(worker(build), objects, inputs, {}, build);
}

std::vector<std::string> Workspace::own_library_functions(Build build) const {
    Words objects;
    for (const SourceFile& source : submission_.files)
        if (source.is_compiled()) objects.push_back((folder_ / to_string(build) / source.object_name()).string());
    const auto listed = list_functions({}, objects);
    auto functions = library_functions_listed(listed.output);
    if (listed.output_truncated || listed.timed_out || !listed.ended.success())
        functions.emplace_back("functions (more than can be listed)");
    return functions;
}

std::vector<std::optional<ThrowSite>> Workspace::throw_sites(Build build, const std::vector<WayToThrow>& ways) const {
    constexpr std::size_t most_printed = std::size_t{1} << 20U;
    Words arguments{"/usr/bin/addr2line", "--addresses", "--inlines", "--exe", worker(build).string()};
    for (const WayToThrow& way : ways)
        for (const std::int64_t address : way) arguments.push_back(fmt::format("{:#x}", address));
    const auto finished = run_tool(arguments, {worker(build).parent_path().string()}, {}, most_printed);
    return build::throw_sites(finished.output, ways, submission_.files);
}

/// Not from the precompiled header, which needs equal options.
Built Workspace::build_special_worker(const fs::path& output, Build build, const Words& more_options,
                                      const Words& link_options) {
    Words options = toolchain_.compile.at(build);
    append(options, sources_shown_in(submission_.folder));
    append(options, more_options);  // of options that contradict each other, the last one counts
    const Objects objects = compile(output, build, options);
    Words inputs = toolchain_.main.at(build);
    append(inputs, toolchain_.libraries.at(submission_.exercise).at(build));
    return link(output / "worker", objects, inputs, link_options, build);
}

Built Workspace::build_worker_to_debug(Build build) {
    return build_special_worker(folder_ / "debug" / to_string(build), build, unoptimised, {});
}

Workspace::Objects Workspace::compile_for_lab() {
    Words options = toolchain_.compile.at(Build::plain);
    append(options, {"-O2"});  // of options that contradict each other, the last one counts
    append(options, sources_shown_in(submission_.folder));
    return compile(folder_ / "lab", Build::plain, options);
}

Built Workspace::link_lab(const LabParts& lab, const Objects& objects) {
    return link(folder_ / "lab" / lab.name, objects, lab.libraries, toolchain_.lab_link, Build::plain);
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
    const Objects objects = with_test.compile(output, Build::plain, options);
    Words inputs = toolchain_.libraries.at(submission_.exercise).at(Build::plain);
    append(inputs, toolchain_.gtest);
    return with_test.link(output / "visible_test", objects, inputs, {}, Build::plain);
}

}  // namespace headway::build
