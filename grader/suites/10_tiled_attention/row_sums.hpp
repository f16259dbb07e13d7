#pragma once

#include "suites/10_tiled_attention/tiling.hpp"

#include <cstddef>
#include <vector>

namespace headway::diagnosis {

/// The running softmax of one query: each value's share in what was gathered, and the total.
struct RowSums {
    /// The shares of the values of one head of one sequence.
    struct Shares {
        std::size_t matrix;
        std::vector<double> of;
    };
    /// A score, and which value it weighs.
    struct Seen {
        std::size_t value;
        double score;
    };

    /// The largest of no scores at all.
    static constexpr double no_score = -std::numeric_limits<double>::infinity();

    double largest;
    double total = 0;
    std::vector<Shares> shares;  ///< more than one where sums go on from one head to the next
    double relative_error = 0;   ///< of each share
    bool has_tile = false;
    bool first_row_is_empty = false;  ///< query 0 of the head has seen no key, this tile included
    bool vanishes = false;            ///< every share is so small that float32 rounds it, if not to 0
    bool is_uncertain = false;        ///< a tile's own sum is 0, or lost digits, and shares were divided by it

    explicit RowSums(const Tiling& choices) : largest(choices.start) {}

    /// Goes on with the values of a head.
    void turn_to(std::size_t matrix, std::size_t S);

    /// Takes in the scores of some keys, and how many more there are that have no value.
    /// @param beside  the largest score of other queries that is compared with, too
    void take(const std::vector<Seen>& keys, std::size_t more, const Tiling& choices, double beside = no_score);

    /// What one tile alone gives, added to the others' contexts.
    void add_context_of(const RowSums& tile);

private:
    void each_share(double (*change)(double share, double by), double by);
    void compare_with_zero();
    void forget();
    void become(double number);
    double own_sum_of(const std::vector<Seen>& keys, double compared);
    void take_unshifted(const std::vector<Seen>& keys, double now);
};

}  // namespace headway::diagnosis
