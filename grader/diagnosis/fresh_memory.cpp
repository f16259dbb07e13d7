#include "diagnosis/fresh_memory.hpp"

#include "diagnosis/lost_worker.hpp"

#include "student/test_record.hpp"
#include "student/time_budget.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <utility>

namespace headway::diagnosis {
namespace {

using std::chrono::steady_clock;

/// What is asked here only shows a line: a function that takes its time is not asked for ever.
constexpr std::chrono::seconds longest_search{5};

/// No question is so large; what a worker says may be.
constexpr Index most_given = Index{1} << 20U;

class MemorySearch {
public:
    MemorySearch(judge::Student& student, const Function& function, const judge::Arguments& arguments,
                 const Agree& agree)
        : student_(student), function_(function), arguments_(arguments), agree_(agree) {}

    std::vector<std::int64_t> frames() {
        first_ = answer_with(0);
        if (!first_.answer.is_value()) return {};
        Index same = 0, other = told().given;
        if (changes_with(0) || !changes_with(other)) return {};
        while (other - same > 1) {
            const Index between = same + (other - same) / 2;
            (changes_with(between) ? other : same) = between;
        }
        // Once more, with number `same` filled in both ways: chance, and threads that race, seldom do so twice.
        if (!changes_with(other) || changes_with(same)) return {};
        return told().frames;
    }

private:
    /// The answer where all memory before number `split` holds one pattern, and the rest another.
    Reply answer_with(Index split) {
        if (steady_clock::now() > end_) throw judge::OutOfTime{};
        student_.test_record() = {};
        student_.run("mark_fresh_memory", {{"split", split}});
        Reply reply = ask(student_, function_, arguments_);
        if (comes_to_no_end(reply)) throw judge::OutOfTime{};
        return reply;
    }

    bool changes_with(Index split) { return !agree_(first_, answer_with(split)); }

    FreshMemory told() { return fresh_memory_as_told(student_.list("fresh_memory", {})); }

    judge::Student& student_;
    const Function& function_;
    const judge::Arguments& arguments_;
    const Agree& agree_;
    steady_clock::time_point end_ = steady_clock::now() + longest_search;
    Reply first_;
};

}  // namespace

bool are_identical(const Reply& a, const Reply& b) {
    const auto& parts = a.answer.parts;
    const auto& others = b.answer.parts;
    if (!a.answer.is_value() || !b.answer.is_value() || parts.size() != others.size()) return false;
    const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (parts[i].first != others[i].first || parts[i].second.shape != others[i].second.shape ||
            !std::ranges::equal(parts[i].second.value, others[i].second.value, same))
            return false;
    return true;
}

FreshMemory fresh_memory_as_told(const Shape& told) {
    const bool is_possible = !told.empty() && told.size() <= 1 + wire::most_frames &&
                             std::ranges::all_of(told, [](Index number) { return number >= 0; });
    if (!is_possible) return {};
    return {std::min(told.front(), most_given), {told.begin() + 1, told.end()}};
}

std::vector<std::int64_t> maker_of_unwritten_memory(judge::Student& student, const Function& function,
                                                    const judge::Arguments& arguments, const Agree& agree) {
    std::vector<std::int64_t> frames;
    try {
        frames = MemorySearch(student, function, arguments, agree).frames();
    } catch (const judge::StopTest&) {   // a worker that does not know what the course's own do
    } catch (const judge::OutOfTime&) {  // what has been found without a line is told
    }
    student.fresh_worker();
    return frames;
}

}  // namespace headway::diagnosis
