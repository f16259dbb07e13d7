#pragma once

#include "reference/array.hpp"

#include <headway/mask.hpp>

#include <functional>
#include <vector>

/// Which tokens of a long text see each other (exercise 11).
/// T queries · S keys · w window · L layers
namespace headway::diagnosis {

using reference::Array;

/// What is decided where masks of long texts are made. The right choices open what the hidden tests expect.
struct Windows {
    /// Query t of T and key s of S.
    struct Pair {
        Index t, s, T, S;
        Index p() const { return t + S - T; }
    };
    bool (*in_window)(const Pair& pair, Index w);

    using Positions = std::vector<Index>;
    bool (*opened_by)(const Pair& pair, const Positions& globals);

    /// What is known of a query and a key where it is decided whether the one sees the other.
    struct Sight {
        bool window, global, future, padding;
        bool query_is_padding, query_is_global, key_is_global;
        bool query_is_early;  ///< it stands before position w: its window begins with key 0
    };
    bool (*sees)(const Sight& sight);
    /// Whether key s of sequence b is taken for padding.
    bool (*is_padding)(const Mask& padding, Index b, Index s);
    bool stops_at_padding = false;  ///< a query looks at no key behind the first padding that it meets
    /// Where a key is looked up in padding: where it stands, or at its number among the keys that were gathered, for
    /// one query or for all that are computed together. A global query has all keys before it.
    enum class LookedUp { at_position, among_keys_of_query, among_keys_of_block };
    LookedUp looked_up = LookedUp::at_position;
    /// In attention, the score that padding has in place of none.
    struct PaddingScore {
        bool is_finite = false;
        bool in_empty_rows = false;        ///< also where a query sees nothing else
        bool in_empty_rows_alone = false;  ///< so low a number that no other row shows it
    };
    static constexpr double padding_score = -1e4;
    PaddingScore padding_scores;
    /// What a long mask has, with padding and without.
    enum class Axes { as_asked, always_four, never_of_heads };
    Axes axes = Axes::as_asked;
    bool inverted = false;  ///< true and false for one another, in each of the three masks

    /// Where, in attention, a global token counts as often as it is named.
    enum class CountsList { nowhere, before_windows, before_block };
    CountsList counts_list = CountsList::nowhere;
    bool neighbours_count_once = false;  ///< a name beside an equal one in that list does not count again
    /// Where a global token counts once more although the query sees it already. in_blocks: where the keys of the block
    /// of queries hold it (see together), and in the row of a global query that is in such a block.
    enum class CountsTwice { nowhere, in_windows, in_every_row, in_blocks };
    CountsTwice counts_twice = CountsTwice::nowhere;
    /// Queries whose attention is computed together, from the first query on, and what each of them sees that only
    /// another one should see. A global query has a row of its own, or is one of them.
    struct Together {
        Index count = 0;                ///< this many queries; or if it is 0,
        Index times = 0, parts = 1;     ///< w * times / parts, at least 1; none if that is 0 too
        bool see_later_keys = false;    ///< each sees up to the position of the last of them
        bool see_earlier_keys = false;  ///< each sees from where the window of the first of them begins
        bool global_queries_too = false;
        Index of(Index w) const;
    };
    Together together;
    bool scales_by_window = false;  ///< scores are divided by √w
    bool largest_goes_on = false;   ///< a head's scores are made smaller by the largest of all heads so far
    /// How often key s counts where query t sees it.
    Index copies(const Pair& pair, Index w, const Positions& globals) const;

    /// How often the mask is multiplied by itself.
    Index (*steps)(Index layers);
    /// How many ways there must be: some, an odd number, exactly one; or they are counted as they are, until there are
    /// too many for any number.
    enum class Joined { any, odd, one_alone, counted };
    Joined joined = Joined::any;
    bool (*is_way)(double count);   ///< of what was counted: infinity, and NaN where it met 0
    bool keeps_nearer = false;      ///< what fewer layers reach counts too
    bool keeps_itself = false;      ///< and each token itself
    bool doubles = false;           ///< each step squares what is reached
    bool stops_at_as_many = false;  ///< where a layer leaves as many pairs open as were open before
    bool turned = false;            ///< whom a token influences, in place of who influences it
    bool squares_blocked = false;   ///< what is blocked is multiplied, in place of what is open
    Index (*window_reach)(Index w, Index layers);

    static const Windows& right();
};

Mask window_mask(const Windows& choices, Index T, Index S, Index w);
Mask global_mask(const Windows& choices, Index T, Index S, const Windows::Positions& positions);
/// (B, 1, T, S), or (T, S) without padding
Mask long_mask(const Windows& choices, Index T, Index S, Index w, const Windows::Positions& globals,
               const Mask& padding);
/// Of a mask (S, S).
Mask reach(const Windows& choices, const Mask& mask, Index layers);

}  // namespace headway::diagnosis
