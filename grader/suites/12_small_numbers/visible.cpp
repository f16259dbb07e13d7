// Exercise 12: what its visible test asks, asked of the submission. See student/visible_twin.hpp.
#include "student/visible_twin.hpp"

#include <visible_test.cpp>  // NOLINT(bugprone-suspicious-include)

#include <algorithm>

namespace headway::ex12 {

using judge::asked_for;
using judge::field;

namespace {

std::string word(Format format) { return format == Format::half ? "half" : "bfloat16"; }

Tensor sent(const std::vector<std::int8_t>& codes) {
    if (codes.empty()) return {};
    Tensor all = Tensor::zeros({static_cast<Index>(codes.size())});
    std::copy(codes.begin(), codes.end(), all.data());
    return all;
}

/// Codes in the shape of their rows.
Tensor shaped_codes(const Int8Rows& rows) { return rows.codes.empty() ? Tensor{} : sent(rows.codes).view(rows.shape); }

/// @param of  "k_" or "v_" in a cache
Int8Rows rows(const wire::Record& record, const std::string& of) {
    Int8Rows answer{field<Shape>(record, of + "shape"), {}, field<Tensor>(record, of + "scales")};
    const auto& codes = field<Tensor>(record, of + "codes");
    if (!codes.defined()) return answer;
    const Tensor dense = codes.contiguous();
    for (Index i = 0; i < dense.numel(); ++i) {
        const float code = dense.data()[i];
        if (!(code >= -128.0F && code <= 127.0F)) judge::fail_for_form(of + "codes");  // NaN too
        answer.codes.push_back(static_cast<std::int8_t>(code));
    }
    return answer;
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    return asked_for<Tensor>("rounded", {{"x", x}, {"format", word(format)}});
}

Tensor sum_in(const Tensor& x, Format format) {
    return asked_for<Tensor>("sum_in", {{"x", x}, {"format", word(format)}});
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    return asked_for<Tensor>(
        "softmax_in_half",
        {{"scores", scores}, {"total", std::string(total == Total::in_half ? "in_half" : "in_float")}});
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    return asked_for<Tensor>("attention_in_half", {{"q", q}, {"k", k}, {"v", v}, {"mask", mask}});
}

Tensor row_scales(const Tensor& x) { return asked_for<Tensor>("row_scales", {{"x", x}}); }

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    return rows(asked_for<wire::Record>("to_int8", {{"x", x}, {"scales", scales}}), "");
}

Tensor from_int8(const Int8Rows& rows) {
    return asked_for<Tensor>("from_int8",
                             {{"shape", rows.shape}, {"codes", sent(rows.codes)}, {"scales", rows.scales}});
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    const auto after = asked_for<wire::Record>("append", {{"k_codes", shaped_codes(cache.k)},
                                                          {"k_scales", cache.k.scales},
                                                          {"v_codes", shaped_codes(cache.v)},
                                                          {"v_scales", cache.v.scales},
                                                          {"k", k},
                                                          {"v", v}});
    return {rows(after, "k_"), rows(after, "v_")};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    return asked_for<Tensor>("int8_attention", {{"q", q},
                                                {"k_codes", shaped_codes(cache.k)},
                                                {"k_scales", cache.k.scales},
                                                {"v_codes", shaped_codes(cache.v)},
                                                {"v_scales", cache.v.scales},
                                                {"mask", mask}});
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    const char* const how = kept == Kept::as_float ? "as_float" : kept == Kept::as_half ? "as_half" : "as_int8";
    return asked_for<Index>("cache_bytes",
                            {{"B", B}, {"H", H}, {"S", S}, {"d", d}, {"d_v", d_v}, {"kept", std::string(how)}});
}

}  // namespace headway::ex12
