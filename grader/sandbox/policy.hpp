#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace headway::sandbox {

constexpr std::uint64_t mebibytes(std::uint64_t count) { return count << 20U; }

/// What a submission may use up: policy.toml, as far as it is about the jail.
struct Policy {
    struct Worker {
        std::chrono::seconds call_cpu{3};     ///< computing or asleep
        std::chrono::seconds all_calls{88};   ///< of one exercise, in both builds and for its diagnosis: the same time
        std::chrono::seconds call_wall{300};  ///< then this machine is too busy to grade: no fault of a submission's
        std::uint64_t memory = mebibytes(1024);
        std::uint64_t processes = 640;  ///< and threads: each row of an answer, of 546 at most, may have one
        std::uint64_t files = 64;       ///< open at once, in each process: all of them share the machine's
        std::uint64_t folder = mebibytes(64);
        std::uint64_t output = mebibytes(16);  ///< printed in one call
    };
    struct Compiler {
        std::chrono::seconds cpu{60};       ///< of one run of the compiler or linker
        std::chrono::seconds all_cpu{180};  ///< of all files of an exercise, in all builds
        std::chrono::seconds wall{300};
        std::uint64_t memory = mebibytes(4096);
        std::uint64_t processes = 512;  ///< mold starts a thread for each processor
        std::uint64_t files = 1024;
        std::uint64_t folder = mebibytes(512);  ///< also of all objects of a build together
        std::uint64_t file = mebibytes(64);
        std::uint64_t diagnostics = std::uint64_t{64} << 10U;  ///< bytes
    };
    struct Judge {
        std::uint64_t memory = mebibytes(2048);
    };
    Worker worker;
    Compiler compiler;
    Judge judge;
    std::set<std::string> switched_off;  ///< protections by name: for proving that each one is needed

    /// Everything above, for a digest.
    std::string text() const;
};

/// Defaults where the file or an entry is missing. @throws std::runtime_error naming the entry and what is
/// wrong with it; toml::parse_error
Policy read_policy(const std::filesystem::path& file);

}  // namespace headway::sandbox
