#include "masks.h"

#include <stdexcept>
#include <string>

namespace attention {

void require_rank_4(const Tensor& x, const char* name) {
    if (x.rank() != 4) throw std::invalid_argument(std::string(name) + ": rank 4 expected");
}

void require_same(const Tensor& a, const Tensor& b, std::initializer_list<Index> axes) {
    for (Index axis : axes)
        if (a.size(axis) != b.size(axis))
            throw std::invalid_argument("sizes differ along axis " + std::to_string(axis));
}

Mask future(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = (T - 1 - t) > (S - 1 - s);  // both counted from the end
    return !!mask;
}

Mask padding(const std::vector<Index>& lengths, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, 1, S});
    Index b = 0;
    for (Index length : lengths) {
        for (Index s = 0; s < S; ++s) mask(b, 0, 0, s) = !(s < length);
        ++b;
    }
    return mask;
}

Mask as_wide_as(const Shape& shape, const Mask& mask) {
    return mask.defined() ? mask.expand(shape) : Mask::allow_all(shape);
}

}  // namespace attention
