#include "commands.hpp"

#include <fmt/format.h>

namespace headway::cli {

/// For ./headway doctor: one line a protection.
int run_protections(const Course& course) {
    for (const auto& [name, state] : course.machine().protections) {
        const std::size_t colon = state.find(": ");
        fmt::print("  {:<19} {}\n", name, state.substr(0, colon));
        if (colon != std::string::npos) fmt::print("    {}\n", state.substr(colon + 2, 76));
    }
    return all_passed;
}

}  // namespace headway::cli
