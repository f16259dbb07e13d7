#ifndef STUDENT_MASKS_H_
#define STUDENT_MASKS_H_

#include <headway/tensor.hpp>

#include <initializer_list>
#include <vector>

namespace attention {

using headway::Index, headway::Mask, headway::Shape, headway::Tensor;

void require_rank_4(const Tensor& x, const char* name);
void require_same(const Tensor& a, const Tensor& b, std::initializer_list<Index> axes);

Mask future(Index T, Index S);
Mask padding(const std::vector<Index>& lengths, Index S);

/// (B, H, T, S), whether a mask was given or not.
Mask as_wide_as(const Shape& shape, const Mask& mask);

}  // namespace attention

#endif  // STUDENT_MASKS_H_
