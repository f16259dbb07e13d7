#include "suites/14_block/memory.hpp"

#include "student/expect.hpp"

namespace headway::judge::block {

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
    Measured result{{static_cast<Index>(measured.answer(0)), static_cast<Index>(measured.answer(1))}, std::nullopt};
    if (measured.is_known) result.growth = measured.growth;
    return result;
}

}  // namespace headway::judge::block
