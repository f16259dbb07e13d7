#include "head_splitting.hpp"

#include <stdexcept>

namespace headway::ex02 {

Strides contiguous_strides(const Shape& shape) {
    Strides strides(shape.size());
    Index s = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        strides[i] = s;
        s *= shape[i];
    }
    return strides;
}

Tensor view(const Tensor& x, const Shape& shape) {
    Index s = 1;
    for (Index i : shape) s *= i;
    if (s != x.numel()) throw std::invalid_argument("view: bad shape");
    if (!x.is_contiguous()) throw std::invalid_argument("view: bad strides");
    return x.as_strided(shape, contiguous_strides(shape), x.offset());
}

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    if (axis0 < 0 || axis0 >= x.rank() || axis1 < 0 || axis1 >= x.rank())
        throw std::out_of_range("transpose: bad axis");
    auto i = static_cast<std::size_t>(axis0), j = static_cast<std::size_t>(axis1);
    Shape shape = x.shape();
    Strides strides = x.strides();
    std::swap(shape[i], shape[j]);
    std::swap(strides[i], strides[j]);
    return x.as_strided(shape, strides, x.offset());
}

Tensor contiguous(const Tensor& x) {
    if (x.is_contiguous()) return x;
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    return y;
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3) throw std::invalid_argument("split_heads: bad rank");
    if (num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("split_heads: bad heads");
    Tensor tokens = x[0];                                                                  // (T, D)
    Tensor heads = view(tokens, {tokens.size(0), num_heads, tokens.size(1) / num_heads});  // (T, H, d)
    heads = transpose(heads, 0, 1);                                                        // (H, T, d)
    return heads.as_strided({1, heads.size(0), heads.size(1), heads.size(2)},
                            {x.strides()[0], heads.strides()[0], heads.strides()[1], heads.strides()[2]});
}

}  // namespace headway::ex02
