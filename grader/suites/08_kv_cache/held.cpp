#include "suites/08_kv_cache/held.hpp"
#include "suites/08_kv_cache/questions.hpp"

#include "diagnosis/choices.hpp"
#include "diagnosis/elements.hpp"

#include <algorithm>
#include <functional>

namespace headway::diagnosis {
namespace {

/// Where new tokens stand in an array (B, H, C, d).
class Places {
public:
    Places(const Array& array, Index n, const Caching& choices, const Shape& lengths, const Shape& counts)
        : heads_(array.size(1)),
          capacity_(array.size(2)),
          width_(array.size(3)),
          tokens_(n),
          choices_(choices),
          lengths_(lengths),
          counts_(counts) {}

    /// Where the first feature of new token t is written.
    std::size_t begin(std::size_t b, Index h, Index t) const {
        Index at = choices_.position(lengths_, counts_, b, t);
        if (choices_.moves_on_for_each_head) at += h * counts_[b];
        if (choices_.when_full == Caching::WhenFull::overwrites_the_oldest) at %= capacity_;
        const Index head = static_cast<Index>(b) * heads_ + h;
        if (choices_.heads == Caching::Apart::tokens_so_far)
            return as_size((head * (lengths_[b] + counts_[b]) + at) * width_);
        if (choices_.heads == Caching::Apart::new_tokens)
            return as_size((static_cast<Index>(b) * heads_ * capacity_ + h * tokens_ + at) * width_);
        if (at >= capacity_) throw Unpredictable{};  // some refuse, others write elsewhere
        return as_size((head * capacity_ + at) * width_);
    }

private:
    Index heads_, capacity_, width_, tokens_;
    const Caching& choices_;
    const Shape& lengths_;
    const Shape& counts_;
};

void write(Array& to, const Array& from, std::size_t b, Index count, const Places& places,
           const std::function<Index(Index t)>& token, const Caching& choices) {
    const Index n = choices.heads_read_by_counts ? count : from.size(2);
    const auto d = as_size(from.size(3));
    for (Index h = 0; h < from.size(1); ++h)
        for (Index t = 0; t < count; ++t)
            for (std::size_t i = 0; i < d; ++i) {
                const std::size_t source = as_size((static_cast<Index>(b) * from.size(1) + h) * n + token(t)) * d + i;
                const std::size_t target = places.begin(b, h, t) + i;
                const double before = choices.adds_to_what_is_there ? to.value.at(target) : 0;
                to.value.at(target) = before + from.value[source];
                to.error.at(target) = from.error[source];
            }
}

bool has_room(const Held& held, std::size_t b, Index count, Index n, const Caching& choices) {
    const bool asks_for_padding = choices.when_full == Caching::WhenFull::refused_for_padding;
    const Index after = held.lengths[b] + (asks_for_padding ? n : count), C = held.k.size(2);
    if (choices.when_full == Caching::WhenFull::overwrites_the_oldest) return true;
    return choices.when_full == Caching::WhenFull::last_position_unused ? after < C : after <= C;
}

}  // namespace

void Held::append(const Array& new_k, const Array& new_v, const Shape& counts, const Caching& choices) {
    const Shape before = lengths;
    const auto count = [&](std::size_t b) { return choices.padding_is_kept ? new_k.size(2) : counts[b]; };
    const Index n = new_k.size(2);
    const bool fills = n == k.size(2) && std::all_of(counts.begin(), counts.end(), [n](Index c) { return c == n; });
    another_storage = choices.storage == Caching::Storage::replaced ||
                      (choices.storage == Caching::Storage::replaced_by_a_chunk_that_fills_it && fills);
    const bool one_by_one = choices.when_full == Caching::WhenFull::refused_while_writing_one_by_one;
    const bool while_writing = one_by_one || choices.when_full == Caching::WhenFull::refused_while_writing;
    refused = choices.counts_of_zero_refused && std::ranges::find(counts, 0) != counts.end();
    for (std::size_t b = 0; b < counts.size() && !while_writing; ++b)
        refused |= !has_room(*this, b, count(b), n, choices);
    for (std::size_t b = 0; b < counts.size() && !refused; ++b) {
        if (choices.append_ends_at_a_count_of_zero && counts[b] == 0) return;
        refused = !has_room(*this, b, count(b), n, choices);
        if (refused && !one_by_one) return;
        const Index room = k.size(2) - before[b];
        const Index counted = refused ? room : choices.padding_is_kept_in_room ? std::min(n, room) : count(b);
        const Index written = choices.padding_is_written ? std::min(n, room) : counted;
        // It throws somewhere on the way.
        if (choices.padding_of_values_is_written && n > room) throw Unpredictable{};
        const auto token = [&](Index t) { return t < counted ? choices.token(counts, b, t, n) : t; };
        const Places places(k, n, choices, before, counts);
        const bool is_lost = choices.copies_slices && k.size(1) > 1 && written < k.size(2);
        if (choices.writes_keys && !is_lost)
            write(k, choices.values_for_keys ? new_v : new_k, b, written, places, token, choices);
        if (choices.writes_values && !is_lost)
            write(v, choices.keys_for_values ? new_k : new_v, b, choices.padding_of_values_is_written ? n : written,
                  places, token, choices);
        if (choices.length_is_end)
            lengths[b] = choices.position(before, counts, b, counted);
        else
            lengths[b] += refused || choices.padding_is_kept || choices.padding_is_kept_in_room
                              ? counted
                              : choices.grows_by(counts, b, n) * (choices.moves_on_for_each_head ? k.size(1) : 1);
    }
}

bool is_hidden(const Caching& choices, const Shape& before, const Shape& after, std::size_t b, Index t, Index s,
               Index n, Index S) {
    if (choices.keys_of_the_first_alone && s >= std::max<Index>(after.front(), 1)) return true;
    if (choices.sees_last > 0 && s + choices.sees_last <= before[b] + t) return true;
    switch (choices.sees) {
        case Caching::Sees::up_to_itself:
            // Who takes the end of what was written for the length looks back from there.
            return choices.length_is_end ? s > choices.position(before, before, b, t)
                                         : choices.hidden(before, b, t, s, n, S);
        case Caching::Sees::up_to_its_length_after:
            return choices.hidden(after, b, t, s, n, S);
        case Caching::Sees::all_if_it_comes_alone:
            return n > 1 && choices.hidden(before, b, t, s, n, S);
        case Caching::Sees::what_was_before:
            if (before[b] == 0) throw Unpredictable{};  // some see nothing then, others the first token
            return s >= before[b];
        case Caching::Sees::whole_chunk:
            return s >= after[b];
        case Caching::Sees::chunk_alone:
            return s > t;
        case Caching::Sees::one_offset:
            return s > t + (S - n) || s >= after[b];
        case Caching::Sees::one_offset_for_equal_lengths: {
            const bool alike = std::ranges::all_of(before, [&](Index length) { return length == before.front(); });
            const Index longest = *std::ranges::max_element(after);  // as many keys as it looks at
            return alike ? s > t + (longest - n) || s >= after[b] : choices.hidden(before, b, t, s, n, S);
        }
        case Caching::Sees::offset_of_first_sequence:
            return s > before.front() + t || s >= after[b];
        case Caching::Sees::back_from_the_last_token:
            return s > after[b] - n + t;
        case Caching::Sees::whole_cache:
            return false;
        case Caching::Sees::whole_cache_after_the_first_chunk: {
            const bool is_first = std::all_of(before.begin(), before.end(), [](Index length) { return length == 0; });
            return is_first && choices.hidden(before, b, t, s, n, S);
        }
    }
    return false;
}

Array found(const Array& held, Index used, const Caching& choices) {
    if (choices.heads_read == Caching::Apart::capacity) return held;
    const Index H = held.size(1), C = held.size(2), d = held.size(3);
    return gathered(held, held.shape, [&](Coordinate at) {
        if (at[2] >= used) return position(held.shape, at);
        return static_cast<std::size_t>((at[0] * H * C + at[1] * used + at[2]) * d + at[3]);
    });
}

Array marked(const std::vector<bool>& tokens, const Shape& context) {
    Array marks = zeros(context);
    each(context, [&](Coordinate at, std::size_t i) {
        if (tokens[as_size(at[0] * context[2] + at[2])]) marks.value[i] = 1;
    });
    return marks;
}

void leave_open(Array& y, const Array& marks) {
    const std::size_t width = as_size(marks.size(-1)), D = as_size(y.size(-1));
    for (std::size_t i = 0; i < marks.value.size(); ++i)
        if (marks.value[i] != 0) std::fill_n(y.error.begin() + static_cast<std::ptrdiff_t>(i / width * D), D, anything);
}

Array lengths_array(const Shape& lengths) {
    Array array = zeros({static_cast<Index>(lengths.size())});
    std::transform(lengths.begin(), lengths.end(), array.value.begin(),
                   [](Index length) { return static_cast<double>(length); });
    return array;
}

Array real_rows(Array rows, const Shape& counts) {
    each(rows.shape, [&](Coordinate at, std::size_t i) {
        if (at[1] >= counts[as_size(at[0])]) rows.value[i] = rows.error[i] = 0;
    });
    return rows;
}

Array up_to_a_count_of_zero(Array rows, const Shape& counts) {
    const Index first = std::ranges::find(counts, 0) - counts.begin();
    each(rows.shape, [&](Coordinate at, std::size_t i) {
        if (at[0] > first) rows.value[i] = rows.error[i] = 0;
    });
    return rows;
}

Answer Held::answer() const {
    Answer all{.parts = {{"k", k}, {"v", v}, {"lengths", lengths_array(lengths)}}};
    if (refused) all.parts.push_back({"refused", {}});
    if (another_storage && !refused) all.parts.push_back({"in another storage", {}});
    return all;
}

}  // namespace headway::diagnosis
