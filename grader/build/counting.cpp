// Which lines of a submission run: the parts of Workspace that build a worker with counters and read what it counted.
#include "build/diagnostics.hpp"
#include "build/stamp.hpp"
#include "build/workspace.hpp"
#include "submission/digest.hpp"

#include <sstream>

namespace headway::build {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_json = std::size_t{16} << 20U;  ///< of gcov, for one worker

}  // namespace

/// Of each source the object and gcov's notes. The compiler notes in the object where its counts are to go; the worker
/// is told otherwise, since that folder is gone by then.
Workspace::Objects Workspace::compile_with_counters(const fs::path& output) {
    fs::create_directories(output);
    Words readable{toolchain_.include, toolchain_.system_include};
    Objects objects;
    for (const SourceFile& source : submission_.files) {
        if (!source.is_compiled()) continue;
        const fs::path object = output / source.object_name();
        Words arguments{toolchain_.compiler};
        append(arguments, toolchain_.compile.at(Build::plain));
        append(arguments,
               {"-O0", "--coverage", "-w", "-I" + toolchain_.include, "-isystem", toolchain_.system_include, "-c",
                "./" + source.path.string(), "-o", (sandbox::Jail::parcel_place() / object.filename()).string()});
        const fs::path parcel_file = output / "parcel";
        const auto finished =
            run_tool(arguments, readable, parcel_file, jail_.policy().compiler.diagnostics, Leaves::a_parcel);
        const sandbox::Parcel parcel = sandbox::open_parcel(parcel_file, 2 * jail_.policy().compiler.file);
        for (const fs::path& name : {object.filename(), object.filename().replace_extension(".gcno")})
            if (const auto found = parcel.find(name.string()); found != parcel.end())
                write_file(output / name, found->second);
        if (!finished.ended.success() || finished.timed_out || !parcel.contains(object.filename().string())) {
            objects.problem = explain_compile(finished, source.path.string(), names_for_student(), submission_.files);
            break;
        }
        stamp(object, Digest().add(parcel.at(object.filename().string())).hex());
        objects.files.push_back(object.string());
    }
    return objects;
}

Built Workspace::build_worker_with_counters() {
    const fs::path output = folder_ / "counted";
    fs::remove_all(output);
    const Objects objects = compile_with_counters(output);
    Words inputs = toolchain_.main.at(Build::plain);
    append(inputs, toolchain_.libraries.at(submission_.exercise).at(Build::plain));
    return link(output / "worker", objects, inputs, {"--coverage"}, Build::plain);
}

void Workspace::read_counts(const sandbox::Parcel& parcel,
                            const std::function<void(const nlohmann::json&)>& use) const {
    const fs::path folder = folder_ / "counted";
    Words arguments{(fs::path(toolchain_.compiler).parent_path() / "gcov").string(), "--json-format", "--stdout"};
    for (const SourceFile& source : submission_.files) {
        if (!source.is_compiled()) continue;
        const fs::path counts = (folder / source.object_name()).replace_extension(".gcda");
        const auto found = parcel.find(counts.filename().string());
        if (found == parcel.end()) continue;
        write_file(counts, found->second);
        arguments.push_back(counts.string());
    }
    std::istringstream lines(run_tool(arguments, {folder.string()}, {}, most_json).output);
    for (std::string line; std::getline(lines, line);) use(nlohmann::json::parse(line, nullptr, false));
}

}  // namespace headway::build
