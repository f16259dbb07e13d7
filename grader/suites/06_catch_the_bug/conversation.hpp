#pragma once

#include "suites/06_catch_the_bug/attentions/roster.hpp"

#include "student/worker_link.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headway::judge {

/// What the submitted tests said of one attention.
struct Encounter {
    /// Where they did not come to their end: ", in Suite.Name, crashed: SIGSEGV". Completes "your tests".
    std::string how_lost() const;
    /// Whether the program ended before any of them could run.
    bool none_reached() const;
    /// What the first failed test said; empty if none failed.
    std::string first_words() const { return words.contains(first_failed) ? words.at(first_failed) : std::string(); }

    const roster::Entry* attention = nullptr;
    std::set<std::string> there;   ///< the tests that there were: "Suite.Name"
    std::set<std::string> passed;  ///< of these; a test that was skipped neither passed nor failed
    std::set<std::string> failed;
    std::string first_failed;                  ///< the first of them that is told: see throws_out_of_range()
    std::map<std::string, std::string> words;  ///< what each failed test said first
    std::vector<std::int64_t> thrown_at;       ///< where the first one threw what ended it; empty if that is not known
    std::optional<NoAnswer> lost;              ///< why the tests did not come to their end
    std::string running;                       ///< the test that ran then, as the tests' program says; empty: none
    std::map<std::string, int> asked;          ///< how often each test has asked, "" what runs outside of them
    std::chrono::nanoseconds computed{};       ///< by the tests and the attention
};

/// Whether what a test said is that an index is past the end of an axis. The first of these is told, if there is any,
/// else the first test that failed, in the order they ran.
bool throws_out_of_range(const std::string& words);

/// The program that holds all attentions: a process that the judge puts questions to.
class AttentionProcess {
public:
    /// @param tests   their limits: what is asked of it is their doing, and so is the time that it takes
    /// @param counts  where it leaves which of the reference's lines were run; empty: nowhere
    AttentionProcess(const CallLimits& tests, std::uint64_t seed, const std::filesystem::path& counts = {});

    /// What that attention answers: its answer, or {"refused": why}.
    /// @throws NoAnswer if it is nothing that can be asked   @throws MachineTooBusy
    wire::Value answer(const std::string& id, const wire::Value& question);

    std::chrono::nanoseconds time_used() const { return link_.time_used(); }
    /// Lets it end, so that it writes its counts.
    void finish() { link_.finish(); }

private:
    WorkerLink link_;
    std::uint64_t seed_, calls_ = 0;
};

using Answering = std::function<wire::Value(const wire::Value& question)>;

/// Runs the tests, up to their report.
/// @param patience  what they may compute
/// @throws NoAnswer
void converse(WorkerLink& tests, const Answering& answer, std::chrono::milliseconds patience, Encounter& met);

}  // namespace headway::judge
