#include "suites/10_tiled_attention/running.hpp"

#include "reference/attention.hpp"
#include "student/expect.hpp"
#include "student/record_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace headway::judge::tiled {

using reference::Array;
using reference::exact;
using reference::to_tensor;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
const CheckedPart largest_axes{"largest scores", Stage::softmax, {"b", "h", "query"}};
const CheckedPart kept_largest_axes{"largest scores", Stage::softmax, {"b", "h", "query", "of 1"}};
const CheckedPart total_axes{"totals", Stage::softmax, {"b", "h", "query"}};

}  // namespace

wire::Record contents(Student& student, wire::Handle running) {
    wire::Record record = student.outside_story([&] { return student.record("contents", {{"running", running}}); });
    for (const wire::Field& field : record.fields)
        expect(value_of<Tensor>(field).defined(), Stage::softmax,
               "your Running has no tensor " + field.name + ": it is a Tensor{} that nothing was assigned to");
    return record;
}

std::vector<double> numbers_in(Student& student, wire::Handle running) {
    std::vector<double> numbers;
    for (const wire::Field& field : contents(student, running).fields) {
        const Array held = exact(value_of<Tensor>(field));
        numbers.insert(numbers.end(), held.value.begin(), held.value.end());
    }
    return numbers;
}

Tensor summed(Student& student, wire::Handle running) {
    const wire::Record record = contents(student, running);
    const Tensor total = judge::field<Tensor>(record, "total");
    const Tensor gathered = judge::field<Tensor>(record, "gathered");
    expect(gathered.rank() == 4, Stage::softmax,
           "what your Running has gathered is of shape " + headway::to_string(gathered.shape()) +
               "; it should be (B, H, T, d_v)");
    Shape rows = gathered.shape();
    rows.back() = 1;
    expect_shape({"running total", Stage::softmax, {}}, total.shape(), rows);
    const Array sums = exact(total);
    Array mean = exact(gathered);
    const auto width = static_cast<std::size_t>(gathered.size(-1));
    for (std::size_t i = 0; i < mean.value.size(); ++i)
        if (sums.value[i / width] != 0) mean.value[i] /= sums.value[i / width];
    return to_tensor(mean);
}

wire::Handle nothing_seen(Student& student, const Shape& queries, Index d_v) {
    return student.keep("nothing_seen", {{"B", queries[0]}, {"H", queries[1]}, {"T", queries[2]}, {"d_v", d_v}});
}

wire::Handle absorbed(Student& student, const Tensor& scores, const Tensor& v, Index tile) {
    const wire::Handle running = nothing_seen(student, scores.shape(), v.size(3));
    const Index S = scores.size(3);
    for (Index s = 0; s < S; s += tile)
        student.run("absorb", {{"running", running},
                               {"scores", scores.slice(3, s, std::min(s + tile, S))},
                               {"v", v.slice(2, s, std::min(s + tile, S))}});
    return running;
}

Array expected_sums(const Tensor& scores, const Tensor& v) {
    const Tensor dense = scores.contiguous();
    Mask blocked = Mask::allow_all(dense.shape());
    for (Index i = 0; i < dense.numel(); ++i) blocked.data()[i] = dense.data()[i] == -infinity;
    return reference::matmul(reference::masked_softmax(exact(masked_fill(dense, blocked, 0)), blocked), exact(v));
}

void expect_sums(Student& student, const Tensor& scores, const Tensor& v, Index tile) {
    const wire::Handle running = absorbed(student, scores, v, tile);
    expect_close(student, summed_axes, summed(student, running), expected_sums(scores, v));
}

namespace {

/// A field that has one number per row, (B, H, T).
Tensor one_a_row(Student& student, wire::Handle running, const CheckedPart& part, const char* name,
                 const Tensor& scores) {
    const Tensor held = judge::field<Tensor>(contents(student, running), name);
    expect_shape(part, held.shape(), {scores.size(0), scores.size(1), scores.size(2), 1});
    return held.select(3, 0);
}

Array totals_of(const Tensor& scores, const Tensor& largest) {
    Array sums = exact(Tensor::zeros(largest.shape()));
    const Array all = exact(scores), tops = exact(largest);
    const auto S = static_cast<std::size_t>(scores.size(3));
    for (std::size_t i = 0; i < all.value.size(); ++i) sums.value[i / S] += std::exp(all.value[i] - tops.value[i / S]);
    for (std::size_t i = 0; i < sums.value.size(); ++i)
        sums.error[i] = static_cast<double>(2 * S + 40) * reference::unit_roundoff * sums.value[i];
    return sums;
}

}  // namespace

void expect_largest(Student& student, wire::Handle running, const Tensor& scores) {
    expect_close(student, largest_axes, one_a_row(student, running, largest_axes, "largest", scores),
                 exact(max(scores, -1)));
}

void expect_total(Student& student, wire::Handle running, const Tensor& scores) {
    expect_close(student, total_axes, one_a_row(student, running, total_axes, "total", scores),
                 totals_of(scores, max(scores, -1)));
}

void expect_total_where_largest_is_right(Student& student, wire::Handle running, const Tensor& scores) {
    const Tensor held = judge::field<Tensor>(contents(student, running), "largest");
    if (!difference(kept_largest_axes, held, exact(max(scores, -1, KeepAxis::yes))))
        expect_total(student, running, scores);
}

void expect_nothing_seen(Student& student, wire::Handle running, const Shape& queries, Index d_v,
                         const std::string& when) {
    const wire::Record record = contents(student, running);
    const auto holds = [&](const char* name, float number, Index width) {
        const Tensor held = judge::field<Tensor>(record, name);
        expect_shape({name, Stage::softmax, {}}, held.shape(), {queries[0], queries[1], queries[2], width});
        for (const double one : exact(held).value)
            expect(one == number, Stage::softmax,
                   std::string("your ") + name + " holds " + fmt::format("{:.6g}", one) + " " + when +
                       "; it should hold " + (number == 0 ? "0" : "-infinity"));
    };
    holds("largest", -infinity, 1);
    holds("total", 0, 1);
    holds("gathered", 0, d_v);
}

void expect_context_row_by_row(Student& student, Random& random, const Sizes& n) {
    const Shape rows{n.B, n.H, n.T, 1};
    const Tensor largest = random_tensor(random, rows);
    const Tensor total = exp(random_tensor(random, rows)) + 1.0F;
    const Tensor gathered = random_tensor(random, {n.B, n.H, n.T, n.d_v});
    // Of the context of a state in which some rows saw keys.
    const auto what_is_wrong_where = [&](const Tensor& saw_keys) {  // 1, or 0
        const Tensor sums = total * saw_keys, values = gathered * saw_keys;
        Tensor tops = largest.clone();
        for (Index i = 0; i < tops.numel(); ++i)
            if (saw_keys.data()[i] == 0) tops.data()[i] = -infinity;
        Array expected = exact(values);
        const auto width = static_cast<std::size_t>(n.d_v);
        for (std::size_t i = 0; i < expected.value.size(); ++i) {
            if (const float sum = sums.data()[i / width]; sum != 0) expected.value[i] /= static_cast<double>(sum);
            expected.error[i] = 4 * reference::unit_roundoff * std::abs(expected.value[i]);
        }
        const wire::Handle running =
            student.keep("running", {{"largest", tops}, {"total", sums}, {"gathered", values}});
        return what_is_wrong(student, {"context vectors", Stage::softmax, {"b", "h", "query", "feature"}},
                             student.tensor("context", {{"running", running}}), expected);
    };
    const Tensor all = Tensor::ones(rows);
    Tensor all_but_first = all.clone(), first_alone = Tensor::zeros(rows);
    all_but_first(0, 0, 0, 0) = 0;
    first_alone(0, 0, 0, 0) = 1;
    for (const Tensor& saw_keys : {all_but_first, first_alone}) {
        const auto failure = what_is_wrong_where(saw_keys);
        if (failure && !student.outside_story([&] { return what_is_wrong_where(all); })) fail(*failure);
    }
}

}  // namespace headway::judge::tiled
