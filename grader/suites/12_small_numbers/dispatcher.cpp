#include "worker/dispatcher.hpp"

#include <small_numbers.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::worker {
namespace {

/// Codes travel as whole numbers in a tensor; one that holds anything else is the judge's, asking whether it matters.
Shape shape_of(const Tensor& codes) { return codes.defined() ? codes.shape() : Shape{}; }

std::vector<std::int8_t> codes_of(const Tensor& codes) {
    std::vector<std::int8_t> all;
    if (!codes.defined()) return all;
    const Tensor dense = codes.contiguous();
    for (Index i = 0; i < dense.numel(); ++i) {
        const float whole = std::nearbyint(dense.data()[i]);
        all.push_back(static_cast<std::int8_t>(std::isnan(whole) ? 0.0F : std::clamp(whole, -128.0F, 127.0F)));
    }
    return all;
}

ex12::Int8Rows rows(const Tensor& codes, const Tensor& scales) { return {shape_of(codes), codes_of(codes), scales}; }

/// They need not fill the shape beside them: the judge looks.
Tensor as_tensor(const std::vector<std::int8_t>& codes) {
    if (codes.empty()) return {};
    Tensor all = Tensor::zeros({static_cast<Index>(codes.size())});
    std::copy(codes.begin(), codes.end(), all.data());
    return all;
}

void append_to(wire::Record& record, const std::string& name, const ex12::Int8Rows& rows) {
    record.fields.push_back({name + "shape", rows.shape});
    record.fields.push_back({name + "codes", as_tensor(rows.codes)});
    record.fields.push_back({name + "scales", rows.scales});
}

}  // namespace

template <>
struct Convert<ex12::Format> {
    static ex12::Format from(const wire::Value& value, Objects&) {
        return std::get<std::string>(value) == "half" ? ex12::Format::half : ex12::Format::bfloat16;
    }
};

template <>
struct Convert<ex12::Total> {
    static ex12::Total from(const wire::Value& value, Objects&) {
        return std::get<std::string>(value) == "in_half" ? ex12::Total::in_half : ex12::Total::in_float;
    }
};

template <>
struct Convert<ex12::Kept> {
    static ex12::Kept from(const wire::Value& value, Objects&) {
        const std::string& word = std::get<std::string>(value);
        if (word == "as_float") return ex12::Kept::as_float;
        return word == "as_half" ? ex12::Kept::as_half : ex12::Kept::as_int8;
    }
};

template <>
struct Convert<ex12::Int8Rows> {
    static wire::Value to(const ex12::Int8Rows& rows, Objects&) {
        wire::Record record;
        append_to(record, "", rows);
        return record;
    }
};

template <>
struct Convert<ex12::Int8Cache> {
    static wire::Value to(const ex12::Int8Cache& cache, Objects&) {
        wire::Record record;
        append_to(record, "k_", cache.k);
        append_to(record, "v_", cache.v);
        return record;
    }
};

void add_functions(Dispatcher& dispatcher) {
    dispatcher.add("rounded", &ex12::rounded);
    dispatcher.add("sum_in", &ex12::sum_in);
    dispatcher.add("softmax_in_half", &ex12::softmax_in_half);
    dispatcher.add("attention_in_half", &ex12::attention_in_half);
    dispatcher.add("row_scales", &ex12::row_scales);
    dispatcher.add("to_int8", &ex12::to_int8);
    // A shape by itself: codes and scales may not fit it.
    dispatcher.add(
        "from_int8", +[](const Shape& shape, const Tensor& codes, const Tensor& scales) {
            return ex12::from_int8({shape, codes_of(codes), scales});
        });
    dispatcher.add(
        "append", +[](const Tensor& k_codes, const Tensor& k_scales, const Tensor& v_codes, const Tensor& v_scales,
                      const Tensor& k, const Tensor& v) {
            return ex12::append({rows(k_codes, k_scales), rows(v_codes, v_scales)}, k, v);
        });
    dispatcher.add(
        "int8_attention", +[](const Tensor& q, const Tensor& k_codes, const Tensor& k_scales, const Tensor& v_codes,
                              const Tensor& v_scales, const Mask& mask) {
            return ex12::int8_attention(q, {rows(k_codes, k_scales), rows(v_codes, v_scales)}, mask);
        });
    dispatcher.add("cache_bytes", &ex12::cache_bytes);
}

}  // namespace headway::worker
