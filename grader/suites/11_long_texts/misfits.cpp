// What does not fit, and must be refused.
#include "suites/11_long_texts/misfits.hpp"

#include "student/behaviour.hpp"
#include "student/expect.hpp"
#include "student/sweep.hpp"

#include <algorithm>
#include <string>

namespace headway::judge::long_texts {
namespace {

void refuse_with(Student& student, const std::string& function, Arguments arguments, const std::string& name,
                 wire::Value value, const std::string& because) {
    std::ranges::find(arguments, name, &wire::Field::name)->value = std::move(value);
    student.refuses(function, arguments, because);
}

void expect_windows_checked(Student& student, const std::string& function, const Arguments& fits) {
    for (const Index w : {0, -1, -5}) refuse_with(student, function, fits, "w", w, "a window of " + std::to_string(w));
}

void expect_lengths_checked(Student& student, const std::string& function, const Arguments& fits, Index S) {
    refuse_with(student, function, fits, "T", Index{0}, "there is no query");
    refuse_with(student, function, fits, "T", Index{-2}, "T is negative");
    refuse_with(student, function, fits, "T", S + 1, "there are more queries than positions");
}

void expect_positions_checked(Student& student, const std::string& function, const Arguments& fits,
                              const std::string& name, Index S) {
    refuse_with(student, function, fits, name, Positions{S}, "a position is S");
    refuse_with(student, function, fits, name, Positions{0, S + 3, 1}, "a position is beyond S");
    refuse_with(student, function, fits, name, Positions{1, -1}, "a position is negative");
}

/// Other shapes that the scores' (B, H, T, S) would take are refused, too.
void expect_padding_checked(Student& student, const std::string& function, const Arguments& fits, const Sizes& n) {
    const Index B = n.B, S = n.S;
    const auto refuse = [&](const Shape& shape, const std::string& because) {
        refuse_with(student, function, fits, "padding", Mask::allow_all(shape), because);
    };
    refuse({B, 1, 1, S + 1}, "padding is longer than the keys");
    refuse({B, 1, 1, S - 1}, "padding is shorter than the keys");
    refuse({B, S}, "padding has two axes");
    refuse({B, 1, 2, S}, "padding has an axis of queries");
    refuse({S}, "padding has one axis");
    refuse({n.T, S}, "padding is a mask of queries and keys");
    refuse({1, 1, S}, "padding has three axes");
    refuse({B, 1, n.T, S}, "padding has an axis of queries");
    refuse({B, n.H, 1, S}, "padding has an axis of heads");
    refuse({B, 1, 1, 1}, "padding is of one key");
}

/// How many values do not fit three keys. Those that are taken come first: it says more that they are than how
/// others, which an index would leave, are refused.
std::vector<Index> values_of_misfit(Student& student, const Filled& filled, const NewTokens& some,
                                    const std::string& function) {
    const auto takes = [&](Index count) {
        const wire::Handle cache = filled.in(student);
        Arguments arguments = function == "ring_append" ? some.appended(cache) : some.decoded(cache);
        Shape shape = some.v.shape();
        shape[2] = count;
        std::ranges::find(arguments, "v", &wire::Field::name)->value = Tensor::zeros(shape);
        return !student.outcome(function, arguments).error;
    };
    const Index fewer = 2, more = 4;
    if (student.outside_story([&] { return takes(more); })) return {more, fewer};
    return {fewer, more};
}

/// The heads of one text, without an axis for texts, are refused.
void expect_four_axes_wanted(Student& student, const std::string& function, Arguments fits) {
    for (wire::Field& argument : fits)
        if (auto* tensor = std::get_if<Tensor>(&argument.value)) *tensor = tensor->select(0, 0);
    student.refuses_index(function, fits, "there are three axes in place of four");
}

void expect_contexts_last(Student& student, const Filled& filled, const NewTokens& some) {
    const wire::Handle cache = filled.in(student);
    if (student.outside_story([&] { return result_lasts(student, "ring_decode", some.decoded(cache)); })) return;
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::wrong_behaviour;
    failure.function = "ring_decode";
    failure.message =
        "the context vectors that your ring_decode returned change when later tokens are decoded: each "
        "call must return a tensor of its own";
    fail(std::move(failure));
}

}  // namespace

void expect_masks_checked(Student& student, Random& random, const Sizes& n) {
    const Arguments window{{"T", n.T}, {"S", n.S}, {"w", Index{3}}};
    const Arguments global{{"T", n.T}, {"S", n.S}, {"positions", Positions{1}}};
    const Arguments both{{"T", n.T},
                         {"S", n.S},
                         {"w", Index{3}},
                         {"globals", Positions{1}},
                         {"padding", random_padding(random, n.B, n.S, Padded::left)}};
    expect_windows_checked(student, "window_mask", window);
    expect_lengths_checked(student, "window_mask", window, n.S);
    expect_positions_checked(student, "global_mask", global, "positions", n.S);
    expect_lengths_checked(student, "global_mask", global, n.S);
    expect_windows_checked(student, "long_mask", both);
    expect_lengths_checked(student, "long_mask", both, n.S);
    expect_positions_checked(student, "long_mask", both, "globals", n.S);
    expect_padding_checked(student, "long_mask", both, n);
    const Arguments squared{{"mask", random_mask(random, {n.S, n.S})}, {"layers", Index{2}}};
    refuse_with(student, "reach", squared, "mask", random_mask(random, {n.S, n.S + 1}), "the mask is not square");
    refuse_with(student, "reach", squared, "mask", random_mask(random, {n.S + 1, n.S}), "the mask is not square");
    const Index S = n.S;
    for (const Shape& shape : {Shape{S}, Shape{1, S, S}, Shape{S, S, S}}) {
        Arguments other = squared;
        other[0].value = random_mask(random, shape);
        student.refuses_index("reach", other, "the mask is " + headway::to_string(shape));
    }
    refuse_with(student, "reach", squared, "layers", Index{0}, "there is no layer");
    refuse_with(student, "reach", squared, "layers", Index{-1}, "layers are negative");
    const Arguments counts{{"w", Index{3}}, {"layers", Index{2}}};
    expect_windows_checked(student, "window_reach", counts);
    refuse_with(student, "window_reach", counts, "layers", Index{0}, "there is no layer");
}

void expect_attention_checked(Student& student, Random& random, const Inputs& in) {
    const char* const function = "window_attention";
    const Index B = in.q.size(0), H = in.q.size(1), T = in.q.size(2), S = in.k.size(2);
    const Arguments fits = in.arguments();
    expect_windows_checked(student, function, fits);
    expect_positions_checked(student, function, fits, "globals", S);
    expect_padding_checked(student, function, fits, {B, H, T, S, in.q.size(3), in.v.size(3)});
    refuse_with(student, function, fits, "padding", Mask::allow_all({B + 1, 1, 1, S}),
                "padding is of more sequences than there are");
    refuse_with(student, function, fits, "padding", Mask::allow_all({1, 1, 1, S}), "padding is of one sequence");
    refuse_with(student, function, fits, "q", random_tensor(random, {B, in.q.size(1), S + 1, in.q.size(3)}),
                "there are more queries than keys");
    refuses_misfits(student, random, function, fits, "q: B! H T d, k: B! H S! d, v: B! H S! d_v");
    Arguments without_padding = fits;
    std::ranges::find(without_padding, "padding", &wire::Field::name)->value = Mask{};
    expect_four_axes_wanted(student, function, without_padding);
}

void expect_rings_checked(Student& student, Random& random, const Sizes& n) {
    for (const char* name : {"B", "H", "w", "d", "d_v"}) {
        Arguments sizes{{"B", n.B}, {"H", n.H}, {"w", Index{4}}, {"d", n.d}, {"d_v", n.d_v}};
        refuse_with(student, "make_ring", sizes, name, Index{0}, std::string(name) + " must be at least 1, not 0");
    }
    constexpr Index w = 4;
    const Filled filled(random, n, w, 7);
    const NewTokens some(random, n, 3);
    const auto expect_as_it_was = [&](const wire::Handle cache, const std::string& function) {
        const Contents held = contents(student, cache);
        const CheckedPart kept{"tokens in the cache", Stage::state, {"b", "h", "slot", "feature"}};
        expect(!difference(kept, held.k, exact(filled.k)) && !difference(kept, held.v, exact(filled.v)) &&
                   held.next == filled.next,
               Stage::state, "your " + function + " refuses, but it has changed the cache before");
    };
    const auto refuses = [&](const std::string& function, const std::string& name, const Shape& shape,
                             const std::string& because) {
        const wire::Handle cache = filled.in(student);
        refuse_with(student, function, function == "ring_append" ? some.appended(cache) : some.decoded(cache), name,
                    random_tensor(random, shape), because);
        expect_as_it_was(cache, function);
    };
    for (const char* function : {"ring_append", "ring_decode"}) {
        refuses(function, "k", {n.B, n.H, 3, n.d + 1}, "k is wider than the cache");
        refuses(function, "v", {n.B, n.H, 3, n.d_v + 1}, "v is wider than the cache");
        for (const Index count : values_of_misfit(student, filled, some, function))
            refuses(function, "v", {n.B, n.H, count, n.d_v},
                    count < 3 ? "there are fewer values than keys" : "there are more values than keys");
        refuses(function, "k", {n.B, n.H + 1, 3, n.d}, "k has more heads than the cache");
        refuses(function, "v", {n.B + 1, n.H, 3, n.d_v}, "v has more sequences than the cache");
        const wire::Handle kept = filled.in(student);
        const bool appends = std::string(function) == "ring_append";
        expect_four_axes_wanted(student, function, appends ? some.appended(kept) : some.decoded(kept));
        expect_as_it_was(kept, function);
    }
    refuses("ring_decode", "q", {n.B, n.H, 2, n.d}, "there are fewer queries than new keys");
    refuses("ring_decode", "q", {n.B, n.H, 4, n.d}, "there are more queries than new keys");
    refuses("ring_decode", "q", {n.B, n.H, 3, n.d + 1}, "q is wider than k");
    const wire::Handle cache = filled.in(student);
    refuses_misfits(student, random, "ring_append", some.appended(cache), "k: B! H! n d!, v: B! H! n d_v!");
    refuses_misfits(student, random, "ring_decode", some.decoded(cache),
                    "q: B! H! n d!, k: B! H! n d!, v: B! H! n d_v!");
    expect_as_it_was(cache, "ring_decode");
    for (const bool dense : {true, false}) {
        NewTokens tokens = some;
        for (Tensor* one : {&tokens.q, &tokens.k, &tokens.v}) *one = dense ? one->contiguous() : strided(*one);
        expect_unchanged(student, {"ring_append", tokens.appended(filled.in(student))});
        expect_unchanged(student, {"ring_decode", tokens.decoded(filled.in(student))});
    }
    expect_contexts_last(student, filled, some);
}

}  // namespace headway::judge::long_texts
