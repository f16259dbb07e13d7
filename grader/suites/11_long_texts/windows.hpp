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
        bool query_is_padding;
    };
    bool (*sees)(const Sight& sight);
    /// The sequence whose padding counts for sequence b.
    Index (*padding_of)(Index b);
    bool inverted = false;  ///< true and false for one another, in each of the three masks

    /// How often the mask is multiplied by itself.
    Index (*steps)(Index layers);
    enum class Joined { any, odd, one_alone };
    Joined joined = Joined::any;   ///< how many ways there must be: some, an odd number, exactly one
    bool keeps_nearer = false;     ///< what fewer layers reach counts too, the token itself included
    bool doubles = false;          ///< each step squares what is reached
    bool turned = false;           ///< whom a token influences, in place of who influences it
    bool squares_blocked = false;  ///< what is blocked is multiplied, in place of what is open
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
