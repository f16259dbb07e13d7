// Hidden tests of exercise 13.       B batch · H heads · H_kv heads of keys and values · T tokens or queries · S keys
//                                    P tokens in the cache · D model width · d head_dim · E = H·d · E_kv = H_kv·d
#include "suites/13_positions/misfits.hpp"

#include "reference/attention.hpp"
#include "student/hidden_test.hpp"
#include "student/record_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace headway::judge {
namespace {

using namespace positions;  // what several files of this suite share

using diagnosis::InProjection;
using diagnosis::Rotary;

HIDDEN_SUITE(Positions);

const CheckedPart position_axes{"positions", Stage::none, {"b", "token"}};
const CheckedPart angle_axes{"angles", Stage::none, {"b", "token", "pair"}};
const CheckedPart turned_axes{"turned heads", Stage::split, {"b", "h", "token", "feature"}};
const CheckedPart context_axes{"context vectors", Stage::weigh, {"b", "h", "query", "feature"}};

CheckedPart kept_axes(const std::string& name) { return {name, Stage::split, {"b", "h", "token", "feature"}}; }

const CheckedPart kept_values{"values in the new cache", Stage::weigh, {"b", "h", "token", "feature"}};

CheckedPart matrix_axes(const std::string& name) { return {name, Stage::project, {"row", "column"}}; }

// ---- positions and angles --------------------------------------------------------------------------------------

void expect_positions(Student& student, const std::vector<Index>& padding, Index first, Index T) {
    expect_close(student, position_axes,
                 student.tensor("token_positions", {{"padding", padding}, {"first", first}, {"T", T}}),
                 diagnosis::token_positions(Rotary::right(), padding, first, T));
}

PROPERTY(Positions, PaddingOnTheLeftShiftsPositions, 1,
         "positions count from the first token that is no padding, in every sequence by itself") {
    const Sizes n = random_sizes(random);
    expect_positions(student, {0, 2, n.T - 1}, 0, n.T);
    expect_positions(student, {4, 0, 1, n.T + 3}, 0, n.T);  // longer than the tokens at hand: all are padding
    expect_positions(student, {2, 0, 9}, 7, n.T);           // some of the tokens before these are padding, too
    expect_positions(student, {1, 0, 2}, 70'003, 1);
    for_every_relation(student, random, "B T P", [&](const AxisSizes& sizes, Random& own) {
        const Index T = sizes["T"], first = sizes["P"] - 1;
        expect_positions(student, random_padding(own, sizes["B"], T + first + 2), first, T);
    });
}

void expect_angles(Student& student, const Tensor& at, Index d, double base) {
    expect_close(student, angle_axes, student.tensor("rotation_angles", {{"positions", at}, {"d", d}, {"base", base}}),
                 diagnosis::rotation_angles(Rotary::right(), exact(at), d, base));
}

PROPERTY(Positions, AnglesFallByAPowerOfTheBase, 1, "pair i of a token at position p is turned by p · base^(-2i/d)") {
    const Sizes n = random_sizes(random);
    for (const double base : {10'000.0, 500'000.0, random_base(random), 0.25})
        expect_angles(student, random_positions(random, n.B, n.T, 60), 2 * random.integer(3, 7), base);
    expect_angles(student, random_positions(random, n.B, n.T, 100'000), 10, random_base(random));
    expect_angles(student, random_positions(random, n.T, n.B, 60).transpose(0, 1), 2, 10'000);
    for_every_relation(student, random, "B T I two d=I*two", [&](const AxisSizes& sizes, Random& own) {
        const Index d = 2 * sizes["I"];
        expect_angles(student, random_positions(own, sizes["B"], sizes["T"], 60), d, random_base(own));
    });
}

// ---- turning ---------------------------------------------------------------------------------------------------

void expect_turned(Student& student, const std::string& function, const Tensor& x, const Tensor& angles) {
    const Rotary& right = Rotary::right();
    const Rotary::Turn turn = function == "rotate_pairs" ? right.pairs : right.halves;
    expect_close(student, turned_axes, student.tensor(function, {{"x", x}, {"angles", angles}}),
                 diagnosis::turned(right, exact(x), exact(angles), turn));
}

void expect_all_turned(Student& student, Random& random, const std::string& function) {
    const Sizes n = random_sizes(random);
    const Index d = even_width(random);
    const Tensor x = heads(random, n.B, n.H, n.T, d), angles = random_angles(random, n.B, n.T, d / 2);
    expect_turned(student, function, x, angles);
    expect_turned(student, function, x.contiguous(), angles);
    expect_turned(student, function, strided(x), random_angles(random, n.T, n.B, d / 2).transpose(0, 1));
    expect_turned(student, function, x, angles * 2'000.0F);
    expect_turned(student, function, x, with_some_zeros(angles));
    for_every_relation(student, random, "B H T I", [&](const AxisSizes& sizes, Random& own) {
        expect_turned(student, function, heads(own, sizes["B"], sizes["H"], sizes["T"], 2 * sizes["I"]),
                      random_angles(own, sizes["B"], sizes["T"], sizes["I"]));
    });
}

PROPERTY(Positions, NeighboursTurnCounterClockwise, 1,
         "features 2i and 2i + 1 of a token are turned by its i-th angle, in every head") {
    expect_all_turned(student, random, "rotate_pairs");
}

PROPERTY(Positions, HalvesTurnTogether, 1,
         "features i and i + d/2 of a token are turned by its i-th angle, in every head") {
    expect_all_turned(student, random, "rotate_halves");
}

void expect_converted(Student& student, const std::string& function, const Tensor& w, Index H) {
    const Rotary& right = Rotary::right();
    const Rotary::Column column = function == "pairs_to_halves" ? right.to_halves : right.to_pairs;
    std::vector<std::string> axes{"layer", "row", "column"};
    axes.erase(axes.begin(), axes.end() - w.rank());
    const CheckedPart part{"columns", Stage::project, axes};
    expect_close(student, part, student.tensor(function, {{"w", w}, {"num_heads", H}}),
                 diagnosis::with_columns(exact(w), H, column));
}

PROPERTY(Positions, ConventionsConvertIntoEachOther, 1,
         "columns of each head go from the order of neighbours into that of halves, and back") {
    const Sizes n = random_sizes(random);
    const Index d = even_width(random);
    for (const char* function : {"pairs_to_halves", "halves_to_pairs"}) {
        for (const Index H : {n.H, Index{1}}) {
            expect_converted(student, function, random_tensor(random, {n.S, H * d}), H);
            expect_converted(student, function, random_tensor(random, {H * d, n.S}).transpose(0, 1), H);
            expect_converted(student, function, random_tensor(random, {H * d}), H);
            expect_converted(student, function, random_tensor(random, {3, n.S, H * d}), H);
        }
        for_every_relation(student, random, "D H I", [&](const AxisSizes& sizes, Random& own) {
            expect_converted(student, function, random_tensor(own, {sizes["D"], sizes["H"] * 2 * sizes["I"]}),
                             sizes["H"]);
        });
    }
}

// ---- attention -------------------------------------------------------------------------------------------------

/// What follows from the student's own rotation_angles and rotate_pairs.
std::optional<Array> from_own_turns(Student& student, const Inputs& in, const Mask& mask) {
    const auto q = turned_by_own(student, in.q, in.q_positions, in.base);
    const auto k = turned_by_own(student, in.k, in.k_positions, in.base);
    if (!q || !k) return std::nullopt;
    return in.expected(*q, *k, mask);
}

void expect_attention(Student& student, const Inputs& in, const Mask& mask, const Needs& needs = {}) {
    const FunctionCall call{"rotary_attention", in.with(mask)};
    expect_close_given(
        student, context_axes, student.tensor(call.function, call.arguments), in.expected(mask),
        {"rotation_angles", "rotate_pairs"}, [&] { return from_own_turns(student, in, mask); },
        computes(student, call, "", needs));
}

STATES(Positions, ScoresDependOnTheDistanceAlone, "rotary_attention", "group", "mask");
PROPERTY(Positions, ScoresDependOnTheDistanceAlone, 1,
         "queries and keys are turned by their positions, so that distance alone counts; groups share turned keys") {
    const Sizes n = with_even_width(random_sizes(random), random);
    const Inputs alone(random, {1, n.H}, n);
    expect_attention(student, alone, Mask{});
    for (const float level : {30.0F, -30.0F}) expect_attention(student, alone.at_level(random, level), Mask{});
    expect_attention(student, alone.with_low_scores(), random_mask(random, {n.T, n.S}));
    std::vector<Index> shifts;
    for (Index b = 0; b < n.B; ++b) shifts.push_back(random.integer(50, 300));
    shifts.back() = random.integer(4'200, 6'000);  // longer than tables are
    expect_attention(student, alone.moved(shifts), Mask{});
    for (const Grouping& grouping : {Grouping{3, 5}, Grouping{5, 3}, Grouping{3, 1}}) {
        const Inputs in(random, grouping, n);
        const Index H = grouping.H();
        for (const Mask& mask : {Mask{}, reference::causal_mask(n.T, n.S), random_mask(random, {n.B, 1, 1, n.S}),
                                 random_mask(random, {n.B, H, n.T, n.S}), Mask::block_all({n.T, 1})})
            expect_attention(student, in, mask);
    }
    for_every_mask(student, random, {n.B, 6, n.T, n.S}, [&](const Mask& mask, Random& own) {
        expect_attention(student, Inputs(own, {3, 2}, n), mask);
    });
    for_every_relation(student, random, "B G K T S I d_v H=G*K", [&](const AxisSizes& sizes, Random& own) {
        Sizes of_it = sizes.sizes();
        of_it.d = 2 * sizes["I"];
        const Mask mask = mask_of_any_form(own, {of_it.B, of_it.H, of_it.T, of_it.S});
        expect_attention(student, Inputs(own, {sizes["G"], sizes["K"]}, of_it), mask);
    });
}

// ---- decoding --------------------------------------------------------------------------------------------------

void expect_decoded(Student& student, const Decoding& in) {
    const FunctionCall call{"decode", in.arguments()};
    const wire::Record given = student.record(call.function, call.arguments);
    const auto around = std::make_shared<Neighbourhood>(student, call);
    const Decoding::Expected expected = in.expected();
    const std::vector<std::string> functions{"token_positions", "rotation_angles", "rotate_pairs"};
    const auto expect_part = [&](const CheckedPart& part, const char* name, const Array& right,
                                 Array Decoding::Expected::*follows, Needs needs) {
        needs.parts = false;
        expect_close_given(
            student, part, field<Tensor>(given, name), right, functions,
            [&]() -> std::optional<Array> {
                const auto all = from_own(student, in);
                if (all && !difference(part, field<Tensor>(given, name), (*all).*follows)) return (*all).*follows;
                const auto called = from_own_attention(student, in, in.mask());
                if (called && !difference(part, field<Tensor>(given, name), (*called).*follows))
                    return (*called).*follows;
                return all ? std::optional((*all).*follows) : std::nullopt;
            },
            computes(around, name, std::move(needs)));
    };
    expect_part(kept_axes("keys in the new cache"), "cache_k", expected.k, &Decoding::Expected::k,
                {.numbers = {"cache_k", "k"}});
    expect_close(student, kept_values, field<Tensor>(given, "cache_v"), expected.v);
    expect_part(context_axes, "context", expected.context, &Decoding::Expected::context, {});
}

STATES(Positions, KeysAreTurnedOnceAtTheirOwnPosition, "rotary_decoding", "rotary_sight", "rotary_attention", "group");
PROPERTY(Positions, KeysAreTurnedOnceAtTheirOwnPosition, 1,
         "new keys are turned by their own positions and kept; those in the cache are left as they are") {
    for (const Grouping& grouping : {Grouping{1, 3}, Grouping{3, 2}, Grouping{3, 1}}) {
        Sizes n = with_even_width(random_sizes(random), random);
        expect_decoded(student, Decoding(random, grouping, n, random_padding(random, n.B, n.S - 1)));
        std::vector<Index> all_so_far = random_padding(random, n.B, n.S);
        all_so_far.front() = n.S + n.T;  // padding goes on behind the cache
        expect_decoded(student, Decoding(random, grouping, n, all_so_far));
        const std::vector<Index> beyond = random_padding(random, n.B, n.T + 2);  // a chunk of padding alone
        expect_decoded(student, Decoding(random, grouping, n, beyond).from_the_beginning());
        for (const float level : {30.0F, -30.0F})
            expect_decoded(student, Decoding(random, grouping, n, beyond).from_the_beginning().at_level(random, level));
        n.T = 1;
        expect_decoded(student, Decoding(random, grouping, n, random_padding(random, n.B, n.S)));
    }
    for_every_relation(student, random, "B G K T S I d_v H=G*K", [&](const AxisSizes& sizes, Random& own) {
        Sizes n = sizes.sizes();
        n.d = 2 * sizes["I"];
        const Decoding in(own, {sizes["G"], sizes["K"]}, n, random_padding(own, n.B, n.S + n.T));
        expect_decoded(student, own.integer(0, 3) == 0 ? in.from_the_beginning() : in);
    });
}

// ---- one matrix for three projections --------------------------------------------------------------------------

/// A vector of biases, or Tensor{} where there is none.
void expect_bias(Student& student, const std::string& name, const Tensor& actual, const Array& expected) {
    if (expected.value.empty())
        expect(!actual.defined(), Stage::project, "there are no biases, but your " + name + " is a tensor");
    else
        expect_close(student, {name, Stage::project, {"row"}}, actual, expected);
}

void expect_packed(Student& student, const Layer& layer) {
    const wire::Record given = student.record("pack_in_projection", layer.arguments());
    const diagnosis::PackedArrays expected = layer.packed();
    expect_close(student, matrix_axes("packed weight"), field<Tensor>(given, "weight"), expected.weight);
    expect_bias(student, "packed bias", field<Tensor>(given, "bias"), expected.bias);
}

void expect_unpacked(Student& student, const Tensor& weight, const Tensor& bias, const Grouping& grouping) {
    const wire::Record given = student.record(
        "unpack_in_projection",
        {{"weight", weight}, {"bias", bias}, {"num_heads", grouping.H()}, {"num_kv_heads", grouping.H_kv}});
    const diagnosis::UnpackedArrays expected =
        diagnosis::unpacked(InProjection::right(), {exact(weight), exact(bias)}, grouping.H(), grouping.H_kv);
    const std::array<std::string, 3> letters{"q", "k", "v"};
    for (std::size_t part = 0; part < letters.size(); ++part)
        expect_close(student, matrix_axes("w_" + letters[part]), field<Tensor>(given, "w_" + letters[part]),
                     expected.w[part]);
    for (std::size_t part = 0; part < letters.size(); ++part)
        expect_bias(student, "b_" + letters[part], field<Tensor>(given, "b_" + letters[part]), expected.b[part]);
}

PROPERTY(Positions, ProjectionsArePackedAsTorchDoes, 1,
         "rows of queries, then of keys, then of values, each a column of its weight; biases alike") {
    const Sizes n = random_sizes(random);
    for (const Grouping& grouping : {Grouping{3, 5}, Grouping{5, 3}, Grouping{1, 3}}) {
        const Layer layer(random, n.S, grouping.H() * n.d, grouping.H_kv * n.d);
        expect_packed(student, layer);
        expect_packed(student, layer.without_biases());
    }
    for_every_relation(student, random, "D E F", [&](const AxisSizes& sizes, Random& own) {
        const Layer layer(own, sizes["D"], sizes["E"], sizes["F"]);
        expect_packed(student, own.integer(0, 2) == 0 ? layer.without_biases() : layer);
    });
}

PROPERTY(Positions, UnequalPartsAreUnpacked, 1,
         "of H + 2·H_kv heads the first H are queries, the next H_kv keys, the last H_kv values") {
    const Sizes n = random_sizes(random);
    for (const Grouping& grouping : {Grouping{3, 5}, Grouping{5, 3}, Grouping{1, 3}, Grouping{6, 1}}) {
        const Index rows = (grouping.H() + 2 * grouping.H_kv) * n.d;
        expect_unpacked(student, random_tensor(random, {rows, n.S}), random_tensor(random, {rows}), grouping);
        expect_unpacked(student, random_tensor(random, {n.S, rows}).transpose(0, 1), Tensor{}, grouping);
    }
    for_every_relation(student, random, "D G K d H=G*K", [&](const AxisSizes& sizes, Random& own) {
        const Index rows = (sizes["H"] + 2 * sizes["K"]) * sizes["d"];
        expect_unpacked(student, random_tensor(own, {rows, sizes["D"]}),
                        own.integer(0, 2) == 0 ? Tensor{} : random_tensor(own, {rows}), {sizes["G"], sizes["K"]});
    });
}

// ---- what does not fit ----------------------------------------------------------------------------------------

/// A text may go on in two ways, from one cache.
void expect_caches_last(Student& student, const Decoding& in) {
    const auto answer = [&](bool once_more) {
        return student.record("decode_twice", {{"q", in.q},
                                               {"k", in.k},
                                               {"v", in.v},
                                               {"padding", in.padding},
                                               {"base", in.base},
                                               {"once_more", once_more}});
    };
    const wire::Record alone = answer(false), beside_another = answer(true);
    for (const char* part : {"cache_k", "cache_v"}) {
        const Tensor before = field<Tensor>(alone, part), after = field<Tensor>(beside_another, part);
        expect(
            !difference(kept_axes(part), after, own(before)), Stage::split,
            "a cache that your decode returned changes when the one before it is continued a second time, with other "
            "tokens: do both write into the same storage?");
    }
}

PROPERTY(Positions, MisfitsAreRefused, 1,
         "what does not fit is refused, strides change no answer; arguments and later calls are left alone") {
    const Sizes n = with_even_width(random_sizes(random), random);
    const Inputs in(random, {3, 2}, n);
    const Decoding step(random, {3, 2}, n, random_padding(random, n.B, n.S));
    const Layer layer(random, n.S, 6 * n.d, 3 * n.d);
    const Tensor w = random_tensor(random, {n.S, 3 * n.d}), packed = random_tensor(random, {12 * n.d, n.S});
    const Tensor angles = random_angles(random, n.B, n.T, n.d / 2);
    expect_untouched(student, {{"rotation_angles", {{"positions", in.q_positions}, {"d", n.d}, {"base", in.base}}},
                               {"rotate_pairs", {{"x", in.q}, {"angles", angles}}},
                               {"rotate_halves", {{"x", in.q}, {"angles", angles}}},
                               {"pairs_to_halves", {{"w", w}, {"num_heads", Index{3}}}},
                               {"halves_to_pairs", {{"w", w}, {"num_heads", Index{3}}}},
                               {"rotary_attention", in.with(random_mask(random, {n.T, n.S}))},
                               {"decode", step.arguments()},
                               {"decode", step.from_the_beginning().arguments()},
                               {"pack_in_projection", layer.arguments()},
                               {"unpack_in_projection",
                                {{"weight", packed},
                                 {"bias", random_tensor(random, {12 * n.d})},
                                 {"num_heads", Index{6}},
                                 {"num_kv_heads", Index{3}}}}});
    expect_caches_last(student, step);
    expect_positions_checked(student, random, n);
    expect_turns_checked(student, random, n);
    expect_attention_checked(student, random, in, n);
    expect_decoding_checked(student, random, step);
    expect_packing_checked(student, random, n);
}

}  // namespace
}  // namespace headway::judge
