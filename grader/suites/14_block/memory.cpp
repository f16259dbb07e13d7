#include "suites/14_block/memory.hpp"

#include "student/expect.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace headway::judge::block {
namespace {

/// Blocks of a stack that is measured; one of twice as many is measured beside it.
constexpr Index few_blocks = 6;

/// What is wide in them: each keeps far more numbers between its maps than there are in x. Sequences are few: a program
/// may give each a thread, and what threads need would be measured.
constexpr BlockSizes wide{16, 64, 4, 64};

/// What the MLP of one block of `wide` has between its maps, before the activation or behind it.
constexpr std::uint64_t of_one_block = sizeof(float) * wide.B * wide.T * wide.F;

/// What is wide in them is x: norms, attention, sums and the MLP each give as many numbers. Tokens are few: a program
/// may go through all features of a token for each of them.
constexpr BlockSizes narrow{4, 64, 64, 4};

constexpr std::uint64_t input_of_narrow = sizeof(float) * narrow.B * narrow.T * narrow.D;

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
    student.fresh_measured_worker(sandbox::Offspring::counted);
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

struct Doubled {
    Calls calls;                        ///< of twice as many blocks
    std::optional<std::uint64_t> more;  ///< bytes that they take more than the few
};

Doubled doubled(Student& student, Random& random, const BlockSizes& n) {
    const Measured few = stack_measured(student, random, n, few_blocks),
                   many = stack_measured(student, random, n, 2 * few_blocks);
    Doubled result{many.calls, std::nullopt};
    if (few.growth && many.growth) result.more = *many.growth - std::min(*few.growth, *many.growth);
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

/// @param more  what twice as many blocks of n took more   @param so  what follows if that is not below `bound`
void expect_below(Student& student, Random& random, const BlockSizes& n, std::optional<std::uint64_t> more,
                  std::uint64_t bound, const std::string& so) {
    // What threads take besides varies by chance; what is kept of all blocks is there each time.
    constexpr int times = 3;
    for (int again = 1; again < times && more && *more >= bound; ++again) {
        const auto once_more = doubled(student, random, n).more;
        more = once_more ? std::optional(std::min(*more, *once_more)) : std::nullopt;
    }
    if (!more) return;
    expect_of_stack(*more < bound, "needs " + std::to_string(*more / 1000) + " kB more for " +
                                       std::to_string(few_blocks) + " blocks more; " + so);
}

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
    const Doubled first = doubled(student, random, is_measured ? wide : BlockSizes{2, 3, 4, 5});
    const auto [forward, backward] = first.calls;
    const std::string blocks = std::to_string(2 * few_blocks) + " blocks";
    expect_of_stack(forward <= 3 * 2 * few_blocks, "calls attention.forward " + std::to_string(forward) +
                                                       " times for " + blocks + "; three times for each are enough");
    expect_of_stack(backward == 2 * few_blocks, "calls attention.backward " + std::to_string(backward) + " times for " +
                                                    blocks +
                                                    "; each call adds to the gradients of attention's own weights");
    if (!is_measured) return;
    if (!first.more) {
        remark_unmeasured_memory(student, "stack_backward");
        return;
    }
    expect_below(student, random, wide, first.more, few_blocks * of_one_block * 2 / 3,
                 "what lies between the maps of one block takes " + std::to_string(of_one_block / 1000) +
                     " kB, so you keep it of all blocks at once");
    // For each block there are at most its input and its gradient of x: two. What is between them would be three more,
    // or five with what the sub-layers give.
    expect_below(student, random, narrow, doubled(student, random, narrow).more, few_blocks * input_of_narrow * 7 / 2,
                 "x takes " + std::to_string(input_of_narrow / 1000) +
                     " kB, and for each block there are an input and a gradient as large, so you keep more of it");
}

}  // namespace headway::judge::block
