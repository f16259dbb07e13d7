// The judge's own bound: what it is asked to keep beyond that fails here, and takes nothing from the machine.
#include "student/own_memory.hpp"
#include "sandbox/process.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

namespace headway::judge {
namespace {

constexpr std::uint64_t bound = std::uint64_t{1} << 30U;

/// In a process of its own: the bound stays.
int within_bounds() {
    bound_own_memory(bound);
    if (own_memory_ran_out()) return 1;
    try {
        const std::vector<char> too_much(2 * bound);
        return 2;
    } catch (const std::bad_alloc&) {
    }
    if (!own_memory_ran_out()) return 3;
    sandbox::Command command;
    command.arguments = {"/bin/sh", "-c", "ulimit -v"};
    const auto launch = sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway);
    return sandbox::run(launch, std::chrono::seconds(10), 100).output == "unlimited\n" ? 0 : 4;
}

TEST(OwnMemory, EndsWithAnExceptionAndBindsNoWorker) {
#ifdef HEADWAY_ASAN
    GTEST_SKIP() << "AddressSanitizer needs all addresses there are";
#endif
    EXPECT_EXIT(std::_Exit(within_bounds()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace headway::judge
