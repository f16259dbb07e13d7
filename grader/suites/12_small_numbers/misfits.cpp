#include "suites/12_small_numbers/misfits.hpp"

#include "student/behaviour.hpp"
#include "student/sweep.hpp"

#include <cmath>

namespace headway::judge::small_numbers {
namespace {

Arguments sizes_of(const Eights::Sizes& n, const std::string& kept) {
    return {{"B", n.B}, {"H", n.H}, {"S", n.S}, {"d", n.d}, {"d_v", n.d_v}, {"kept", kept}};
}

void expect_bytes(Student& student, const Eights::Sizes& n, const std::string& kept) {
    const Outcome outcome = student.outcome("cache_bytes", sizes_of(n, kept));
    const auto due = static_cast<Index>(Eights::right().bytes(n, kept));
    const auto* yours = std::get_if<Index>(&outcome.value);
    expect(yours != nullptr && *yours == due, Stage::none,
           "your cache_bytes answers " + (yours == nullptr ? std::string("nothing") : std::to_string(*yours)) +
               " for keys and values kept " + kept + "; they take " + std::to_string(due));
}

/// With something else in one place.
Arguments with(Arguments arguments, std::size_t place, const wire::Value& value) {
    arguments[place].value = value;
    return arguments;
}

/// What it must refuse itself: an index that leaves its tensor is another exception.
void refuses_itself(Student& student, const std::string& function, const Arguments& arguments,
                    const std::string& because) {
    const Outcome outcome = student.outcome(function, arguments);
    expect(!outcome.error || outcome.error->kind != wire::ErrorKind::out_of_range, Stage::none,
           because + ": your " + function + " ends in std::out_of_range where it should throw std::invalid_argument");
    student.refuses(function, arguments, because);
}

/// Each of these arguments with an axis less.
void refuses_fewer_axes(Student& student, const std::string& function, const Arguments& fits,
                        const std::vector<std::size_t>& places) {
    for (const std::size_t place : places) {
        const Tensor x = std::get<Tensor>(fits[place].value);
        student.refuses_index(function, with(fits, place, x.select(0, 0)), fits[place].name + " has an axis too few");
    }
}

/// Whole numbers and halves of them: sums are exact in any order, so a view gives the same bits.
Tensor few_digits(Random& random, const Shape& shape) {
    Tensor x = random_tensor(random, shape);
    for (Index i = 0; i < x.numel(); ++i) x.data()[i] = std::nearbyint(x.data()[i]);
    return x;
}

}  // namespace

void expect_bytes_counted(Student& student, Random& random) {
    const Sizes n = random_sizes(random);
    for (const std::string kept : {"as_float", "as_half", "as_int8"}) {
        expect_bytes(student, {n.B, n.H, n.S, n.d, n.d_v}, kept);
        expect_bytes(student, {1, 1, 1, 1, 1}, kept);
        expect_bytes(student, {7, 96, 131'072, 128, 64}, kept);  // more than 2^31
    }
}

void expect_left_alone(Student& student, Random& random) {
    Sizes n = random_sizes(random);
    n.d = 4;  // its root is a number of few digits, too
    const Heads in{few_digits(random, {n.B, n.H, n.T, 4}), few_digits(random, {n.B, n.H, n.S, 4}),
                   few_digits(random, {n.B, n.H, n.S, n.d_v})};
    const Tensor scores = few_digits(random, {n.T, n.S}), x = random_tensor(random, {n.B, n.H, n.S, n.d});
    const Rows rows = random_rows(random, n.B, n.H, n.S, n.d, -6, -4);
    const Cache cache = random_cache(random, n.B, n.H, n.S, n.d, n.d_v);
    const Tensor k = random_tensor(random, {n.B, n.H, n.T, n.d}), v = random_tensor(random, {n.B, n.H, n.T, n.d_v});
    expect_untouched(student,
                     {{"rounded", {{"x", x}, {"format", half}}},
                      {"sum_in", {{"x", scores}, {"format", half}}},
                      {"softmax_in_half", {{"scores", scores}, {"total", in_float}}},
                      {"softmax_in_half", {{"scores", scores}, {"total", in_half}}},
                      {"attention_in_half", in.with(random_mask(random, {n.T, n.S}))},
                      {"row_scales", {{"x", x}}},
                      {"to_int8", {{"x", x}, {"scales", rows.scales}}},
                      {"from_int8", {{"shape", rows.codes.shape()}, {"codes", rows.codes}, {"scales", rows.scales}}},
                      {"append", cache.appended(k, v)},
                      {"append", Cache{}.appended(k, v)},
                      {"int8_attention",
                       cache.attended(random_tensor(random, {n.B, n.H, n.T, n.d}), random_mask(random, {n.T, n.S}))}});
}

void expect_sixteen_bits_checked(Student& student, Random& random) {
    const Sizes n = random_sizes(random);
    const Tensor number = random_tensor(random, {});
    refuses_itself(student, "sum_in", {{"x", number}, {"format", half}}, "x has no axis");
    for (const std::string& total : {in_float, in_half})
        refuses_itself(student, "softmax_in_half", {{"scores", number}, {"total", total}}, "scores has no axis");
    const Arguments fits = random_heads(random, n).with(Mask{});
    refuses_misfits(student, random, "attention_in_half", fits, "q: B H T d, k: B H S d, v: B H S d_v");
    refuses_fewer_axes(student, "attention_in_half", fits, {0, 1, 2});
    refuses_masks(student, random, {n.B, n.H, n.T, n.S}, "attention_in_half",
                  [&](const Mask& mask) { return with(fits, 3, mask); });
}

void expect_eight_bits_checked(Student& student, Random& random) {
    const Sizes n = random_sizes(random);
    const Rows rows = random_rows(random, n.B, n.H, n.S, n.d, -6, -4);
    const Tensor x = random_tensor(random, {n.B, n.H, n.S, n.d});
    refuses_itself(student, "row_scales", {{"x", x.select(0, 0)}}, "x has three axes");
    student.refuses("row_scales", {{"x", random_tensor(random, {2, 2, 2, 2, 3})}}, "x has five axes");
    const Arguments coded{{"x", x}, {"scales", rows.scales}};
    refuses_misfits(student, random, "to_int8", coded, "x: B H P d, scales: B H P");
    refuses_fewer_axes(student, "to_int8", coded, {0, 1});
    const Tensor column = rows.scales.contiguous().view({n.B, n.H, n.S, 1});
    student.refuses("to_int8", with(coded, 1, column), "scales have an axis too many");
    Tensor negative = rows.scales.clone();
    negative(n.B - 1, 0, n.S - 1) *= -1;
    student.refuses("to_int8", with(coded, 1, negative), "a scale is negative");
    negative.copy_from(rows.scales * -1.0F);
    student.refuses("to_int8", with(coded, 1, negative), "scales are negative");

    const Shape& shape = rows.codes.shape();
    const auto refuse = [&](const Shape& of, const Tensor& codes, const Tensor& scales, const std::string& because) {
        student.refuses("from_int8", {{"shape", of}, {"codes", codes}, {"scales", scales}}, because);
    };
    refuse(shape, rows.codes.slice(0, 0, n.B - 1), rows.scales, "there are fewer codes than the shape takes");
    refuse({n.B - 1, n.H, n.S, n.d}, rows.codes, rows.scales.slice(0, 0, n.B - 1),
           "there are more codes than the shape takes");
    refuse(shape, Tensor{}, rows.scales, "there are no codes");
    refuse(shape, rows.codes, rows.scales.slice(2, 0, n.S - 1), "there are fewer scales than rows");
    refuse(shape, rows.codes, rows.scales.select(0, 0), "scales must be (B, H, P)");
    refuse(shape, rows.codes, random_tensor(random, {n.B, n.S, n.H}), "scales are (B, P, H)");
    refuse(shape, rows.codes, column, "scales have an axis too many");
    refuse({n.B * n.H, n.S, n.d}, rows.codes, rows.scales, "the shape has three axes");

    const Cache cache = random_cache(random, n.B, n.H, n.S, n.d, n.d_v);
    const Tensor k = random_tensor(random, {n.B, n.H, n.T, n.d}), v = random_tensor(random, {n.B, n.H, n.T, n.d_v});
    const auto refuse_new = [&](const Cache& old, const Tensor& new_k, const Tensor& new_v,
                                const std::string& because) {
        student.refuses("append", old.appended(new_k, new_v), because);
    };
    for (const Cache& old : {cache, Cache{}}) {
        refuse_new(old, k, v.slice(2, 0, n.T - 1), "there are fewer values than keys");
        refuse_new(old, k.slice(2, 0, n.T - 1), v, "there are fewer keys than values");
        refuse_new(old, k.slice(1, 0, n.H - 1), v, "keys have fewer heads than values");
        refuse_new(old, k, v.slice(0, 0, n.B - 1), "values have fewer sequences than keys");
        refuse_new(old, k.select(0, 0), v.select(0, 0), "k and v have three axes");
    }
    const auto narrow = [](const Tensor& some, Index axis) { return some.slice(axis, 0, some.size(axis) - 1); };
    for (const Index axis : {0, 1})
        refuse_new(cache, narrow(k, axis), narrow(v, axis), "the cache has more sequences or heads");
    refuse_new(cache, narrow(k, 3), v, "new keys are narrower than those of the cache");
    refuse_new(cache, k, narrow(v, 3), "new values are narrower than those of the cache");

    const Arguments attended = cache.attended(random_tensor(random, {n.B, n.H, n.T, n.d}), Mask{});
    refuses_misfits(student, random, "int8_attention", attended,
                    "q: B H T d, k_codes: B H S d, k_scales: B H S, v_codes: B H S d_v, v_scales: B H S");
    refuses_fewer_axes(student, "int8_attention", attended, {0});
    refuses_masks(student, random, {n.B, n.H, n.T, n.S}, "int8_attention",
                  [&](const Mask& mask) { return with(attended, 5, mask); });
    for (std::size_t place = 0; place < 5; ++place)
        for (const Index size : {0, -1})
            student.refuses("cache_bytes", with(sizes_of({n.B, n.H, n.S, n.d, n.d_v}, "as_int8"), place, size),
                            "a size is " + std::to_string(size));
}

}  // namespace headway::judge::small_numbers
