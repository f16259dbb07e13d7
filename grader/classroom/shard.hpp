#pragma once

#include "classroom/ledger.hpp"

#include "sandbox/descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// A part of a class that another machine grades, in a folder that both see:
///     manifest   what to grade, and what with (CBOR); never changed
///     results    a line for everything that happened to a job: sha256 of what follows, a space, JSON. Only appended
///     to.
/// If a run is interrupted or killed, the next one reads `results` and goes on. A line that is cut off, or that two
/// writers mixed, does not fit its sha256 and counts as never written.
namespace headway::classroom {

/// A shard's folder cannot be read or written; the message says what to do.
struct ShardError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Manifest {
    std::uint64_t seed = 0;
    std::map<std::string, std::string> suites;  ///< exercise -> digest of what it is judged with
    std::vector<std::pair<gradebook::Job, build::Submission>> work;
};

/// @throws ShardError
void write_manifest(const std::filesystem::path& shard, const Manifest& manifest);
Manifest read_manifest(const std::filesystem::path& shard);

/// One line of results.
struct ResultEntry {
    enum class Kind { begun, verdict, outage };

    Kind kind = Kind::begun;
    gradebook::Job job;
    gradebook::Graded graded = {};  ///< of a verdict
    std::string problem = {};       ///< of an outage
};

/// What of a shard's results has not been read yet.
class ResultReader {
public:
    explicit ResultReader(std::filesystem::path shard) : shard_(std::move(shard)) {}

    /// Calls `entry` for each whole line since the last call. A file that is not there yet has none.
    void read(const std::function<void(ResultEntry)>& entry);

private:
    std::filesystem::path shard_;
    std::int64_t offset_ = 0;
};

/// A shard, for who grades it.
class Shard : public Ledger {
public:
    /// @throws ShardError
    explicit Shard(std::filesystem::path folder);

    std::uint64_t seed() const { return manifest_.seed; }
    const std::map<std::string, std::string>& suites() const { return manifest_.suites; }

    std::vector<gradebook::Job> pending() const;
    std::size_t count_pending() override { return pending().size(); }
    /// All of it, at the beginning: a shard is small.
    std::vector<gradebook::Job> pending_after(const gradebook::Job& last) override;
    build::Submission source(const gradebook::Job& job) override;
    void begin(const gradebook::Job& job) override;
    void store(const gradebook::Job& job, const gradebook::Graded& graded) override;
    void store_outage(const gradebook::Job& job, const std::string& problem) override;

private:
    void append(const ResultEntry& entry);

    std::filesystem::path folder_;
    Manifest manifest_;
    std::set<std::string> done_;  ///< sources
    sandbox::Descriptor results_;
};

}  // namespace headway::classroom
