#include "labs/train/window.hpp"

#include "labs/frame/program.hpp"
#include "labs/frame/students_code.hpp"

#include <fmt/format.h>
#include <long_texts.hpp>

namespace headway::lab {

Sight sight_of_student(Index w) {
    return [w](Index T) {
        return of_student("11_long_texts", "long_mask", [&] { return ex11::long_mask(T, T, w, {}, Mask{}); });
    };
}

void require_window(const std::string& lab, Index w) {
    if (w < 1) throw WrongUsage(fmt::format("--window: a window holds 1 token at least, not {}", w));
    try_exercise("11_long_texts", lab, [] {
        const Mask mask = ex11::long_mask(3, 3, 2, {}, Mask{});
        if (mask.shape() != Shape{3, 3})
            throw std::runtime_error("long_mask gives a mask of shape " + headway::to_string(mask.shape()) +
                                     " for 3 tokens");
    });
}

}  // namespace headway::lab
