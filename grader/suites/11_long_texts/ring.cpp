#include "suites/11_long_texts/ring.hpp"

#include "diagnosis/choices.hpp"
#include "diagnosis/elements.hpp"

#include <algorithm>

namespace headway::diagnosis {
namespace {

Ringing right_ringing() {
    Ringing all{};
    all.is_kept = [](const Ringing::Token& token) { return token.t >= token.n - token.w; };
    all.slot = [](const Ringing::Token& token) { return token.position() % token.w; };
    all.next = [](Index next, Index n, Index) { return next + n; };
    all.writes_shared_keys = [](const Ringing::Seen&) { return false; };
    all.writes_shared_values = [](const Ringing::Seen&) { return false; };
    all.held = [](Index next, Index w) { return std::min(next, w); };
    all.sees = [](const Ringing::Sight& sight) { return sight.distance() >= 0 && sight.distance() < sight.w; };
    return all;
}

/// A token on axis 2 of (B, H, length, width) takes the place of another.
void put(Array& to, Index slot, const Array& from, Index t) {
    const Index width = from.size(3);
    for (Index row = 0; row < from.size(0) * from.size(1); ++row)
        for (Index i = 0; i < width; ++i) {
            const auto target = static_cast<std::size_t>((row * to.size(2) + slot) * width + i);
            const auto source = static_cast<std::size_t>((row * from.size(2) + t) * width + i);
            to.value.at(target) = from.value.at(source);
            to.error.at(target) = from.error.at(source);
        }
}

/// The last of what the slots hold, as it stands there, and of the new tokens.
void shift_in(Array& ring, const Array& fresh, Index next) {
    const Array before = ring;
    const Index w = ring.size(2), filled = std::min(next, w), n = fresh.size(2);
    for (Index i = std::max<Index>(0, filled + n - w); i < filled + n; ++i) {
        const Index slot = i - std::max<Index>(0, filled + n - w);
        if (i < filled)
            put(ring, slot, before, i);
        else
            put(ring, slot, fresh, i - filled);
    }
}

/// (B, H, w, width) with the numbers of (B, w, H, width) in the order in which these are stored.
Array as_stored(const Array& x) { return reference::reshape(reference::transpose(x, 1, 2), x.shape); }
Array from_stored(const Array& x) {
    return reference::transpose(reference::reshape(x, {x.size(0), x.size(2), x.size(1), x.size(3)}), 1, 2);
}

/// A token that new ones may look at: in the ring or among them.
struct Candidate {
    bool is_new;
    Index place;     ///< its slot, or its number among the new ones
    Index position;  ///< as it is taken to be
};

Index position_of(Index slot, const Ring& ring, const Ringing& choices) {
    const Index w = ring.w(), next = ring.next;
    if (choices.order == Ringing::Order::as_slots) return std::max<Index>(0, next - w) + slot;
    if (choices.order == Ringing::Order::as_positions) return slot;
    if (next < w && slot >= next) return slot - w;  // no token has reached it
    return next - 1 - (next - 1 - slot) % w;
}

/// The last position up to `own` that belongs into a slot; negative if there is none.
Index claimed_by(Index slot, Index own, Index w) { return own - ((own - slot) % w + w) % w; }

std::vector<Candidate> in_ring(const Ring& ring, const Ringing& choices) {
    std::vector<Candidate> all;
    const Index filled = choices.sees_unwritten ? ring.w() : choices.held(ring.next, ring.w());
    for (Index slot = 0; slot < filled; ++slot) all.push_back({false, slot, position_of(slot, ring, choices)});
    return all;
}

}  // namespace

const Ringing& Ringing::right() {
    static const Ringing all = right_ringing();
    return all;
}

bool Ringing::changes_other(const Seen& seen, bool are_views) const {
    if (copies_by_contiguous) return !are_views && ((seen.keys && writes_keys) || (seen.values && writes_values));
    const Seen not_owned = are_views ? Seen{true, true} : seen;
    return (seen.keys && writes_keys && writes_shared_keys(not_owned)) ||
           (seen.values && writes_values && writes_shared_values(not_owned));
}

void Ring::append(const Array& new_k, const Array& new_v, const Ringing& choices) {
    const Index n = new_k.size(2), size = w();
    if (choices.keys_for_values && new_k.size(3) != new_v.size(3)) throw Unpredictable{};
    const bool by_storage = choices.writes_as_contiguous && slots_before_heads;
    if (by_storage) {
        k = as_stored(k);
        v = as_stored(v);
    }
    if (choices.shifts) {
        shift_in(k, new_k, next);
        shift_in(v, new_v, next);
    }
    for (Index t = 0; t < n && !choices.shifts; ++t) {
        const Ringing::Token token{t, n, next, size};
        if (!choices.is_kept(token)) continue;
        const Index slot = choices.slot(token);
        if (slot < 0 || slot >= size) throw Unpredictable{};  // some crash, others write elsewhere
        if (choices.writes_keys) put(k, slot, new_k, t);
        if (choices.writes_values) put(v, slot, choices.keys_for_values ? new_k : new_v, t);
    }
    if (by_storage) {
        k = from_stored(k);
        v = from_stored(v);
    }
    next = choices.next(next, n, size);
}

RingSight seen_in_ring(const Ring& ring, const Array& new_k, const Array& new_v, const Ringing& choices) {
    const Index n = new_k.size(2);
    Ring looked_at = ring;
    std::vector<Candidate> all;
    using Looks = Ringing::Looks;
    const Looks looks = choices.looks;
    if (looks != Looks::before) looked_at.append(new_k, new_v, choices);
    const bool looks_at_chunk = looks == Looks::at_what_is_left_or_chunk && n > ring.w();
    if (looks != Looks::before && looks != Looks::at_ring_and_chunk && !looks_at_chunk) {
        all = in_ring(looked_at, choices);
    } else {
        if (choices.sees_ring && !looks_at_chunk) all = in_ring(ring, choices);
        for (Index t = 0; t < n && choices.sees_new; ++t) all.push_back({true, t, ring.next + t});
    }
    const auto keys = static_cast<Index>(all.size());
    RingSight sight{zeros({new_k.size(0), new_k.size(1), keys, new_k.size(3)}),
                    zeros({new_v.size(0), new_v.size(1), keys, new_v.size(3)}), Mask::allow_all({n, keys})};
    for (Index i = 0; i < keys; ++i) {
        const Candidate& one = all[static_cast<std::size_t>(i)];
        put(sight.k, i, one.is_new ? new_k : looked_at.k, one.place);
        put(sight.v, i, one.is_new ? new_v : looked_at.v, one.place);
        for (Index t = 0; t < n; ++t) {
            const Index own = ring.next + t;
            const Index position = looks == Looks::at_slots ? claimed_by(one.place, own, ring.w()) : one.position;
            const bool is_there = looks != Looks::at_slots || position >= 0;
            const bool sees = looks == Looks::at_everything || choices.sees({position, own, ring.w(), ring.next});
            sight.blocked(t, i) = !(is_there && sees);
        }
    }
    return sight;
}

}  // namespace headway::diagnosis
