#include "labs/train/rotation.hpp"

#include "labs/frame/program.hpp"
#include "labs/frame/students_code.hpp"

#include <fmt/format.h>
#include <positions.hpp>

namespace headway::lab {
namespace {

/// As that of the waves which learned positions begin with: texts here are short.
constexpr double base = 100;

Tensor positions_of(const Tensor& heads, Sense sense) {
    const Index B = heads.size(0), T = heads.size(2);
    return (Tensor::arange(T) * (sense == Sense::back ? -1.0F : 1.0F)).expand({B, T}).contiguous();
}

}  // namespace

Tensor turn_of_student(const Tensor& heads, Sense sense) {
    const Tensor angles = of_student("13_positions", "rotation_angles", [&] {
        return ex13::rotation_angles(positions_of(heads, sense), heads.size(3), base);
    });
    return of_student("13_positions", "rotate_pairs", [&] { return ex13::rotate_pairs(heads, angles); });
}

void require_rotation(const std::string& lab, Index d) {
    if (d % 2 != 0) throw WrongUsage(fmt::format("--positions rotary: a head of width {} has no pairs", d));
    const Tensor heads = Tensor::ones({1, 2, 3, 4});
    try_exercise("13_positions", lab, [&] {
        const Tensor angles = ex13::rotation_angles(positions_of(heads, Sense::forth), 4, base);
        require_shape("rotation_angles", angles, {1, 3, 2});
        require_shape("rotate_pairs", ex13::rotate_pairs(heads, angles), heads.shape());
    });
}

}  // namespace headway::lab
