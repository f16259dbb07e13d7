#include "classroom/shard.hpp"

#include "submission/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headway::classroom {
namespace {

namespace fs = std::filesystem;
using gradebook::Job;
using nlohmann::json;

constexpr std::size_t digest_size = 64;  ///< sha256 in hexadecimal

fs::path manifest_of(const fs::path& shard) { return shard / "manifest"; }
fs::path results_of(const fs::path& shard) { return shard / "results"; }

json to_json(const build::SourceFile& file) {
    // Bytes: what students hand in need not be UTF-8.
    return {{"path", file.path.string()}, {"text", json::binary({file.text.begin(), file.text.end()})}};
}

build::SourceFile file_from(const json& document) {
    const json::binary_t& text = document.at("text").get_binary();
    return {document.at("path").get<std::string>(), std::string(text.begin(), text.end())};
}

std::string line_of(const ResultEntry& entry) {
    json document = {{"source", entry.job.source}, {"suite", entry.job.suite}, {"exercise", entry.job.exercise}};
    switch (entry.kind) {
        case ResultEntry::Kind::begun:
            break;
        case ResultEntry::Kind::verdict:
            document["verdict"] = verdict::to_json(entry.graded.exercise);
            document["log"] = entry.graded.log;
            document["graded"] = entry.graded.graded;
            break;
        case ResultEntry::Kind::outage:
            document["outage"] = entry.problem;
            break;
    }
    const std::string text = document.dump(-1, ' ', false, json::error_handler_t::replace);
    return build::Digest().add(text).hex() + " " + text + "\n";
}

ResultEntry entry_from(const json& document) {
    ResultEntry entry;
    entry.job = {document.at("exercise"), document.at("source"), document.at("suite")};
    if (document.contains("verdict")) {
        entry.kind = ResultEntry::Kind::verdict;
        entry.graded = {verdict::exercise_from_json(document.at("verdict")), document.at("log"), document.at("graded")};
    } else if (document.contains("outage")) {
        entry.kind = ResultEntry::Kind::outage;
        entry.problem = document.at("outage");
    }
    return entry;
}

/// Nothing where another version of Headway wrote what this one cannot read: then it is graded again.
std::optional<ResultEntry> entry_in(std::string_view text) try {
    return entry_from(json::parse(text));
} catch (const std::exception&) {
    return std::nullopt;
}

bool is_intact(const std::string& line) {
    return line.size() > digest_size && line[digest_size] == ' ' &&
           line.compare(0, digest_size, build::Digest().add(std::string_view(line).substr(digest_size + 1)).hex()) == 0;
}

}  // namespace

void write_manifest(const fs::path& shard, const Manifest& manifest) {
    json work = json::array();
    for (const auto& [job, submission] : manifest.work) {
        json files = json::array();
        for (const build::SourceFile& file : submission.files) files.push_back(to_json(file));
        work.push_back({{"exercise", job.exercise},
                        {"source", job.source},
                        {"suite", job.suite},
                        {"attempt", job.attempt},
                        {"files", files}});
    }
    const auto bytes = json::to_cbor({{"seed", manifest.seed}, {"suites", manifest.suites}, {"work", std::move(work)}});
    try {
        fs::create_directories(shard);
        build::write_file(manifest_of(shard), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    } catch (const std::exception& error) {
        throw ShardError(fmt::format("cannot write {}: {}", manifest_of(shard).string(), error.what()));
    }
}

Manifest read_manifest(const fs::path& shard) try {
    const json document = json::from_cbor(build::read_file(manifest_of(shard)));
    Manifest manifest{document.at("seed"), document.at("suites"), {}};
    for (const json& one : document.at("work")) {
        build::Submission submission{one.at("exercise"), {}, {}, {}};
        for (const json& file : one.at("files")) submission.files.push_back(file_from(file));
        manifest.work.emplace_back(Job{one.at("exercise"), one.at("source"), one.at("suite"), one.at("attempt")},
                                   std::move(submission));
    }
    return manifest;
} catch (const std::exception& error) {
    throw ShardError(
        fmt::format("{} is no shard of a class that this machine can read ({}). Shards are made by ./headway class "
                    "grade --engine slurm, and lie beside the gradebook, where every node must see them",
                    shard.string(), error.what()));
}

void ResultReader::read(const std::function<void(ResultEntry)>& entry) {
    std::ifstream file(results_of(shard_), std::ios::binary);
    file.seekg(offset_);
    std::string line;
    while (std::getline(file, line) && !file.eof()) {  // what has no end of line yet may still get one
        offset_ += static_cast<std::int64_t>(line.size()) + 1;
        if (!is_intact(line)) continue;
        if (auto read = entry_in(std::string_view(line).substr(digest_size + 1))) entry(std::move(*read));
    }
}

Shard::Shard(fs::path folder)
    : folder_(std::move(folder)),
      manifest_(read_manifest(folder_)),
      results_(::open(results_of(folder_).c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600)) {
    if (!results_)
        throw ShardError(fmt::format("cannot write {}: {}", results_of(folder_).string(), std::strerror(errno)));
    // What was cut off must not spoil the next line.
    struct stat status {};
    char last = '\n';
    if (::fstat(results_.get(), &status) == 0 && status.st_size > 0 &&
        ::pread(results_.get(), &last, 1, status.st_size - 1) == 1 && last != '\n' &&
        ::write(results_.get(), "\n", 1) != 1)
        throw ShardError(fmt::format("cannot write {}: {}", results_of(folder_).string(), std::strerror(errno)));
    ResultReader(folder_).read([&](const ResultEntry& entry) {
        if (entry.kind == ResultEntry::Kind::verdict) done_.insert(entry.job.source);
    });
}

std::vector<Job> Shard::pending_after(const Job& last) { return last.source.empty() ? pending() : std::vector<Job>(); }

std::vector<Job> Shard::pending() const {
    std::vector<Job> jobs;
    for (const auto& [job, submission] : manifest_.work)
        if (!done_.contains(job.source)) jobs.push_back(job);
    return jobs;
}

build::Submission Shard::source(const Job& job) {
    const auto found =
        std::ranges::find_if(manifest_.work, [&](const auto& one) { return one.first.source == job.source; });
    if (found == manifest_.work.end() || found->second.digest() != job.source)
        throw std::runtime_error("what was handed in is damaged in the shard " + folder_.string());
    return found->second;
}

void Shard::begin(const Job& job) { append({ResultEntry::Kind::begun, job}); }

void Shard::store(const Job& job, const gradebook::Graded& graded) {
    if (done_.insert(job.source).second) append({ResultEntry::Kind::verdict, job, graded});
}

void Shard::store_outage(const Job& job, const std::string& problem) {
    append({ResultEntry::Kind::outage, job, {}, problem});
}

void Shard::append(const ResultEntry& entry) {
    const std::string line = line_of(entry);
    // In one call, so that a second writer's line comes before or after it; on the disk, so that others see it.
    const ssize_t written = ::write(results_.get(), line.data(), line.size());
    if (written != static_cast<ssize_t>(line.size()) || ::fdatasync(results_.get()) != 0)
        throw ShardError(fmt::format("cannot write {}: {}", results_of(folder_).string(),
                                     written < 0 ? std::strerror(errno) : "the disk is full"));
}

}  // namespace headway::classroom
