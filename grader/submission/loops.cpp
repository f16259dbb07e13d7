#include "submission/loops.hpp"

#include "submission/loop_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace headway::build {
namespace {

/// Loops around a line, the innermost ones: each is read from its function's beginning.
constexpr std::ptrdiff_t most_told = 16;

/// Those that the line stands in, outermost first.
std::vector<Extent> extents_around(const LoopReader& read, const FunctionAround& function, int line) {
    std::vector<Extent> extents = read.loops();
    std::erase_if(extents, [&](const Extent& loop) {
        const std::size_t last = std::min(loop.end, function.words.size() - 1);
        return function.words[loop.begin].line > line || line > function.words[last].line;
    });
    if (std::ssize(extents) > most_told) extents.erase(extents.begin(), extents.end() - most_told);
    return extents;
}

}  // namespace

std::optional<SkippedStep> skipped_step(const FunctionAround& function, int line) {
    const LoopReader read(function.words);
    const std::vector<Extent> loops = read.loops();
    const auto loop = std::ranges::find(loops, line, [&](const Extent& one) { return function.words[one.begin].line; });
    return loop == loops.end() ? std::nullopt : read.skipped_step(*loop);
}

std::optional<OtherCounter> other_counter_around(const FunctionAround& function, int line) {
    const LoopReader read(function.words);
    const std::vector<Extent> extents = extents_around(read, function, line);
    for (auto loop = extents.rbegin(); loop != extents.rend(); ++loop)
        if (auto told = read.other_counter(*loop)) return told;
    return {};
}

std::vector<Loop> loops_around(const FunctionAround& function, int line) {
    const LoopReader read(function.words);
    const std::vector<Extent> extents = extents_around(read, function, line);
    std::vector<Loop> around;
    around.reserve(extents.size());
    for (const Extent& loop : extents) {
        Names names;
        Loop& one = around.emplace_back(Loop{function.words[loop.begin].line, read.ends(loop, names)});
        if (one.ends == Loop::Ends::never_by_head) one.unchanged = {names.begin(), names.end()};
        Names of_loop;
        if (one.ends == Loop::Ends::perhaps && read.ends(loop, of_loop, HandedOver::stays) == Loop::Ends::never_by_head)
            one.handed_over = {of_loop.begin(), of_loop.end()};
    }
    return around;
}

}  // namespace headway::build
