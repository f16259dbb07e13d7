Strides contiguous_strides(const Shape& shape) { return answer_list(shape); }

Tensor view(const Tensor& x, const Shape& shape) { return answer(shape, x); }

Tensor transpose(const Tensor& x, Index axis0, Index axis1) {
    Shape shape = x.shape();
    const auto rank = static_cast<Index>(shape.size());
    std::swap(shape.at(static_cast<std::size_t>((axis0 + rank) % rank)),
              shape.at(static_cast<std::size_t>((axis1 + rank) % rank)));
    return answer(shape, x);
}

Tensor contiguous(const Tensor& x) { return answer(x.shape(), x); }

Tensor split_heads(const Tensor& x, Index num_heads) {
    return answer({x.size(0), num_heads, x.size(1), per(x.size(2), num_heads)}, x);
}
