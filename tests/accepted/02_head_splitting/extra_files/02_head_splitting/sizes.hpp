#ifndef SIZES_HPP
#define SIZES_HPP

#include <headway/tensor.hpp>

namespace student {

headway::Index elements(const headway::Shape& shape);
headway::Strides row_major(const headway::Shape& shape);

}  // namespace student

#endif
