// The room that the hidden tests of exercise 12 leave: right programs in other styles take half of it at most. Their
// sums run in other orders, and what a rounding makes of them may come out on either side.
#include "half_program.hpp"

#include "reference/attention.hpp"
#include "student/expect.hpp"
#include "suites/12_small_numbers/inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace headway {

namespace ex12_solution {
halves::Program program();
}
namespace ex12_bits_of_a_float {
halves::Program program();
}
namespace ex12_halves_of_eigen {
halves::Program program();
}
namespace ex12_number_by_number {
halves::Program program();
}
namespace ex12_table_of_halves {
halves::Program program();
}

namespace judge::small_numbers {
namespace {

constexpr double most_of_the_room = 0.5;
constexpr std::uint64_t seeds[] = {1, 2, 3};

std::vector<halves::Program> right_programs() {
    return {ex12_solution::program(), ex12_bits_of_a_float::program(), ex12_halves_of_eigen::program(),
            ex12_number_by_number::program(), ex12_table_of_halves::program()};
}

/// How much of what is allowed the worst number takes; 1 is all of it.
double share_of_room(const Tensor& answer, const Array& expected) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Array given = exact(answer);
    if (given.shape != expected.shape) return infinity;
    double largest = 0;
    for (std::size_t i = 0; i < expected.value.size(); ++i) {
        const double off = std::abs(given.value[i] - expected.value[i]);
        if (!std::isfinite(off)) return infinity;
        largest = std::max(largest, off / tolerance(expected.value[i], expected.error[i]));
    }
    return largest;
}

Array right_softmax(const Tensor& scores, bool total_in_half) {
    return diagnosis::softmax_in_half(Halves::right(), exact(scores), total_in_half);
}

/// What SoftmaxRoundsEachStep asks.
std::vector<Tensor> scores_of(Random& random) {
    const Sizes n = random_sizes(random);
    return {random_tensor(random, {n.B, n.H, n.T, n.S}),
            random_tensor(random, {n.S, 60}) * 3.0F,
            random_tensor(random, {40}) * 0.5F + 20.0F,
            with_blocked(random, random_tensor(random, {n.B, n.T, n.S}) * 2.0F, false),
            with_blocked(random, random_tensor(random, {n.B, n.T, n.S}) - 30.0F, true),
            within_halves(random_tensor(random, {n.T, n.S}) * 2e4F),
            Tensor::of({2, 3}, {65'504, 65'504, -65'504, -65'504, -65'504, -65'472}),
            Tensor::zeros({2, 4096}),
            random_tensor(random, {3000}) * 0.25F};
}

/// What AttentionSumsInFloat asks.
std::vector<std::pair<Heads, Mask>> heads_of(Random& random) {
    Sizes n = random_sizes(random);
    std::vector<std::pair<Heads, Mask>> all{{random_heads(random, n), Mask{}},
                                            {heads_of_few_digits(random, n), random_mask(random, {n.B, n.H, n.T, n.S})},
                                            {random_heads(random, n), random_mask(random, {n.T, n.S})},
                                            {beyond_the_largest(random, n), Mask{}},
                                            {large_term_first(random, n), Mask{}},
                                            {near_the_ends(random, n), reference::causal_mask(n.T, n.S)},
                                            {random_heads(random, n), Mask::block_all({n.T, 1})}};
    n.d = 96;
    n.S = 40;
    all.emplace_back(random_heads(random, n), random_mask(random, {n.T, n.S}));
    return all;
}

TEST(ScoresInHalf, AreNeverBeyondTheLargest) {
    const Tensor x = within_halves(Tensor::of({4}, {7e4F, 65'504, -66'000, 1}));
    const float expected[] = {65'504, 65'504, -65'504, 1};
    for (Index i = 0; i < 4; ++i) EXPECT_EQ(x(i), expected[i]);
}

TEST(RoomOfHalves, IsTwiceWhatRightSoftmaxesTake) {
    for (const std::uint64_t seed : seeds) {
        Random random(seed);
        const std::vector<Tensor> asked = scores_of(random);
        for (std::size_t i = 0; i < asked.size(); ++i)
            for (const bool total_in_half : {false, true}) {
                const Array expected = right_softmax(asked[i], total_in_half);
                for (const halves::Program& program : right_programs())
                    EXPECT_LE(share_of_room(program.softmax(asked[i], total_in_half), expected), most_of_the_room)
                        << program.name << ", seed " << seed << ", question " << i << ", half: " << total_in_half;
            }
    }
}

TEST(RoomOfHalves, IsTwiceWhatRightAttentionsTake) {
    for (const std::uint64_t seed : seeds) {
        Random random(seed);
        const auto asked = heads_of(random);
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const auto& [in, mask] = asked[i];
            const Array expected = diagnosis::attention_in_half(diagnosis::right(), in.q, in.k, in.v, mask);
            for (const halves::Program& program : right_programs())
                EXPECT_LE(share_of_room(program.attention(in.q, in.k, in.v, mask), expected), most_of_the_room)
                    << program.name << ", seed " << seed << ", question " << i;
        }
    }
}

TEST(RoomOfHalves, DoesNotHoldATotalInHalf) {
    const Tensor zeros = Tensor::zeros({2, 4096});
    const Array expected = right_softmax(zeros, false);
    for (const halves::Program& program : right_programs())
        EXPECT_GT(share_of_room(program.softmax(zeros, true), expected), 1) << program.name;
}

}  // namespace
}  // namespace judge::small_numbers
}  // namespace headway
