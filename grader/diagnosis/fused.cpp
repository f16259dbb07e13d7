#include "diagnosis/fused.hpp"

#include "diagnosis/elements.hpp"

#include <stdexcept>

namespace headway::diagnosis {

Array cut_out_of_heads(const std::array<Array, 3>& parts, std::size_t role, Index H) {
    const Index E = parts[0].size(-1), d = E / H;
    if (parts[1].shape != parts[0].shape || parts[2].shape != parts[0].shape || d * H != E)
        throw std::invalid_argument("q, k and v are not of one width");
    Array cut = zeros(parts[role].shape);
    each(cut.shape, [&](Coordinate at, std::size_t i) {
        const Index head = at.back() / d;
        const Index column = (3 * head + static_cast<Index>(role)) * d + at.back() % d;
        const Index from[] = {at[0], at[1], column % E};
        const Array& part = parts.at(static_cast<std::size_t>(column / E));
        const std::size_t source = position(part.shape, from);
        cut.value[i] = part.value.at(source);
        cut.error[i] = part.error.at(source);
    });
    return cut;
}

}  // namespace headway::diagnosis
