#pragma once

#include "reference/array.hpp"

#include <vector>

/// A cache of the last w tokens (exercise 11), as somebody keeps it.
/// B batch · H heads · n new tokens · d head_dim · d_v value width · w window
namespace headway::diagnosis {

using reference::Array;

/// What is decided where a ring is written and read. The defaults are right.
struct Ringing {
    /// New token t of n, in a ring of w that has seen `next` tokens.
    struct Token {
        Index t, n, next, w;
        Index position() const { return next + t; }
    };
    bool (*is_kept)(const Token&);
    Index (*slot)(const Token&);
    Index (*next)(Index next, Index n, Index w);
    bool writes_keys = true;
    bool writes_values = true;
    bool keys_for_values = false;  ///< k is written into both
    /// Who else sees the storage of a cache: another one with the same keys, the same values, or both.
    struct Seen {
        bool keys, values;
    };
    bool (*writes_shared_keys)(const Seen&);    ///< into keys that another cache sees
    bool (*writes_shared_values)(const Seen&);  ///< into values that another cache sees
    bool copies_by_contiguous = false;  ///< contiguous() is taken for a copy: it is one of views with other strides
    /// Whether the other cache changes.
    /// @param are_views  its tensors are views: then owns_storage() is false, shared or not
    bool changes_other(const Seen& seen, bool are_views) const;
    bool one_slot_more = false;  ///< a new ring has w + 1
    /// How wide a new ring is for keys and for values.
    enum class Widths { as_asked, keys_for_both, values_for_both, swapped };
    Widths widths = Widths::as_asked;
    bool shifts = false;                ///< slots hold tokens in order, the newest last, in place of p % w
    bool writes_as_contiguous = false;  ///< where a slot would be in a row-major storage, whatever the strides

    /// What new token t sees: a token of the ring at `position`, or new token u.
    struct Sight {
        Index position, own, w;
        Index next;
        Index distance() const { return own - position; }
    };
    bool (*sees)(const Sight&);
    /// Where tokens of the ring are taken to stand.
    enum class Order {
        by_position,
        as_slots,      ///< slot 0 holds the oldest token, wherever the ring begins
        as_positions,  ///< slot i holds the token at position i
    };
    Order order = Order::by_position;
    bool sees_unwritten = false;  ///< slots that no token has reached count as the tokens before the first
    bool sees_ring = true;
    bool sees_new = true;
    Index (*held)(Index next, Index w);  ///< how many slots are read
    /// When new tokens are taken in, and where they are looked for if that comes first.
    enum class Looks {
        before,                    ///< at the old tokens and the new ones
        at_what_is_left,           ///< at the tokens that the ring still holds: what was pushed out is not seen
        at_what_is_left_or_chunk,  ///< the same, but at the new ones where these are more than it holds
        at_slots,                  ///< at the slots of its window, which newer tokens may hold by now
        at_everything,             ///< at all that the ring holds
        at_ring_and_chunk          ///< at the old tokens' slots, which new ones hold by now, and at the new ones
    };
    Looks looks = Looks::before;
    bool takes_in = true;  ///< in decode at all
    static const Ringing& right();
};

/// Keys and values (B, H, w, d) and (B, H, w, d_v).
struct Ring {
    Array k, v;
    Index next = 0;
    bool slots_before_heads = false;  ///< the storage is (B, w, H, width): k and v are views of it

    Index w() const { return k.size(2); }
    /// Writes new keys and values as `choices` decide. @throws Unpredictable where students do one thing or another
    void append(const Array& new_k, const Array& new_v, const Ringing& choices);
};

/// The keys that new tokens look at, and which of them each may not see.
struct RingSight {
    Array k, v;
    Mask blocked;  ///< (n, keys)
};

/// What n new tokens, (B, H, n, d) and (B, H, n, d_v), see of a ring and of each other.
RingSight seen_in_ring(const Ring& ring, const Array& new_k, const Array& new_v, const Ringing& choices);

}  // namespace headway::diagnosis
