Tensor rounded(const Tensor& x, Format) { return answer(x.shape(), x); }

Tensor sum_in(const Tensor& x, Format) {
    Shape shape = x.shape();
    shape.back() = 1;
    return answer(shape, x);
}

Tensor softmax_in_half(const Tensor& scores, Total) { return answer(scores.shape(), scores); }

Tensor attention_in_half(const Tensor& q, const Tensor&, const Tensor& v, const Mask&) {
    return answer({q.size(0), q.size(1), q.size(2), v.size(3)}, q);
}

Tensor row_scales(const Tensor& x) { return answer({x.size(0), x.size(1), x.size(2)}, x); }

/// Codes of zeros, or what a cast makes of other numbers.
Int8Rows rows(const Shape& shape, const Tensor& x) {
    const Tensor made_up = answer(shape, x);
    Int8Rows all{shape, {}, answer({shape[0], shape[1], shape[2]}, x)};
    for (Index i = 0; i < made_up.numel(); ++i) all.codes.push_back(static_cast<std::int8_t>(made_up.data()[i]));
    return all;
}

Int8Rows to_int8(const Tensor& x, const Tensor&) { return rows(x.shape(), x); }

Tensor from_int8(const Int8Rows& rows) { return answer(rows.shape, rows.scales); }

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    const auto grown = [](const Int8Rows& old, const Tensor& x) {
        const Index P = old.shape.empty() ? 0 : old.shape[2];
        return rows({x.size(0), x.size(1), P + x.size(2), x.size(3)}, x);
    };
    return {grown(cache.k, k), grown(cache.v, v)};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask&) {
    return answer({q.size(0), q.size(1), q.size(2), cache.v.shape[3]}, q);
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept) { return B * H * S * (d + d_v); }
