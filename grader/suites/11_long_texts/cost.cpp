#include "suites/11_long_texts/cost.hpp"

#include "reference/attention.hpp"
#include "student/expect.hpp"

#include <algorithm>
#include <chrono>

namespace headway::judge::long_texts {
namespace {

constexpr const char* measured_function = "window_attention";

/// What a worker has written to that holds nothing of the submission's: the runtime's data, its first heap, stacks, and
/// the processes of the jail around it.
constexpr std::uint64_t of_an_idle_worker = std::uint64_t{1} << 20U;
std::uint64_t over(std::uint64_t some, std::uint64_t due) { return some - std::min(some, due); }

std::uint64_t bytes(const Tensor& tensor) { return static_cast<std::uint64_t>(tensor.numel()) * sizeof(float); }

Student::Measured ask_measured(Student& student, const Inputs& in) {
    Arguments arguments = in.arguments();
    std::vector<wire::Handle> kept;
    for (wire::Field& argument : arguments)
        if (const auto* tensor = std::get_if<Tensor>(&argument.value)) {
            kept.push_back(student.store(tensor->contiguous()));
            argument.value = kept.back();
        }
    Student::Measured measured = student.measured(measured_function, arguments);
    for (const wire::Handle handle : kept) student.forget(handle);
    if (measured.started_processes)
        expect(false, Stage::none,
               "your window_attention starts processes, whose time and memory cannot be measured here; compute in the "
               "one that was called (threads are fine)");
    return measured;
}

/// Keys of a text whose query t sees, from the definition.
std::vector<Index> seen_by(const Inputs& in, Index t) {
    const Index T = in.q.size(2), S = in.k.size(2);
    std::vector<Index> seen;
    for (Index s = 0; s < S; ++s) {
        const Windows::Pair pair{t, s, T, S};
        const Windows& right = Windows::right();
        const bool padding = in.looks.padding.defined() && in.looks.padding(0, 0, 0, s);
        if (right.sees({right.in_window(pair, in.looks.w), right.opened_by(pair, in.looks.globals), s > pair.p(),
                        padding, false, false, false, pair.p() < in.looks.w}))
            seen.push_back(s);
    }
    return seen;
}

const CheckedPart context_rows{"context vectors", Stage::weigh, {"b", "h", "query", "feature"}};

Tensor at(const Tensor& x, const std::vector<Index>& positions) {
    Tensor some = Tensor::empty({x.size(0), x.size(1), static_cast<Index>(positions.size()), x.size(3)});
    for (std::size_t i = 0; i < positions.size(); ++i)
        some.select(2, static_cast<Index>(i)).copy_from(x.select(2, positions[i]));
    return some;
}

Array expected_row(const Inputs& in, Index t) {
    const std::vector<Index> seen = seen_by(in, t);
    return reference::attention(exact(in.q.slice(2, t, t + 1)), exact(at(in.k, seen)), exact(at(in.v, seen)), Mask{})
        .context;
}

/// What is wrong for few tokens too is another test's business.
bool is_right_for_few(Student& student, Random& random) {
    Inputs few = long_inputs(random, random.integer(50, 80));
    few.looks.w = 8;  // so that global tokens see what windows do not
    const Tensor context = student.outside_story([&] { return student.tensor(measured_function, few.arguments()); });
    return !difference(context_rows, context, few.expected());
}

double milliseconds(const Student::Measured& measured) {
    return std::chrono::duration<double, std::milli>(measured.computed).count();
}

}  // namespace

Inputs long_inputs(Random& random, Index T, Index H) {
    const Sizes n{1, H, T, T, 6, 5};
    return {random, n, {24, {0, T / 3}, random_padding(random, 1, T, Padded::right)}};
}

void expect_some_rows(Student& student, Random& random, const Inputs& in, const Tensor& context) {
    const Index T = in.q.size(2);
    expect_shape(context_rows, context.shape(), {1, in.q.size(1), T, in.v.size(3)});
    std::vector<Index> rows{0, T - 1, in.looks.globals.back()};
    for (int i = 0; i < 12; ++i) rows.push_back(random.integer(0, T - 1));
    for (const Index t : rows) {
        CheckedPart row = context_rows;
        row.name += " of query " + std::to_string(t);
        row.axes[2] = "its row";
        const auto failure = what_is_wrong(student, row, context.slice(2, t, t + 1), expected_row(in, t));
        if (failure && is_right_for_few(student, random)) fail(*failure);
        if (failure) return;
    }
}

namespace {

std::uint64_t given_with(const Inputs& in) { return bytes(in.q) + bytes(in.k) + bytes(in.v); }

/// Bytes that a call takes beside arguments and result.
std::optional<std::uint64_t> taken_by(Student& student, Random& random, const Inputs& in) {
    // In a worker of its own: freed memory of earlier calls would hide a new allocation.
    student.fresh_measured_worker(sandbox::Offspring::none);
    student.outcome(measured_function, long_inputs(random, 64).arguments());  // code that runs first is loaded first
    const Student::Measured measured = ask_measured(student, in);
    expect_some_rows(student, random, in, measured.answer);
    if (!measured.is_known) return std::nullopt;
    return over(measured.before, of_an_idle_worker + given_with(in)) + over(measured.growth, bytes(measured.answer));
}

}  // namespace

std::optional<Memory> memory_of_long_texts(Student& student, Random& random, Index T) {
    const auto of_short = taken_by(student, random, long_inputs(random, T));
    const auto of_long = taken_by(student, random, long_inputs(random, 4 * T));
    if (!of_short || !of_long) return std::nullopt;
    return Memory{*of_short, *of_long, static_cast<std::uint64_t>(16 * T * T) * sizeof(float)};
}

std::optional<WideMemory> memory_of_wide_tokens(Student& student, Random& random) {
    constexpr Index T = 256, w = 64, width = 64;  // short: what looks at every key must end, too
    // So many that scores, weights and some steps between stay below, in double too.
    constexpr std::uint64_t few = 16, copies_of_all = 4;
    const Inputs in(random, {1, 1, T, T, width, width}, {w, {0, T / 3}, random_padding(random, 1, T, Padded::right)});
    const auto taken = taken_by(student, random, in);
    if (!taken) return std::nullopt;
    const auto pairs = static_cast<std::uint64_t>(T * w) * sizeof(float);
    return WideMemory{*taken, of_an_idle_worker + few * pairs + copies_of_all * given_with(in),
                      pairs * static_cast<std::uint64_t>(width)};
}

Times times_of_long_texts(Student& student, Random& random) {
    constexpr double measurable = 20, bearable = 300;  // ms, of the longer text
    constexpr Index longest = 16'384;
    constexpr int calls_of_a_round = 5, rounds = 4;
    const auto ask = [&](Index length) {
        const Inputs in = long_inputs(random, length, 2);  // what is done otherwise for one head shows in memory
        const Student::Measured measured = ask_measured(student, in);
        expect_some_rows(student, random, in, measured.answer);
        return milliseconds(measured);
    };
    student.fresh_measured_worker(sandbox::Offspring::none);  // no group tells the time of what has ended
    Times times;
    times.T = 256;
    while (4 * times.T < longest && ask(4 * times.T) < measurable) times.T *= 2;
    for (int round = 0; round < rounds; ++round) {
        // What each token costs by itself hides the rest in shorter texts, and fades in longer ones.
        if (round > 0 && 4 * times.T < longest && times.of_long.back() < bearable) times = {{}, {}, 2 * times.T};
        for (int call = 0; call < calls_of_a_round; ++call) {
            times.of_short.push_back(ask(times.T));
            times.of_long.push_back(ask(4 * times.T));
        }
        if (times.growth() != Times::Growth::unclear) break;
    }
    return times;
}

}  // namespace headway::judge::long_texts
