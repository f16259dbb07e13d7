#include <headway/given.hpp>

#include <stdexcept>

namespace headway::given {

Tensor merge_heads(const Tensor& context) {
    if (context.rank() != 4)
        throw std::invalid_argument("merge_heads: (B, H, T, head_dim) is needed, the shape is " +
                                    to_string(context.shape()));
    const Index B = context.size(0), H = context.size(1), T = context.size(2), head_dim = context.size(3);
    const Index width = H * head_dim;
    Tensor merged = Tensor::empty({B, T, width});
    // The result seen as (B, H, T, head_dim): what split_heads would show of it.
    Tensor heads = merged.as_strided(context.shape(), {T * width, head_dim, width, 1});
    heads.copy_from(context);
    return merged;
}

}  // namespace headway::given
