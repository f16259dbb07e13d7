#include "build/toolchain.hpp"

#include "submission/digest.hpp"

#include <nlohmann/json.hpp>

#include <mutex>
#include <stdexcept>

namespace headway::build {
namespace {

PerBuild<Words> per_build(const nlohmann::json& document) {
    PerBuild<Words> result;
    for (const Build build : builds) {
        if (build == Build::sanitized && !document.contains(to_string(build))) continue;
        const auto& words = document.at(to_string(build));
        result[build] = words.is_string() ? Words{words.get<std::string>()} : words.get<Words>();
    }
    return result;
}

/// The digest of a large file that seldom changes: who grades many submissions reads it once.
std::string digest_of_prebuilt(const std::filesystem::path& file) {
    static std::mutex mutex;
    static std::map<std::string, std::string> known;
    const std::lock_guard lock(mutex);
    const std::string now = identity(file);
    if (const auto found = known.find(now); found != known.end()) return found->second;
    return known[now] = Digest().add_file(file).hex();
}

}  // namespace

std::string to_string(Build build) { return build == Build::plain ? "plain" : "sanitized"; }

Toolchain Toolchain::load(const std::filesystem::path& file) try {
    const auto document = nlohmann::json::parse(read_file(file));
    Toolchain toolchain;
    toolchain.compiler = document.at("compiler");
    toolchain.compiler_version = document.at("compiler_version");
    toolchain.include = document.at("include");
    toolchain.system_include = document.at("system_include");
    toolchain.judge = document.at("judge").get<std::string>();
    toolchain.orderly = document.at("orderly");
    toolchain.compile = per_build(document.at("compile"));
    toolchain.link = per_build(document.at("link"));
    toolchain.prelude = per_build(document.at("prelude"));
    toolchain.prelude_eigen = per_build(document.at("prelude_eigen"));
    toolchain.main = per_build(document.at("main"));
    toolchain.gtest = document.at("gtest").get<Words>();
    for (const auto& entry : document.at("exercises")) {
        toolchain.exercises.push_back(entry.at("name"));
        toolchain.libraries[entry.at("name")] = per_build(entry);
    }
    toolchain.lab_link = document.at("lab_link").get<Words>();
    for (const auto& entry : document.at("labs"))
        toolchain.labs.push_back({entry.at("name"), entry.at("purpose"), entry.at("exercises"), entry.at("optional"),
                                  entry.at("libraries")});
    return toolchain;
} catch (const std::exception& error) {
    throw std::runtime_error("the grader is not built completely (" + std::string(error.what()) +
                             "); run ./headway doctor, then ./headway again");
}

bool Toolchain::builds(const std::string& exercise, Build build) const {
    return libraries.at(exercise).contains(build);
}

std::string Toolchain::digest(const std::string& exercise) const {
    Digest digest;
    digest.add(compiler).add(compiler_version).add_file(include + "/headway/tensor.hpp");
    for (const auto& program : {judge, judge.parent_path() / "headway-attention"})
        digest.add(digest_of_prebuilt(program));
    for (const auto& [build, linked] : libraries.at(exercise)) {
        for (const Words* words : {&compile.at(build), &link.at(build)})
            for (const std::string& word : *words) digest.add(word);
        for (const Words* files : {&main.at(build), &linked})
            for (const std::string& file : *files) digest.add(digest_of_prebuilt(file));
    }
    return digest.hex();
}

}  // namespace headway::build
