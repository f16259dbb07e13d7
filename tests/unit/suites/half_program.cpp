// Compiled once with each program: CMakeLists.txt says what `ex12` and PROGRAM are then.
#include "half_program.hpp"

#include "small_numbers.hpp"

namespace headway::ex12 {

halves::Program program() {
    return {PROGRAM,
            [](const Tensor& scores, bool total_in_half) {
                return softmax_in_half(scores, total_in_half ? Total::in_half : Total::in_float);
            },
            &attention_in_half};
}

}  // namespace headway::ex12
