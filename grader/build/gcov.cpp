#include "build/gcov.hpp"

#include "sandbox/process.hpp"

namespace headway::build {

nlohmann::json gcov_of(const std::filesystem::path& gcov, const std::filesystem::path& counts) {
    sandbox::Command command;
    command.arguments = {gcov.string(), "--json-format", "--stdout", "--branch-probabilities", counts.string()};
    command.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"};
    command.directory = counts.parent_path();
    const auto finished = sandbox::run(sandbox::trusted(std::move(command), sandbox::Trusted::reference_counts),
                                       std::chrono::seconds(30), std::size_t{64} << 20U);
    const auto document = nlohmann::json::parse(finished.output, nullptr, false);
    return finished.ended.success() && document.is_object() ? document : nlohmann::json();
}

}  // namespace headway::build
