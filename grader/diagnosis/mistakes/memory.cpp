// Mistakes of C++ rather than attention, and how arguments are read.
#include "diagnosis/chapters.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace headway::diagnosis {
namespace {

/// The first numel() numbers from the tensor's offset, in the order of memory.
Array in_memory_order(const Tensor& tensor) {
    Array array = reference::exact(tensor);
    if (tensor.is_contiguous()) return array;
    for (Index i = 0; i < array.numel(); ++i) {
        const Index at = tensor.offset() + i;
        array.value[static_cast<std::size_t>(i)] =
            at < tensor.storage_size() ? static_cast<double>(tensor.data()[i]) : std::nan("");
    }
    return array;
}

/// By all strides but the last, which is taken to be 1.
Array with_dense_last_axis(const Tensor& tensor) {
    Array array = reference::exact(tensor);
    if (tensor.rank() == 0 || tensor.strides().back() == 1) return array;
    Strides strides = tensor.strides();
    strides.back() = 1;
    Index last = tensor.offset();
    for (std::size_t axis = 0; axis < strides.size(); ++axis) last += (tensor.shape()[axis] - 1) * strides[axis];
    if (last < tensor.storage_size())
        return reference::exact(tensor.as_strided(tensor.shape(), strides, tensor.offset()));
    std::fill(array.value.begin(), array.value.end(), std::nan(""));
    return array;
}

/// 11 significant bits, as float16 has.
double rounded_to_half(double x) {
    if (x == 0 || !std::isfinite(x)) return x;
    int exponent = 0;
    const double mantissa = std::frexp(x, &exponent);
    return std::ldexp(std::nearbyint(mantissa * 2048) / 2048, exponent);
}

}  // namespace

Chapter chapters::memory() {
    static constexpr Decision decisions[] = {
        {.id = "reading",
         .stage = Stage::none,
         .lesson = {{"01", in_the_header},
                    {"02", "As a formula"},
                    {"03", in_the_header},
                    {"04", in_the_header},
                    {"05", in_the_header},
                    {"07", "What people get wrong"},
                    {"08", in_the_header},
                    {"09", in_the_header},
                    {"10", in_the_header},
                    {"11", in_the_header},
                    {"12", in_the_header},
                    {"13", in_the_header},
                    {"14", in_the_header}},
         .pseudocode =
             "element [i,j] of a view lies at offset + i·stride[0] + j·stride[1]; data()[i] only if is_contiguous()"},
        {.id = "memory",
         .stage = Stage::none,
         .lesson = {{"01", "What people get wrong"}},
         .pseudocode =
             "every index stays below the size of its axis; every accumulator begins at 0; what is returned is new"},
        {.id = "running",
         .stage = Stage::none,
         .lesson = {},
         .pseudocode =
             "a loop counts towards its bound; pointers, sizes and divisors are looked at before they are used"},
        {.id = "result",
         .stage = Stage::none,
         .lesson = {},
         .pseudocode = "one result, declared once and computed once; return it, as the header says, and nothing else"},
        {.id = "digits",
         .stage = Stage::none,
         .lesson = {},
         .pseudocode = "every number on the way is a float: no cast and no table that holds fewer digits"},
        {.id = "precision",
         .stage = Stage::scores,
         .lesson = {{"01", "Softmax without overflow"}},
         .pseudocode = "floats stay floats from the arguments to the result"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "strides_ignored",
         .decision = "reading",
         .title = "tensors are read as if they were contiguous: through data(), or by strides that are not theirs",
         .right = "go through (i, j) or contiguous(): arguments may be views",
         .symptom = "right for fresh tensors, wrong numbers for transposed or sliced ones",
         .question = "What does data()[1] hold after x.transpose(0, 1)?",
         .make =
             [](Choices& c) {
                 c.reading.tensor = [](const Tensor& tensor, Argument) { return in_memory_order(tensor); };
             }},
        {.id = "last_stride_ignored",
         .decision = "reading",
         .title = "tensors are read as if the numbers of their last axis were side by side, such as through data()",
         .right = "the last axis has a stride too: go through (i, j) or contiguous()",
         .symptom = "right for fresh tensors and for heads that were split, wrong numbers for transposed ones",
         .question = "What is x.strides().back() after x.transpose(-2, -1)?",
         .make =
             [](Choices& c) {
                 c.reading.tensor = [](const Tensor& tensor, Argument) { return with_dense_last_axis(tensor); };
             }},
        {.id = "keys_strides_ignored",
         .decision = "reading",
         .title = "k is read as if it were contiguous: through data(), or by strides that are not its own",
         .right = "go through (i, j) or contiguous(): arguments may be views",
         .symptom = "right for fresh tensors, wrong numbers for transposed or sliced ones",
         .question = "What does data()[1] hold after x.transpose(0, 1)?",
         .make =
             [](Choices& c) {
                 c.reading.tensor = [](const Tensor& tensor, Argument argument) {
                     return argument == Argument::key ? in_memory_order(tensor) : reference::exact(tensor);
                 };
             }},
        {.id = "values_strides_ignored",
         .decision = "reading",
         .title = "v is read as if it were contiguous: through data(), or by strides that are not its own",
         .right = "go through (i, j) or contiguous(): arguments may be views",
         .symptom = "right for fresh tensors, wrong numbers for transposed or sliced ones",
         .question = "What does data()[1] hold after x.transpose(0, 1)?",
         .make =
             [](Choices& c) {
                 c.reading.tensor = [](const Tensor& tensor, Argument argument) {
                     return argument == Argument::value ? in_memory_order(tensor) : reference::exact(tensor);
                 };
             }},
        {.id = "gradient_strides_ignored",
         .decision = "reading",
         .title = "the incoming gradient is read as if it were contiguous: through data(), or by strides that are not "
                  "its own",
         .right = "go through (i, j) or contiguous(): a gradient is often a view, and that of a sum has strides of 0",
         .symptom = "right for fresh tensors, wrong numbers or an index beyond the storage for others",
         .question = "Where does element [1, 0, 0] of a gradient lie whose strides are all 0?",
         .make =
             [](Choices& c) {
                 c.reading.tensor = [](const Tensor& tensor, Argument argument) {
                     return argument == Argument::gradient ? in_memory_order(tensor) : reference::exact(tensor);
                 };
             }},
        {.id = "reads_out_of_bounds",
         .decision = "memory",
         .title = "an index runs out of its tensor or vector: past the end, or below 0",
         .right = "each index runs from 0 to size - 1: of its own axis, or of the vector",
         .symptom = "right by luck at best; else wrong numbers or a crash",
         .question = "Which loop bound belongs to which axis?",
         .shipped = {"TT-Metal: https://github.com/tenstorrent/tt-metal/issues/39910",
                     "ExecuTorch: https://github.com/pytorch/executorch/pull/20470"}},
        {.id = "null_pointer_followed",
         .decision = "running",
         .title = "a pointer that points nowhere is followed, or a tensor or a vector without elements is indexed",
         .right = "let the pointer point to something first; give what is indexed its size: std::vector<float> v(n), "
                  "Tensor::zeros({T, S})",
         .symptom = "the program is killed (SIGSEGV)",
         .question = "Where does your pointer point, and how many elements has your vector by then?"},
        {.id = "nothing_given_indexed",
         .decision = "running",
         .title =
             "where an argument holds nothing, a pointer to nowhere is followed, or what has no elements is indexed",
         .right = "ask first whether it holds anything, and go another way if not: x.defined(), or of a shape "
                  "shape.empty()",
         .symptom = "the program is killed (SIGSEGV)",
         .question = "Which of the arguments may hold nothing, and which line is the first that uses it?"},
        {.id = "wild_pointer_followed",
         .decision = "running",
         .title = "a pointer or an index is followed that was never set, or that leads out of all memory",
         .right = "set it before it is used: float* row = scores.data(), Index best = 0",
         .symptom = "right by luck, or the program is killed (SIGSEGV)",
         .question = "What do your pointer and your indices hold before they are used for the first time?"},
        {.id = "uninitialised_memory",
         .decision = "memory",
         .title = "memory is read, or given back, before anything was written to it",
         .right = "write every element first, or begin at 0: float sum = 0, Tensor::zeros instead of Tensor::empty",
         .symptom = "right by luck, another day wrong",
         .question = "What is in a fresh variable or tensor before the first +=?",
         .shipped = {"vLLM: https://github.com/vllm-project/vllm/pull/26599",
                     "Camelid: https://github.com/timtoole02/Camelid/pull/714"}},
        {.id = "answers_by_chance",
         .decision = "memory",
         .title = "the answer depends on chance, the clock or an address",
         .right = "equal arguments give equal answers; random numbers come from a seed, in training only",
         .symptom = "now and then two runs disagree",
         .question = "What else than the arguments goes into the result?"},
        {.id = "used_after_freed",
         .decision = "memory",
         .title = "memory is used after it was given back",
         .right =
             "keep alive what is pointed to: a tensor as long as a pointer into it is used, a module as long as the "
             "one that registered it; a local variable ends with its function, so none points to it later",
         .symptom = "right by luck, another day wrong",
         .question = "Who owns the numbers that this pointer points to, and until when?"},
        {.id = "state_kept_between_calls",
         .decision = "memory",
         .title = "something of an earlier call is kept and used in a later one",
         .right =
             "a call depends on its arguments alone: no static, nothing kept for later, no buffer that is not cleared",
         .symptom = "a call is right or wrong by what was asked before it",
         .question = "Which variables outlive a call?"},
        {.id = "argument_changed",
         .decision = "memory",
         .title = "the caller's tensor is changed: a copy of a Tensor is another view of the same numbers",
         .right = "clone() before writing: contiguous() of what is contiguous already is the tensor itself",
         .symptom = "the next use of the same input is wrong",
         .question = "Which of your variables share storage with an argument?"},
        {.id = "never_ends",
         .decision = "running",
         .title = "a loop never ends, or does far more than it has time for",
         .right = "each loop has a bound that it reaches, and so have the loops around it",
         .symptom = "the call is stopped at the time limit",
         .question = "Which loop variable is not counted up?"},
        {.id = "waits_without_end",
         .decision = "running",
         .title = "a call sleeps, or waits for what does not come",
         .right = "a call computes and returns: it does not sleep, read input, or lock what it has locked already",
         .symptom = "the call is stopped at the time limit",
         .question = "What does it wait for, and who is to give it that?"},
        {.id = "calls_itself_without_end",
         .decision = "running",
         .title = "a function calls itself without end",
         .right = "each call comes closer to one that answers without calling itself",
         .symptom = "the stack overflows, and the program is killed (SIGSEGV)",
         .question = "With which arguments does it call itself, and when does that stop?"},
        {.id = "arrays_larger_than_the_stack",
         .decision = "running",
         .title = "local arrays are larger than the stack",
         .right = "large arrays are a std::vector or a Tensor: their numbers are not on the stack",
         .symptom = "the stack overflows, and the program is killed (SIGSEGV)",
         .question = "How many bytes do the arrays of one call take?"},
        {.id = "stack_used_up",
         .decision = "running",
         .title = "a function calls itself without end, or has local arrays that are larger than the stack",
         .right = "each call comes closer to one that answers without calling itself; large arrays are a std::vector",
         .symptom = "the stack overflows, and the program is killed (SIGSEGV)",
         .question = "Which function calls itself, and when does that stop?"},
        {.id = "divides_by_zero",
         .decision = "running",
         .title = "an integer is divided by zero",
         .right = "check the divisor first",
         .symptom = "the program is killed (SIGFPE)",
         .question = "Which divisor can be 0?"},
        {.id = "result_never_assigned",
         .decision = "result",
         .title = "a Tensor{} or Mask{} is returned that nothing was assigned to",
         .right =
             "each part of what you return needs a value: one was left out, or a second declaration of its name hid it",
         .symptom = "any use of a Tensor{} throws, and a Mask{} blocks nothing",
         .question = "Where is the variable that you return given its value, and is it declared twice?"},
        {.id = "vector_without_elements",
         .decision = "result",
         .title = "a std::vector is returned that has no elements",
         .right = "resize(n) makes n elements, and push_back one more; reserve(n) makes room for them alone, and v[i] "
                  "is then an element that is not there",
         .symptom = "what is written to it is lost, and who reads it reads what is not there",
         .question = "What is the size() of the std::vector, just before its first element is written?"},
        {.id = "result_times_a_constant",
         .decision = "result",
         .title = "the whole result is a constant times what it should be",
         .right = "leave out the factor, or what brings it in",
         .symptom = "shapes and proportions are right: only the size is wrong",
         .question = "Which number multiplies or divides everything on its way out?"},
        {.id = "half_precision",
         .decision = "precision",
         .title = "q and k are cut to the precision of a 16-bit float",
         .right = "stay in float",
         .symptom = "weights are off in the third digit",
         .question = "Which type holds your numbers on the way?",
         .make =
             [](Choices& c) {
                 c.scoring.precision = [](const Array& array) {
                     Array rounded = array;
                     for (double& x : rounded.value) x = rounded_to_half(x);
                     return rounded;
                 };
             }},
        {.id = "numbers_cut_short",
         .decision = "digits",
         .title = "numbers are cut to the precision of a 16-bit float on their way",
         .right = "stay in float",
         .symptom = "what is computed of them is off in the third digit",
         .question = "Which type holds your numbers on the way?"},
        {.id = "cut_to_integers",
         .decision = "precision",
         .title = "q and k are cut to integers",
         .right = "stay in float",
         .symptom = "most scores become 0",
         .question = "Which type holds your numbers on the way?",
         .make =
             [](Choices& c) {
                 c.scoring.precision = [](const Array& array) {
                     Array cut = array;
                     for (double& x : cut.value) x = std::trunc(x);
                     return cut;
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
