#include "suites/10_tiled_attention/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway::judge::tiled {
namespace {

/// What a worker has written to that holds nothing of the submission's: the runtime's data, its first heap, stacks, and
/// the processes of the jail around it.
constexpr std::uint64_t of_an_idle_worker = std::uint64_t{1} << 20U;

std::uint64_t over(std::uint64_t some, std::uint64_t due) { return some - std::min(some, due); }

}  // namespace

std::string too_much(const Memory& memory, const Sizes& n, const std::string& call) {
    return fmt::format(
        "your tiled_attention needed {} kB{} beside arguments and result, static data included: {:.1f} bytes for each "
        "of {}{} x {} scores. A score takes 4, a flag of a mask 1, and a tile is 64 x 64",
        memory.extra() / 1000, call.empty() ? "" : " " + call,
        4.0 * static_cast<double>(memory.extra()) / static_cast<double>(memory.scores),
        n.H > 1 ? fmt::format("{} x ", n.H) : "", n.T, n.S);
}

Answered ask_measured(Student& student, Random& random, const Inputs& in, const Mask& mask, bool causal, Index tile) {
    student.fresh_measured_worker(sandbox::Offspring::counted);
    Arguments arguments = in.with(mask, causal, tile);
    std::uint64_t given = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const Tensor dense = std::get<Tensor>(arguments[i].value).contiguous();
        given += static_cast<std::uint64_t>(dense.numel()) * sizeof(float);
        arguments[i].value = student.store(dense);
    }
    const Inputs small(random, random_sizes(random));
    student.outcome("tiled_attention", small.with(Mask{}, causal, 3));  // code that runs first is loaded first
    const Student::Measured measured = student.measured("tiled_attention", arguments);
    if (!measured.is_known) return {measured.answer, std::nullopt};
    const Sizes& n = in.n;
    const auto output = static_cast<std::uint64_t>(n.B * n.H * n.T * n.d_v) * sizeof(float);
    return {measured.answer, Memory{over(measured.before, of_an_idle_worker + given), over(measured.growth, output),
                                    static_cast<std::uint64_t>(n.B * n.H * n.T * n.S) * sizeof(float)}};
}

}  // namespace headway::judge::tiled
