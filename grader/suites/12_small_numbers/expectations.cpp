#include "suites/12_small_numbers/expectations.hpp"

#include "reference/attention.hpp"
#include "student/record_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway::judge::small_numbers {
namespace {

bool is_ordinary(double x) { return std::isfinite(x) && std::abs(x) >= diagnosis::least_ordinary; }

bool is_as_expected(double actual, double expected, double relative, Zeros zeros) {
    if (std::isnan(expected)) return std::isnan(actual);
    if (expected == 0 && zeros == Zeros::alike) return actual == 0;
    if (expected == 0 || std::isinf(expected))
        return actual == expected && std::signbit(actual) == std::signbit(expected);
    return std::abs(actual - expected) <= relative * std::abs(expected);
}

/// "-0" is another number than 0 here.
std::string in_digits(double number) { return number == 0 && std::signbit(number) ? "-0" : digits(number); }

/// Room for a rounding of the student's that came out on the other side: a step of a half.
Array with_a_step(Array array) {
    for (std::size_t i = 0; i < array.value.size(); ++i)
        array.error[i] = std::max(array.error[i], std::ldexp(std::abs(array.value[i]), -10));
    return array;
}

Tensor own_total(Student& student, const Tensor& e, const std::string& total) {
    if (total == in_half) return student.tensor("sum_in", {{"x", e}, {"format", half}});
    return sum(e, -1, KeepAxis::yes);
}

}  // namespace

CheckedPart part_of(const std::string& name, const Shape& shape) {
    static const std::vector<std::string> all{"b", "h", "row", "number"};
    const std::size_t rank = std::min(shape.size(), all.size());
    return {name, Stage::none, {all.end() - static_cast<std::ptrdiff_t>(rank), all.end()}};
}

void expect_numbers(Student& student, const std::string& what, const Tensor& actual, const Array& expected,
                    double relative, Zeros zeros, const std::function<std::string(std::size_t)>& made_of) {
    const CheckedPart part = part_of(what, expected.shape);
    expect(actual.defined(), Stage::none, "your " + what + " are a Tensor{} that nothing was assigned to");
    expect_shape(part, actual.shape(), expected.shape);
    Array ordinary = diagnosis::within(expected, relative);
    Tensor got = reference::to_tensor(exact(actual));
    for (std::size_t i = 0; i < expected.value.size(); ++i) {
        if (is_ordinary(expected.value[i])) continue;
        ordinary.value[i] = ordinary.error[i] = 0;
        got.data()[i] = 0;
    }
    expect_close(student, part, got, ordinary);
    const Array all = exact(actual);
    for (std::size_t i = 0; i < expected.value.size(); ++i) {
        if (is_ordinary(expected.value[i]) || is_as_expected(all.value[i], expected.value[i], relative, zeros))
            continue;
        expect(false, Stage::none,
               "number " + std::to_string(i) + " of your " + what + (made_of ? made_of(i) : "") + " is " +
                   in_digits(all.value[i]) + "; it should be " + in_digits(expected.value[i]));
    }
}

Array own_halves(Student& student, const Array& x) {
    return exact(student.tensor("rounded", {{"x", reference::to_tensor(x)}, {"format", half}}));
}

std::optional<Array> own_softmax(Student& student, const Tensor& scores, const std::string& total) {
    const Tensor s = reference::to_tensor(own_halves(student, exact(scores)));
    if (s.shape() != scores.shape()) return std::nullopt;
    Tensor largest = max(s, -1, KeepAxis::yes);
    for (Index row = 0; row < largest.numel(); ++row)
        if (std::isinf(largest.data()[row])) largest.data()[row] = 0;
    const Tensor d = reference::to_tensor(own_halves(student, exact(s - largest)));
    if (d.shape() != s.shape()) return std::nullopt;
    const Tensor e = reference::to_tensor(own_halves(student, exact(exp(d))));
    if (e.shape() != s.shape()) return std::nullopt;
    Tensor totals = own_total(student, e, total).contiguous().clone();
    if (totals.shape() != largest.shape()) return std::nullopt;
    for (Index row = 0; row < totals.numel(); ++row)
        if (totals.data()[row] == 0) totals.data()[row] = 1;
    return with_a_step(own_halves(student, exact(e / totals)));
}

std::optional<Array> own_attention(Student& student, const Tensor& q, const Tensor& k, const Tensor& v,
                                   const Mask& mask) {
    const Array own_q = own_halves(student, exact(q)), own_k = own_halves(student, exact(k));
    const Array own_v = own_halves(student, exact(v));
    const Array scores = own_halves(student, reference::scores(own_q, own_k));
    const Tensor masked = masked_fill(reference::to_tensor(scores), mask, -std::numeric_limits<float>::infinity());
    const Array weights = exact(student.tensor("softmax_in_half", {{"scores", masked}, {"total", in_float}}));
    Array context = own_halves(student, reference::matmul(weights, own_v));
    // A score on the other side of a tie is another by a step, and so are the weights that follow from it.
    double largest = 0;
    for (const double number : exact(v).value) largest = std::max(largest, std::abs(number));
    context = with_a_step(context);
    for (double& error : context.error) error += std::ldexp(largest, -11);
    return context;
}

CodedRows Rows::numbers() const {
    if (!codes.defined()) return {};
    return {exact(codes), exact(scales)};
}

Tensor Rows::decoded() const { return reference::to_tensor(diagnosis::from_int8(Eights::right(), numbers())); }

std::optional<Rows> rows_of(const wire::Record& answer, const std::string& prefix) {
    const auto& shape = field<Shape>(answer, prefix + "shape");
    const auto& codes = field<Tensor>(answer, prefix + "codes");
    const auto& scales = field<Tensor>(answer, prefix + "scales");
    if (shape.size() != 4 || std::ranges::min(shape) < 1 || !codes.defined() || !scales.defined()) return std::nullopt;
    Index all = 1;
    for (const Index size : shape) {
        if (size > codes.numel()) return std::nullopt;
        all *= size;
    }
    if (all != codes.numel()) return std::nullopt;
    return Rows{codes.contiguous().view(shape), scales};
}

namespace {

std::string whose_is(const std::string& prefix) {
    return prefix == "k_" ? " of keys" : prefix == "v_" ? " of values" : "";
}

CheckedPart codes_of(const std::string& whose) {
    return {"codes" + whose, Stage::none, {"b", "h", "token", "feature"}};
}

/// Ends the test unless there are as many codes as their shape takes, and it is the right one.
void expect_filled(const wire::Record& answer, const std::string& prefix, const Shape& right) {
    const auto& shape = field<Shape>(answer, prefix + "shape");
    const auto& codes = field<Tensor>(answer, prefix + "codes");
    const std::string whose = whose_is(prefix);
    expect(shape == right, Stage::none,
           "the shape" + whose + " in your Int8Rows is " + headway::to_string(shape) + "; it should be " +
               headway::to_string(right));
    const Index count = codes.defined() ? codes.numel() : 0, due = Layout::contiguous(right).numel();
    expect(count == due, Stage::none,
           "your Int8Rows hold " + std::to_string(count) + " codes" + whose + "; " + headway::to_string(right) +
               " takes " + std::to_string(due));
}

}  // namespace

void expect_rows_given(Student& student, const FunctionCall& call, const wire::Record& answer,
                       const std::string& prefix, const CodedRows& expected,
                       const std::function<std::optional<CodedRows>()>& own) {
    const std::vector<std::string> functions{"row_scales", "to_int8"};
    expect_filled(answer, prefix, expected.codes.shape);
    const auto follows = [&](Array CodedRows::*part) {
        return [&own, part]() -> std::optional<Array> {
            const auto rows = own();
            return rows ? std::optional((*rows).*part) : std::nullopt;
        };
    };
    const std::string whose = whose_is(prefix), rows = prefix.substr(0, prefix.find('_'));  // "k_": of k
    const auto of = [&](const char* part) {
        return computes(student, call, prefix + part, {.numbers = {prefix + part, rows}, .parts = false});
    };
    const auto& codes = field<Tensor>(answer, prefix + "codes");
    expect_close_given(student, codes_of(whose), codes.contiguous().view(expected.codes.shape), expected.codes,
                       functions, follows(&CodedRows::codes), of("codes"));
    expect_close_given(student, part_of("scales" + whose, expected.scales.shape),
                       field<Tensor>(answer, prefix + "scales"), expected.scales, functions,
                       follows(&CodedRows::scales), of("scales"));
}

void expect_rows(Student& student, const wire::Record& answer, const std::string& prefix, const CodedRows& expected) {
    expect_filled(answer, prefix, expected.codes.shape);
    const std::string whose = whose_is(prefix);
    const auto& codes = field<Tensor>(answer, prefix + "codes");
    expect_close(student, codes_of(whose), codes.contiguous().view(expected.codes.shape), expected.codes);
    expect_numbers(student, "scales" + whose, field<Tensor>(answer, prefix + "scales"), expected.scales, 1e-6);
}

Arguments Cache::appended(const Tensor& new_k, const Tensor& new_v) const {
    return {{"k_codes", k.codes},   {"k_scales", k.scales}, {"v_codes", v.codes},
            {"v_scales", v.scales}, {"k", new_k},           {"v", new_v}};
}

Arguments Cache::attended(const Tensor& q, const Mask& mask) const {
    return {{"q", q},      {"k_codes", k.codes}, {"k_scales", k.scales}, {"v_codes", v.codes}, {"v_scales", v.scales},
            {"mask", mask}};
}

diagnosis::CodedCache Cache::numbers() const { return {k.numbers(), v.numbers()}; }

std::optional<diagnosis::CodedCache> own_append(Student& student, const Cache& cache, const Tensor& k,
                                                const Tensor& v) {
    const auto own = [&](const CodedRows& old, const Tensor& x) -> std::optional<CodedRows> {
        const Tensor scales = student.tensor("row_scales", {{"x", x}});
        if (scales.shape() != Shape{x.size(0), x.size(1), x.size(2)}) return std::nullopt;
        const auto rows = rows_of(student.record("to_int8", {{"x", x}, {"scales", scales}}), "");
        if (!rows || rows->codes.shape() != x.shape() || rows->scales.shape() != scales.shape()) return std::nullopt;
        return diagnosis::behind(old, rows->numbers());
    };
    auto keys = own(cache.k.numbers(), k), values = own(cache.v.numbers(), v);
    if (!keys || !values) return std::nullopt;
    return diagnosis::CodedCache{std::move(*keys), std::move(*values)};
}

}  // namespace headway::judge::small_numbers
