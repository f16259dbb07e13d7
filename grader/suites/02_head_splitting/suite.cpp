// Hidden tests of exercise 02.           B batch · T tokens · D model width · H num_heads · d = D / H
#include "suites/02_head_splitting/axis_below_zero.hpp"
#include "suites/02_head_splitting/own_strides.hpp"

#include "reference/attention.hpp"
#include "student/hidden_test.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace headway::judge {
namespace {

using reference::exact;

HIDDEN_SUITE(HeadSplitting);

const CheckedPart heads{"heads", Stage::split, {"b", "h", "t", "i"}};

/// Every element differs from every other, so that none can stand in for another.
Tensor counting(const Shape& shape) { return Tensor::arange(Layout::contiguous(shape).numel()).view(shape); }

CheckedPart elements(const std::string& at, const Shape& shape) {
    CheckedPart part{at, Stage::split, {}};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) part.axes.push_back("axis " + std::to_string(axis));
    return part;
}

/// Numbers and shape as in `expected`.
void expect_equal(Student& student, const std::string& at, const Tensor& actual, const Tensor& expected) {
    expect_close(student, elements(at, expected.shape()), actual, exact(expected));
}

/// Writes to the input, reads the result: a view shows what was written, wherever; a copy does not.
bool shows_writes(Student& student, wire::Handle input, const Shape& index, wire::Handle result) {
    constexpr double number = 987654;
    student.write(input, index, number);
    const reference::Array seen = exact(student.read(result));
    return std::find(seen.value.begin(), seen.value.end(), number) != seen.value.end();
}

using Functions = std::vector<std::string>;
/// What a view of x may be built of: where these lead elsewhere, it shares storage all the same.
struct BuiltOf {
    Functions functions = {};
    FunctionCall call = {};  ///< of x as it was; its numbers must be computed from x
    reference::Array expected = {};
};

/// @param what  "view(x)"   @param so  "your view copied"
void expect_view(Student& student, wire::Handle input, const Shape& index, wire::Handle result, const std::string& what,
                 const std::string& so, const BuiltOf& built_of = {}) {
    const bool shows = shows_writes(student, input, index, result);
    const bool shares = student.share_storage(input, result);
    if (shares && !shows) {
        verdict::Failure failure;
        failure.kind = verdict::FailureKind::wrong_behaviour;
        failure.stage = Stage::split;
        failure.message = what + " shares storage with x, but a number written to x does not show where it belongs: " +
                          "shape or strides lead elsewhere";
        if (built_of.functions.empty()) fail(std::move(failure));
        pass_on_credit(student, built_of.functions, std::move(failure), built_of.expected,
                       computes(student, built_of.call));
        return;
    }
    const std::string why = shows ? what + " follows what is written to x, but has storage of its own: "
                                  : "a number written to x does not show in " + what + ": ";
    expect(shares, Stage::split, why + so);
}

/// Right too where the student's own strides are laid over x.
void expect_viewed(Student& student, const std::string& x_in_words, const Tensor& x, const Shape& shape) {
    const FunctionCall call{"view", {{x_in_words, x}, {"shape", shape}}};
    const auto by_own_strides = [&]() -> std::optional<reference::Array> {
        const auto strides = own_strides(student, shape, x.storage_size());
        return strides ? std::optional(exact(x.as_strided(shape, *strides, x.offset()))) : std::nullopt;
    };
    expect_close_given(student, elements("viewed numbers", shape), student.tensor(call.function, call.arguments),
                       exact(x.view(shape)), {"contiguous_strides"}, by_own_strides, computes(student, call));
}

PROPERTY(HeadSplitting, StridesAreRowMajor, 1, "contiguous strides are the products of the sizes behind each axis") {
    const Sizes n = random_sizes(random);
    for (const Shape& shape : {Shape{2, 3, 4}, Shape{7}, Shape{}, Shape{5, 1, 3}, Shape{3, 5, 6, 7},
                               Shape{n.B, n.H, n.T, n.S, n.d}, Shape{n.D(), 1, n.T}, Shape{n.S, n.B}, Shape{1},
                               Shape{1, 1, 1}, Shape{n.T, 1}, Shape{1, n.T}, Shape{2, 0, 3}, Shape{0}, Shape{n.T, 4, 0},
                               Shape{2, 3, 1, 2, 2, 3, 2}, Shape{3, 70'000, 90'000},  // larger than 32 bits count
                               Shape{3, 100'000'007, 120'000'011}}) {                 // and than a double counts
        const Shape strides = student.list("contiguous_strides", {{"shape", shape}});
        expect(strides == Layout::contiguous(shape).strides, Stage::split,
               "your strides of " + headway::to_string(shape) + " are " + headway::to_string(strides) +
                   "; they should be " + headway::to_string(Layout::contiguous(shape).strides));
    }
    shown(student);
}

PROPERTY(HeadSplitting, ViewKeepsTheOrderOfTheNumbers, 1, "view keeps the row-major order of what is contiguous") {
    const Sizes n = random_sizes(random);
    const Tensor x = random_tensor(random, {n.B, n.T, n.D()});
    RefusedStrides refused(student, {"contiguous_strides"});
    const auto expect_view_of = [&](const std::string& x_in_words, const Tensor& viewed, const Shape& shape) {
        refused.beside(shape, [&] { expect_viewed(student, x_in_words, viewed, shape); });
    };
    for (const Shape& shape :
         {Shape{n.B, n.T, n.H, n.d}, Shape{n.B * n.T, n.D()}, Shape{x.numel()}, Shape{n.D(), n.T, n.B}})
        expect_view_of("x", x, shape);
    const Tensor later = random_tensor(random, {n.B + 1, n.T, n.D()}).slice(0, 1, n.B + 1);
    expect_view_of("x (which starts in mid-storage)", later, {n.B * n.T, n.D()});
    for_every_relation(student, random, "B T H d D=H*d", [&](const AxisSizes& sizes, Random& own) {
        if (refused.any()) return;  // known by now to be laid out by wrong strides, as where there is credit
        const Index B = sizes["B"], T = sizes["T"], H = sizes["H"], D = sizes["D"];
        const Tensor tokens = random_tensor(own, {B, T, D});
        for (const Shape& shape : {Shape{B, T, H, sizes["d"]}, Shape{B * T, D}, Shape{D, T * B}, Shape{1, B * T * D}})
            expect_viewed(student, "x", tokens, shape);
    });
    expect_view_of("x (a column, transposed: contiguous)", random_tensor(random, {n.T, 1}).transpose(0, 1), {n.T});
    // One number has a shape of any rank, and no number has many shapes.
    const Tensor one = random_tensor(random, {1});
    for (const Shape& shape : {Shape{}, Shape{1, 1, 1}}) expect_viewed(student, "x", one, shape);
    for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 2, 5}})
        expect_shape({"view of nothing", Stage::split, {}},
                     student.tensor("view", {{"x", Tensor::zeros({0, 3})}, {"shape", shape}}).shape(), shape);
    refused.settle();
}

PROPERTY(HeadSplitting, ViewNeverCopies, 1, "view shares storage with what is contiguous") {
    const Tensor numbers = counting({3, 5, 6});
    const wire::Handle x = student.store(numbers);
    const Shape shape{5, 18};
    RefusedStrides refused(student, {"contiguous_strides"});
    refused.beside(shape, [&] {
        const wire::Handle viewed = student.keep("view", {{"x", x}, {"shape", shape}});
        expect_shape({"view", Stage::split, {}}, student.read(viewed).shape(), shape);
        expect_view(student, x, {2, 1, 4}, viewed, "view(x)", "your view copied",
                    {{"contiguous_strides"}, {"view", {{"x", numbers}, {"shape", shape}}}, exact(numbers.view(shape))});
    });
    refused.settle();
}

PROPERTY(HeadSplitting, ViewRefusesWhatStridesCannotExpress, 1, "view refuses what strides cannot express") {
    const Tensor x = counting({3, 5, 6});
    student.refuses("view", {{"x", x}, {"shape", Shape{3, 5, 7}}}, "90 numbers do not fill (3, 5, 7)");
    student.refuses("view", {{"x", x}, {"shape", Shape{89}}}, "90 numbers do not fit (89)");
    student.refuses("view", {{"x (transposed)", x.transpose(1, 2)}, {"shape", Shape{3, 30}}},
                    "one stride cannot walk through a transposed matrix row by row");
    student.refuses("view", {{"x (transposed)", x.transpose(0, 2)}, {"shape", Shape{90}}},
                    "one stride cannot walk through a transposed tensor row by row");
    student.refuses("view", {{"x (the first 4 columns of 6)", x.slice(2, 0, 4)}, {"shape", Shape{3, 20}}},
                    "one stride cannot skip the columns that were sliced off");
    const Tensor unmerged = counting({3, 5, 2, 7}).transpose(1, 2);
    student.refuses("view", {{"x (heads, not merged yet)", unmerged}, {"shape", Shape{3, 10, 7}}},
                    "one stride cannot walk through tokens of one head and go on with the next head");
}

PROPERTY(HeadSplitting, TransposeSwapsTwoAxes, 1,
         "transpose swaps two axes without moving a number, and refuses an axis that does not exist") {
    const Tensor x = counting({3, 5, 6, 7});
    for (const auto& [axis0, axis1] : {std::pair<Index, Index>{1, 2}, {0, 3}, {2, 2}, {3, 1}})
        expect_equal(student, "transposed numbers",
                     student.tensor("transpose", {{"x", x}, {"axis0", axis0}, {"axis1", axis1}}),
                     x.transpose(axis0, axis1));
    for (const Tensor& other : {counting({3, 5}), counting({3, 5, 6}), counting({2, 3, 4, 5, 6})})
        for (const auto& [axis0, axis1] : {std::pair<Index, Index>{0, 1}, {other.rank() - 1, 0}})
            expect_equal(student, "transposed numbers",
                         student.tensor("transpose", {{"x", other}, {"axis0", axis0}, {"axis1", axis1}}),
                         other.transpose(axis0, axis1));
    expect_shape(
        {"transpose of nothing", Stage::split, {}},
        student.tensor("transpose", {{"x", Tensor::zeros({3, 0, 2})}, {"axis0", Index{0}}, {"axis1", Index{1}}})
            .shape(),
        {0, 3, 2});
    const Tensor later = x.transpose(0, 1).slice(2, 1, 4);
    expect_equal(
        student, "transposed numbers",
        student.tensor("transpose",
                       {{"x (a slice of a transposed tensor)", later}, {"axis0", Index{1}}, {"axis1", Index{2}}}),
        later.transpose(1, 2));
    const wire::Handle kept = student.store(x);
    const wire::Handle swapped = student.keep("transpose", {{"x", kept}, {"axis0", Index{0}}, {"axis1", Index{2}}});
    expect_view(student, kept, {2, 4, 1, 6}, swapped, "transpose(x)", "your transpose copied");
    for_every_relation(student, random, "B T H d", [&](const AxisSizes& sizes, Random& own) {
        const Tensor tokens = random_tensor(own, {sizes["B"], sizes["T"], sizes["H"], sizes["d"]});
        const Index axis0 = own.integer(0, 3), axis1 = own.integer(0, 3);
        expect_equal(student, "transposed numbers",
                     student.tensor("transpose", {{"x", tokens}, {"axis0", axis0}, {"axis1", axis1}}),
                     tokens.transpose(axis0, axis1));
    });
    student.refuses_index("transpose", {{"x", x}, {"axis0", Index{1}}, {"axis1", Index{4}}}, "there is no axis 4");
    student.refuses_index("transpose", {{"x", x}, {"axis0", Index{-5}}, {"axis1", Index{1}}}, "there is no axis -5");
    expect_axis_below_zero(student, x);
}

/// The strides of a result that should be row-major.
void expect_row_major(const Tensor& result) {
    expect(result.is_contiguous(), Stage::split,
           "the strides of your result are " + headway::to_string(result.strides()) + "; shape " +
               headway::to_string(result.shape()) + " needs " +
               headway::to_string(Layout::contiguous(result.shape()).strides));
}

PROPERTY(HeadSplitting, ContiguousCopiesIfNeeded, 1, "contiguous lays the numbers out in row-major order") {
    const Tensor x = counting({3, 5, 6});
    using View = std::pair<Tensor, std::string>;
    const std::string transposed = "x (transposed)", with_gaps = "x (a view with gaps)";
    for (const auto& [scattered, form] : {View{x.transpose(1, 2), transposed}, View{x.transpose(0, 2), transposed},
                                          View{x.slice(2, 1, 4), with_gaps}, View{x.select(1, 3), with_gaps}}) {
        const wire::Handle input = student.store(scattered);
        const Tensor dense = student.read(student.keep("contiguous", {{form, input}}));
        expect(!difference(elements("x", scattered.shape()), student.read(input), exact(scattered)), Stage::split,
               "your contiguous changes x itself: the caller's numbers have moved");
        beside_own_strides(student, scattered.shape(), [&, &view = scattered] {
            expect_equal(student, "numbers in row-major order", dense, view);
            expect_row_major(dense);
        });
    }
    const Tensor heads_of_tokens = random_tensor(random, {3, 5, 2, 4}).transpose(1, 2);
    for (const Tensor& scattered : {heads_of_tokens, strided(random_tensor(random, {2, 3, 2, 3, 4}))}) {
        const Tensor copy = student.tensor("contiguous", {{"x (a view)", scattered}});
        beside_own_strides(student, scattered.shape(), [&] {
            expect_equal(student, "numbers in row-major order", copy, scattered);
            expect_row_major(copy);
        });
    }
    for (const Tensor& nothing : {Tensor::zeros({0, 3}), Tensor::zeros({2, 0, 3}).transpose(0, 2)})
        expect_shape({"contiguous of nothing", Stage::split, {}},
                     student.tensor("contiguous", {{"x", nothing}}).shape(), nothing.shape());
    const wire::Handle kept = student.store(x.transpose(1, 2));
    const wire::Handle dense = student.keep("contiguous", {{"x (transposed)", kept}});
    expect(!shows_writes(student, kept, {1, 2, 3}, dense), Stage::split,
           "contiguous of a transposed tensor must be a copy, but it still shares storage with x");
    for_every_relation(student, random, "rows columns depth", [&](const AxisSizes& sizes, Random& own) {
        const Tensor numbers = random_tensor(own, {sizes["rows"], sizes["columns"], sizes["depth"]});
        for (const Tensor& scattered :
             {strided(numbers), strided(numbers.select(0, 0)), numbers.transpose(0, 1), numbers.transpose(0, 2)}) {
            const Tensor copy = student.tensor("contiguous", {{"x (a view)", scattered}});
            beside_own_strides(student, scattered.shape(), [&] {
                expect_equal(student, "numbers in row-major order", copy, scattered);
                expect_row_major(copy);
            });
        }
    });
}

PROPERTY(HeadSplitting, ContiguousDoesNotCopyInVain, 1,
         "contiguous copies a transposed tensor, and does not copy what is contiguous already") {
    const Tensor scattered = counting({3, 5, 6}).transpose(0, 2);
    beside_own_strides(student, scattered.shape(), [&] {
        const wire::Handle kept = student.store(scattered);
        const wire::Handle packed = student.keep("contiguous", {{"x (transposed)", kept}});
        expect(student.read(packed).is_contiguous() || !shows_writes(student, kept, {1, 2, 2}, packed), Stage::split,
               "your contiguous returns a transposed tensor without a copy: what never copies shows nothing here");
    });
    for (const Tensor& x : {counting({3, 5, 6}), counting({5, 6, 7}).slice(0, 2, 5)})
        beside_own_strides(student, x.shape(), [&] {
            const wire::Handle kept = student.store(x);
            const wire::Handle same = student.keep("contiguous", {{"x", kept}});
            expect_equal(student, "numbers", student.read(same), x);
            expect_view(student, kept, {1, 2, 3}, same, "contiguous(x) of an x that is contiguous already",
                        "it was copied in vain", {{"contiguous_strides"}, {"contiguous", {{"x", x}}}, exact(x)});
        });
}

const Functions split_is_built_of{"view", "transpose", "contiguous_strides"};

/// What split_heads gives if it is built from the student's own view, and transpose of these axes.
std::optional<reference::Array> from_own_view(Student& student, const Tensor& x, Index H, Index axis0, Index axis1) {
    const Shape split{x.size(0), x.size(1), H, x.size(2) / H};
    const Outcome viewed = student.outcome("view", {{"x", x}, {"shape", split}}, true);
    if (viewed.error) return std::nullopt;
    const Outcome heads_of_x = student.outcome("transpose", {{"x", viewed.value}, {"axis0", axis0}, {"axis1", axis1}});
    const auto* tensor = std::get_if<Tensor>(&heads_of_x.value);
    return tensor == nullptr ? std::nullopt : std::optional(exact(*tensor));
}

void expect_split(Student& student, const Tensor& x, Index H) {
    const FunctionCall call{"split_heads", {{"x", x}, {"num_heads", H}}};
    const Tensor actual = student.tensor(call.function, call.arguments);
    const auto from_own = [&] {  // a wrong transpose may not take two axes in either order alike
        auto follows = from_own_view(student, x, H, 1, 2);
        if (!follows || difference(heads, actual, *follows)) {
            auto turned = from_own_view(student, x, H, 2, 1);
            if (turned && !difference(heads, actual, *turned)) follows = turned;
        }
        return follows;
    };
    expect_close_given(student, heads, actual, reference::split_heads(exact(x), H), split_is_built_of, from_own,
                       computes(student, call));
}

STATES(HeadSplitting, HeadHoldsItsSliceOfFeatures, "split");
PROPERTY(HeadSplitting, HeadHoldsItsSliceOfFeatures, 1, "head h holds features [h·d, (h+1)·d) of each token") {
    RefusedStrides refused(student, split_is_built_of);
    for (int round = 0; round < 2; ++round) {
        const Sizes n = random_sizes(random);
        // The second starts in mid-storage.
        const Tensor x = random_tensor(random, {n.B + round, n.T, n.D()}).slice(0, round, n.B + round);
        refused.beside({n.B, n.T, n.H, n.d}, [&] { expect_split(student, x, n.H); });
    }
    for_every_relation(student, random, "B T H d D=H*d", [&](const AxisSizes& n, Random& own) {
        if (refused.any()) return;
        expect_split(student, random_tensor(own, {n["B"], n["T"], n["D"]}), n["H"]);
    });
    for (const Shape& shape : {Shape{0, 3, 6}, Shape{2, 0, 6}})
        expect_shape(heads,
                     student.tensor("split_heads", {{"x", Tensor::zeros(shape)}, {"num_heads", Index{2}}}).shape(),
                     {shape[0], 2, shape[1], 3});
    refused.settle();
}

PROPERTY(HeadSplitting, SplittingNeverCopies, 1, "split_heads shares storage with its input") {
    const Sizes n = random_sizes(random);
    RefusedStrides refused(student, split_is_built_of);
    for (const auto& sizes : {std::pair<Index, Index>{n.H, n.d}, {1, n.d}, {n.H, 1}, {1, 1}}) {
        const Index H = sizes.first, d = sizes.second;
        refused.beside({n.B, n.T, H, d}, [&] {
            const Tensor numbers = random_tensor(random, {n.B, n.T, H * d});
            const wire::Handle x = student.store(numbers);
            const wire::Handle split = student.keep("split_heads", {{"x", x}, {"num_heads", H}});
            expect_shape(heads, student.read(split).shape(), {n.B, H, n.T, d});
            expect_view(student, x, {1, 2, H * d - 1}, split,
                        "split_heads(x, " + std::to_string(H) + ") of " + std::to_string(H * d) + " features",
                        "it was copied on the way. Give the transposed view itself, without contiguous() or clone()",
                        {split_is_built_of,
                         {"split_heads", {{"x", numbers}, {"num_heads", H}}},
                         reference::split_heads(exact(numbers), H)});
        });
    }
    refused.settle();
}

PROPERTY(HeadSplitting, WhatCannotBeSplitIsRefused, 1, "split_heads refuses what cannot be split") {
    const Sizes n = random_sizes(random);
    const Tensor x = random_tensor(random, {n.B, n.T, n.D()});
    student.refuses("split_heads", {{"x", random_tensor(random, {n.B, n.T, n.D() + 1})}, {"num_heads", n.H}},
                    std::to_string(n.D() + 1) + " features do not divide among " + std::to_string(n.H) + " heads");
    for (const Shape& shape : {Shape{0, n.T, n.D() + 1}, Shape{n.B, 0, n.D() + 1}})
        student.refuses("split_heads", {{"x", Tensor::zeros(shape)}, {"num_heads", n.H}},
                        "x has no tokens, and " + std::to_string(n.D() + 1) + " features do not divide among " +
                            std::to_string(n.H) + " heads");
    student.refuses("split_heads", {{"x", x}, {"num_heads", Index{0}}}, "there must be a head");
    student.refuses("split_heads", {{"x", x}, {"num_heads", Index{-1}}}, "there must be a head");
    student.refuses_index("split_heads", {{"x", random_tensor(random, {n.T, n.D()})}, {"num_heads", n.H}},
                          "x must be of shape (B, T, D)");
}

}  // namespace
}  // namespace headway::judge
