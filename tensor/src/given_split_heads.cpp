#include <headway/given.hpp>

#include <stdexcept>

namespace headway::given {

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3)
        throw std::invalid_argument("split_heads: (B, T, D) is needed, the shape is " + to_string(x.shape()));
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (num_heads < 1 || D % num_heads != 0)
        throw std::invalid_argument("split_heads: D = " + std::to_string(D) +
                                    " is not divisible by num_heads = " + std::to_string(num_heads));
    const Index head_dim = D / num_heads;
    const Strides& stride = x.strides();
    // (B, T, H, head_dim) with its middle axes swapped, in one step.
    return x.as_strided({B, num_heads, T, head_dim}, {stride[0], head_dim * stride[2], stride[1], stride[2]});
}

}  // namespace headway::given
