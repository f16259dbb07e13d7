#include "sandbox/policy.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace headway::sandbox {
namespace {

Policy policy_from(const std::string& text) {
    const build::TemporaryFolder folder;
    folder.write("policy.toml", text);
    return read_policy(folder.path() / "policy.toml");
}

TEST(Policy, WithoutAFileHasTheDefaults) { EXPECT_EQ(read_policy("/nowhere/policy.toml").text(), Policy{}.text()); }

TEST(Policy, TheFileThatComesWithTheCourseHasTheDefaults) {
    EXPECT_EQ(read_policy(HEADWAY_SOURCE_DIR "/policy.toml").text(), Policy{}.text());
}

TEST(Policy, EntriesHaveTheirUnits) {
    const Policy policy =
        policy_from("[worker]\nmemory_mib = 3\ncall_cpu_seconds = 7\n[compiler]\ndiagnostics_kib = 2\n");
    EXPECT_EQ(policy.worker.memory, mebibytes(3));
    EXPECT_EQ(policy.worker.call_cpu, std::chrono::seconds(7));
    EXPECT_EQ(policy.compiler.diagnostics, 2048U);
    EXPECT_EQ(policy_from("[judge]\nmemory_mib = 5\n").judge.memory, mebibytes(5));
    EXPECT_EQ(policy_from("[worker]\nall_calls_seconds = 9\n").worker.all_calls, std::chrono::seconds(9));
    EXPECT_EQ(policy.worker.processes, Policy{}.worker.processes);
}

TEST(Policy, RefusesWhatItDoesNotKnow) {
    for (const char* text : {"[worker]\nmemory = 3\n", "[worker]\nmemory_mib = -3\n", "[worker]\nmemory_mib = \"3\"\n",
                             "worker = 3\n", "[jail]\nswitched_off = [\"everything\"]\n"})
        EXPECT_THROW(policy_from(text), std::runtime_error) << text;
}

}  // namespace
}  // namespace headway::sandbox
