// What does not fit, and must be refused.
#include "suites/13_positions/misfits.hpp"

#include "student/sweep.hpp"

#include <algorithm>

namespace headway::judge::positions {

namespace {

/// What belongs to a text taken out of a batch has an axis less. It is not for every text.
void expect_every_axis_wanted(Student& student, const std::string& function, const Arguments& fits,
                              const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < fits.size(); ++i) {
        if (std::ranges::find(names, fits[i].name) == names.end()) continue;
        Arguments flat = fits;
        const Tensor one = std::get<Tensor>(fits[i].value).select(0, 0);
        flat[i].value = one;
        student.refuses_index(function, flat,
                              fits[i].name + " has " + std::to_string(one.rank()) +
                                  (one.rank() == 1 ? " axis" : " axes") + ", one too few");
    }
}

}  // namespace

void expect_positions_checked(Student& student, Random& random, const Sizes& n) {
    const auto refuse = [&](const std::vector<Index>& padding, Index first, Index T, const std::string& because) {
        student.refuses("token_positions", {{"padding", padding}, {"first", first}, {"T", T}}, because);
    };
    refuse({0, 1, -1}, 0, n.T, "a count of padding is negative");
    refuse({0, 1}, -1, n.T, "`first` is negative");
    refuse({0, 1}, 0, 0, "T is 0");
    refuse({0, 1}, 0, -1, "T is negative");
    refuse({}, 0, n.T, "there is no sequence");
    const Tensor at = random_positions(random, n.B, n.T, 60);
    const auto refuse_angles = [&](const Tensor& some, Index d, double base, const std::string& because) {
        student.refuses("rotation_angles", {{"positions", some}, {"d", d}, {"base", base}}, because);
    };
    for (const Index d : {7, 1}) refuse_angles(at, d, 500, "d is odd");
    refuse_angles(at, 0, 500, "d is 0");
    refuse_angles(at, -2, 500, "d is negative");
    refuse_angles(at, 6, 0, "base is 0");
    refuse_angles(at, 6, -500, "base is negative");
    refuse_angles(at.select(0, 0), 6, 500, "positions must be (B, T)");
}

void expect_turns_checked(Student& student, Random& random, const Sizes& n) {
    for (const char* function : {"rotate_pairs", "rotate_halves"}) {
        const Arguments fits{{"x", heads(random, n.B, n.H, n.T, 6)}, {"angles", random_angles(random, n.B, n.T, 3)}};
        refuses_misfits(student, random, function, fits, "x: B H T d!, angles: B T i!");
        Arguments odd = fits;
        odd[0].value = heads(random, n.B, n.H, n.T, 7);
        student.refuses(function, odd, "a width of 7 has no pairs");
        Arguments flat = fits;
        flat[0].value = random_tensor(random, {n.B, n.T, 6});
        student.refuses(function, flat, "x must be of shape (B, H, T, d)");
        expect_every_axis_wanted(student, function, fits, {"angles"});
    }
    for (const char* function : {"pairs_to_halves", "halves_to_pairs"}) {
        const auto refuse = [&](const Tensor& w, Index H, const std::string& because) {
            student.refuses(function, {{"w", w}, {"num_heads", H}}, because);
        };
        refuse(random_tensor(random, {n.S, 3 * 6 + 2}), 3, "20 columns do not divide among 3 heads");
        refuse(random_tensor(random, {n.S, 3 * 5}), 3, "heads of width 5 have no pairs");
        refuse(random_tensor(random, {n.S, 6}), 0, "num_heads is 0");
        refuse(random_tensor(random, {n.S, 6}), -3, "num_heads is negative");
        refuse(random_tensor(random, {}), 1, "w has no axis");
    }
}

void expect_attention_checked(Student& student, Random& random, const Inputs& in, const Sizes& n) {
    refuses_misfits(student, random, "rotary_attention", in.with(Mask{}),
                    "q: B H T d, k: B K S d, v: B K S d_v, q_positions: B T, k_positions: B S");
    const auto refuse = [&](std::size_t which, const wire::Value& value, const std::string& because) {
        Arguments other = in.with(Mask{});
        other[which].value = value;
        student.refuses("rotary_attention", other, because);
    };
    refuse(0, heads(random, n.B, in.grouping.H() + 1, n.T, n.d), "H is not divisible by H_kv");
    refuse(5, 0.0, "base is 0");
    refuse(5, -500.0, "base is negative");
    Arguments odd = in.with(Mask{});
    odd[0].value = heads(random, n.B, in.grouping.H(), n.T, 7);
    odd[1].value = heads(random, n.B, in.grouping.H_kv, n.S, 7);
    student.refuses("rotary_attention", odd, "a width of 7 has no pairs");
    expect_every_axis_wanted(student, "rotary_attention", in.with(Mask{}),
                             {"q", "k", "v", "q_positions", "k_positions"});
    refuses_masks(student, random, {n.B, in.grouping.H(), n.T, n.S}, "rotary_attention",
                  [&](const Mask& mask) { return in.with(mask); });
}

namespace {

/// What rotary_attention refuses, decode refuses too. A program may check a step behind a cache elsewhere than the
/// beginning of a text, so both are asked.
void expect_checked_as_attention_is(Student& student, Random& random, const Decoding& in) {
    const std::string when = in.P() > 0 ? ", behind a cache" : ", at the beginning of a text";
    const auto refuse = [&](const Decoding& other, const std::string& because) {
        student.refuses("decode", other.arguments(), because + when);
    };
    const Index B = in.q.size(0), H = in.grouping.H(), H_kv = in.grouping.H_kv, T = in.q.size(2);
    Decoding zero = in, negative = in, uneven = in, odd = in;
    zero.base = 0;
    refuse(zero, "base is 0");
    negative.base = -500;
    refuse(negative, "base is negative");
    uneven.q = heads(random, B, H + 1, T, in.q.size(3));
    refuse(uneven, "H is not divisible by H_kv");
    odd.q = heads(random, B, H, T, 7);
    odd.k = heads(random, B, H_kv, T, 7);
    if (in.P() > 0) odd.cached_k = heads(random, B, H_kv, in.P(), 7);
    refuse(odd, "a width of 7 has no pairs");
}

}  // namespace

void expect_decoding_checked(Student& student, Random& random, const Decoding& in) {
    refuses_misfits(student, random, "decode", in.arguments(),
                    "cache_k: B K P d, cache_v: B K P d_v, q: B H T d, k: B K T d, v: B K T d_v");
    expect_every_axis_wanted(student, "decode", in.arguments(), {"cache_k", "cache_v", "q", "k", "v"});
    for (const Decoding& some : {in, in.from_the_beginning()}) expect_checked_as_attention_is(student, random, some);
    const auto refuse = [&](const std::vector<Index>& padding, const std::string& because) {
        Arguments other = in.arguments();
        other[5].value = padding;
        student.refuses("decode", other, because);
    };
    std::vector<Index> longer = in.padding, negative = in.padding;
    longer.push_back(0);
    negative.back() = -1;
    refuse(longer, "there are more counts of padding than sequences");
    refuse({in.padding.begin(), in.padding.end() - 1}, "there are fewer counts of padding than sequences");
    refuse(negative, "a count of padding is negative");
    for (const std::size_t gone : {0u, 1u}) {
        Arguments other = in.arguments();
        other[gone].value = Tensor{};
        student.refuses("decode", other,
                        "the cache has " + std::string(gone == 0 ? "values and no keys" : "keys and no values"));
    }
}

void expect_packing_checked(Student& student, Random& random, const Sizes& n) {
    const Layer layer(random, n.S, 6 * n.d, 3 * n.d);
    refuses_misfits(student, random, "pack_in_projection", layer.arguments(),
                    "w_q: D E, w_k: D F, w_v: D F, b_q: E, b_k: F, b_v: F");
    // Weights of keys and values that differ, each with biases that fit it, or none.
    Arguments wider = layer.arguments();
    wider[2].value = random_tensor(random, {n.S, 3 * n.d + 1});
    wider[5].value = random_tensor(random, {3 * n.d + 1});
    student.refuses("pack_in_projection", wider, "w_v is wider than w_k");
    for (std::size_t bias = 3; bias < 6; ++bias) wider[bias].value = Tensor{};
    student.refuses("pack_in_projection", wider, "w_v is wider than w_k, and there are no biases");
    for (std::size_t flat = 0; flat < 3; ++flat) {
        Arguments other = layer.arguments();
        other[flat].value = std::get<Tensor>(other[flat].value).select(0, 0);
        student.refuses_index("pack_in_projection", other, other[flat].name + " has one axis");
    }
    for (std::size_t gone = 3; gone < 6; ++gone) {
        Arguments other = layer.arguments();
        other[gone].value = Tensor{};
        student.refuses("pack_in_projection", other, "there are other biases, but no " + other[gone].name);
        Arguments alone = layer.arguments();
        for (std::size_t bias = 3; bias < 6; ++bias)
            if (bias != gone) alone[bias].value = Tensor{};
        student.refuses("pack_in_projection", alone, "of all biases there is " + alone[gone].name + " alone");
    }
    const Index rows = 12 * n.d;
    const Tensor weight = random_tensor(random, {rows, n.S}), bias = random_tensor(random, {rows});
    const auto refuse = [&](const Tensor& w, const Tensor& b, Index H, Index H_kv, const std::string& because) {
        student.refuses("unpack_in_projection", {{"weight", w}, {"bias", b}, {"num_heads", H}, {"num_kv_heads", H_kv}},
                        because);
    };
    refuse(random_tensor(random, {rows + 1, n.S}), Tensor{}, 6, 3, "its rows do not divide among 12 heads");
    refuse(weight, random_tensor(random, {rows + 1}), 6, 3, "the bias is longer than the weight has rows");
    refuse(weight, random_tensor(random, {rows - 1}), 6, 3, "the bias is shorter than the weight has rows");
    refuse(weight, random_tensor(random, {rows, 1}), 6, 3, "the bias has two axes");
    refuse(bias, bias, 6, 3, "the weight has one axis");
    // Rows that divide, and rows that do not.
    refuse(random_tensor(random, {(8 + 2 * 5) * n.d, n.S}), Tensor{}, 8, 5, "H is not divisible by H_kv");
    refuse(random_tensor(random, {(3 + 2 * 6) * n.d, n.S}), Tensor{}, 3, 6, "H_kv is larger than H");
    refuse(weight, bias, 8, 5, "H is not divisible by H_kv");
    refuse(weight, bias, 0, 3, "num_heads is 0");
    refuse(weight, bias, 6, 0, "num_kv_heads is 0");
    refuse(weight, bias, -6, -3, "num_heads and num_kv_heads are negative");
}

}  // namespace headway::judge::positions
