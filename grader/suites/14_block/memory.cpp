#include "suites/14_block/memory.hpp"

#include "student/expect.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace headway::judge::block {
namespace {

/// What is wide in them: each keeps far more numbers between its maps than there are in x. Sequences are few: a program
/// may give each a thread, and what threads need would be measured.
constexpr BlockSizes wide{16, 64, 4, 64};

/// What the MLP of one block of `wide` has between its maps, before the activation or behind it.
constexpr std::uint64_t of_one_block = sizeof(float) * wide.B * wide.T * wide.F;

/// How often stack_backward calls attention.
struct Calls {
    Index forward, backward;
};

struct Measured {
    Calls calls;
    std::optional<std::uint64_t> growth;  ///< in bytes, at the peak; nothing where the kernel does not tell
};

/// The worker's own word: what is no count counts as very many.
Index count_of(float number) {
    constexpr float very_many = 1e6F;
    return static_cast<Index>(number >= 0 && number < very_many ? number : very_many);
}

/// Asks for the gradients of L blocks, and measures from outside, in a worker of its own: freed memory of earlier calls
/// would hide a new allocation.
Measured stack_measured(Student& student, Random& random, const BlockSizes& n, Index L) {
    const char* const function = "calls_of_stack_backward";
    student.fresh_worker();
    Arguments arguments = BlockInputs(random, n, L).backward();
    for (wire::Field& argument : arguments)
        if (const auto* tensor = std::get_if<Tensor>(&argument.value))
            argument.value = student.store(tensor->contiguous());
    student.outcome(function, BlockInputs(random, {2, 3, 4, 5}, 2).backward());  // code that runs first is loaded first
    const Student::Measured measured = student.measured(function, arguments);
    expect_shape({"counts of calls", Stage::none, {"direction"}}, measured.answer.shape(), {2});
    Measured result{{count_of(measured.answer(0)), count_of(measured.answer(1))}, std::nullopt};
    if (measured.is_known) result.growth = measured.growth;
    return result;
}

/// Of a function that the worker calls for one that counts.
void expect_of(const std::string& function, bool holds, const std::string& message) {
    if (holds) return;
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::wrong_behaviour;
    failure.function = function;
    failure.message = "your " + function + " " + message;
    fail(std::move(failure));
}
void expect_of_stack(bool holds, const std::string& message) { expect_of("stack_backward", holds, message); }

}  // namespace

void expect_one_call_back(Student& student, const BlockInputs& in) {
    const Tensor calls = student.tensor("calls_of_block_backward", in.backward());
    expect_shape({"counts of calls", Stage::none, {"direction"}}, calls.shape(), {2});
    const Index backward = count_of(calls(1));
    expect_of("block_backward", backward == 1,
              "calls attention.backward " + std::to_string(backward) + " times where the order is " + in.order +
                  "; each call adds to the gradients of attention's own weights, so one is right");
}

void expect_checkpoints(Student& student, Random& random, bool is_measured) {
    for (const Index few : {1, 3}) {
        const Tensor calls =
            student.tensor("calls_of_stack_backward", BlockInputs(random, {2, 3, 4, 5}, few).backward());
        expect_shape({"counts of calls", Stage::none, {"direction"}}, calls.shape(), {2});
        expect_of_stack(count_of(calls(1)) == few, "calls attention.backward " + std::to_string(count_of(calls(1))) +
                                                       " times for " + std::to_string(few) +
                                                       " blocks; each call adds to the gradients of attention's own "
                                                       "weights");
    }
    constexpr Index L = 6;
    const BlockSizes n = is_measured ? wide : BlockSizes{2, 3, 4, 5};
    const Measured few = stack_measured(student, random, n, L), many = stack_measured(student, random, n, 2 * L);
    const auto [forward, backward] = many.calls;
    const std::string blocks = std::to_string(2 * L) + " blocks";
    expect_of_stack(forward <= 3 * 2 * L, "calls attention.forward " + std::to_string(forward) + " times for " +
                                              blocks + "; three times for each are enough");
    expect_of_stack(backward == 2 * L, "calls attention.backward " + std::to_string(backward) + " times for " + blocks +
                                           "; each call adds to the gradients of attention's own weights");
    if (!is_measured) return;
    if (!few.growth || !many.growth) {
        remark_unmeasured_memory(student, "stack_backward");
        return;
    }
    std::uint64_t more = *many.growth - std::min(*few.growth, *many.growth);
    // What threads take besides varies by chance; what is kept of all blocks is there each time.
    constexpr int times = 3;
    for (int again = 1; again < times && more >= L * of_one_block * 2 / 3; ++again) {
        const Measured once_few = stack_measured(student, random, n, L);
        const Measured once_many = stack_measured(student, random, n, 2 * L);
        if (!once_few.growth || !once_many.growth) return;
        more = std::min(more, *once_many.growth - std::min(*once_few.growth, *once_many.growth));
    }
    expect_of_stack(more < L * of_one_block * 2 / 3,
                    "needs " + std::to_string(more / 1000) + " kB more for " + std::to_string(L) +
                        " blocks more; what lies between the maps of one block takes " +
                        std::to_string(of_one_block / 1000) + " kB, so you keep it of all blocks at once");
}

}  // namespace headway::judge::block
