// What diagnosis knows of exercise 13.
//      B batch · H query heads · H_kv heads of keys and values · T queries · S keys · P tokens in the cache · d
//      head_dim
#include "suites/13_positions/inputs.hpp"
#include "suites/13_positions/packing.hpp"
#include "suites/13_positions/questions.hpp"

#include "diagnosis/attention.hpp"
#include "diagnosis/elements.hpp"
#include "diagnosis/grouping.hpp"
#include "diagnosis/subject.hpp"
#include "reference/attention.hpp"

#include <algorithm>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

using judge::Arguments;
using judge::positions::Decoding;
using judge::positions::Inputs;

std::vector<Index> counts(const Arguments& arguments) { return std::get<Shape>(argument(arguments, "padding")); }
double base_of(const Arguments& arguments) { return std::get<double>(argument(arguments, "base")); }

Predict positions_of_tokens(const Arguments& arguments) {
    const std::vector<Index> padding = counts(arguments);
    const Index first = integer(arguments, "first"), T = integer(arguments, "T");
    if (first < 0 || T < 1 || padding.empty() || std::ranges::min(padding) < 0) return nullptr;
    return [=](const Choices& c) {
        const Rotary& rotary = c.of<Rotary>();
        if (rotary.refuses(padding, first, T)) return Answer::without_value(Answer::Kind::refused);
        return Answer::of(token_positions(rotary, padding, first, T));
    };
}

Predict angles_of_tokens(const Arguments& arguments) {
    const Tensor positions = tensor(arguments, "positions");
    const Index d = integer(arguments, "d");
    const double base = base_of(arguments);
    if (positions.rank() != 2 || d < 2 || d % 2 != 0 || !(base > 0)) return nullptr;
    return [=](const Choices& c) {
        const Rotary& rotary = c.of<Rotary>();
        const double own_base = rotary.base_is_fixed ? 10'000 : base;
        return Answer::of(rotation_angles(rotary, c.reading.tensor(positions, Argument::other), d, own_base));
    };
}

Predict turned_heads(const Arguments& arguments, Rotary::Turn Rotary::*turn) {
    const Tensor x = tensor(arguments, "x"), angles = tensor(arguments, "angles");
    if (x.rank() != 4 || x.size(3) % 2 != 0 || angles.shape() != Shape{x.size(0), x.size(2), x.size(3) / 2})
        return nullptr;
    return [=](const Choices& c) {
        const Rotary& rotary = c.of<Rotary>();
        return Answer::of(turned(rotary, c.reading.tensor(x, Argument::other), reference::exact(angles), rotary.*turn));
    };
}

Predict turned_pairs(const Arguments& arguments) { return turned_heads(arguments, &Rotary::pairs); }
Predict turned_halves(const Arguments& arguments) { return turned_heads(arguments, &Rotary::halves); }

Predict converted(const Arguments& arguments, Rotary::Column Rotary::*column) {
    const Tensor w = tensor(arguments, "w");
    const Index H = integer(arguments, "num_heads");
    if (w.rank() < 1 || H < 1 || w.size(-1) % (2 * H) != 0) return nullptr;
    return [=](const Choices& c) {
        const Rotary& rotary = c.of<Rotary>();
        const Array read = c.reading.tensor(w, Argument::other);
        if (!rotary.converts_rows || w.rank() < 2) return Answer::of(with_columns(read, H, rotary.*column));
        if (w.size(0) % (2 * H) != 0) throw std::invalid_argument("rows do not divide");
        const Array rows = with_columns(reference::transpose(read, 0, w.rank() - 1), H, rotary.*column);
        return Answer::of(reference::transpose(rows, 0, w.rank() - 1));
    };
}

Predict in_halves(const Arguments& arguments) { return converted(arguments, &Rotary::to_halves); }
Predict in_pairs(const Arguments& arguments) { return converted(arguments, &Rotary::to_pairs); }

/// Values that are turned with keys have to be as wide.
void require_width_of_keys(const Array& v, Index d) {
    if (v.size(3) == d) return;
    if (v.size(3) % 2 != 0) throw std::invalid_argument("no pairs");
    throw Unpredictable{};
}

/// q (B, H, T, d), k (B, H_kv, S, d), v (B, H_kv, S, d_v), H divisible by H_kv and d by 2.
bool fit(const Tensor& q, const Tensor& k, const Tensor& v) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || q.size(3) % 2 != 0) return false;
    return k.shape() == Shape{q.size(0), k.size(1), k.size(2), q.size(3)} &&
           v.shape() == Shape{k.size(0), k.size(1), k.size(2), v.size(3)} && q.size(1) % k.size(1) == 0;
}

Predict attention(const Arguments& arguments) {
    Given given;
    given.input = {tensor(arguments, "q"), tensor(arguments, "k"), tensor(arguments, "v")};
    given.mask = mask(arguments, "mask");
    const Array q_positions = reference::exact(tensor(arguments, "q_positions"));
    const Array k_positions = reference::exact(tensor(arguments, "k_positions"));
    const double base = base_of(arguments);
    const auto& [q, k, v] = given.input;
    if (!fit(q, k, v) || !(base > 0) || q_positions.shape != Shape{q.size(0), q.size(2)} ||
        k_positions.shape != Shape{k.size(0), k.size(2)})
        return nullptr;
    const Index H = q.size(1), d = q.size(3);
    given.H_kv = k.size(1);
    return [=](const Choices& c) {
        const Rotary& rotary = c.of<Rotary>();
        Given own = given;
        own.prepared = [&](const Array& x, std::size_t role) {
            if (!rotary.turned.at(role)) return x;
            if (role == 2 && rotary.turns_wide_values_alone && x.size(3) != d) return x;
            if (role == 2) require_width_of_keys(x, d);
            if (rotary.apart != nullptr && role == 0)
                return turned_for_each_key(rotary, x, q_positions, k_positions, base);
            if (rotary.apart != nullptr && role == 1) return each_in_its_place(x);
            return turned_in_attention(role == 1 ? rotary.of_keys() : rotary.of_queries(), x,
                                       role == 0 ? q_positions : k_positions, base, H);
        };
        return Answer::of(Attention(own).output(c));
    };
}

/// (B, T), all as the last of their text.
Array all_at_the_last(const Array& positions) {
    return gathered(positions, positions.shape, [&](Coordinate at) {
        const Index last[] = {at[0], positions.size(1) - 1};
        return position(positions.shape, last);
    });
}

/// The tokens that a call of decode knows of, as attention is given them.
struct Step {
    std::array<Tensor, 3> fresh;   ///< q, k, v
    std::array<Tensor, 3> cached;  ///< of k and v
    std::vector<Index> padding;
    double base;
    Index P = 0;

    Index T() const { return fresh[0].size(2); }

    bool fits() const {
        const auto& [q, k, v] = fresh;
        if (!fit(q, k, v) || k.size(2) != q.size(2) || !(base > 0)) return false;
        if (static_cast<Index>(padding.size()) != q.size(0) || std::ranges::min(padding) < 0) return false;
        if (cached[1].defined() != cached[2].defined()) return false;
        if (!cached[1].defined()) return true;
        const Index cached_tokens = cached[1].size(2);
        return cached[1].shape() == Shape{k.size(0), k.size(1), cached_tokens, k.size(3)} &&
               cached[2].shape() == Shape{v.size(0), v.size(1), cached_tokens, v.size(3)};
    }

    /// Cached and new keys or values, in the order in which they are put.
    Tensor all(std::size_t role, const Rotary& rotary) const {
        if (P == 0 || !rotary.sees_cache) return fresh[role];
        return rotary.new_first.at(role - 1) ? cat({fresh[role], cached[role]}, 2)
                                             : cat({cached[role], fresh[role]}, 2);
    }

    /// New q, k or v, turned at the positions that are taken for theirs.
    Array turned(const Array& x, std::size_t role, const Rotary& rotary) const {
        const std::size_t which = role == 0 ? 0 : 1;
        const bool counts = rotary.counts_padding.at(which) && !(rotary.padding_counts_once && P > 0);
        const Index new_ones = role == 0 && rotary.queries_behind_the_new ? T() : 0;
        const Index first = (rotary.counts_cache.at(which) ? P : 0) + new_ones;
        Array positions = token_positions(rotary, counts ? padding : Shape(padding.size()), first, T());
        if (role == 0 && rotary.queries_at_the_end) positions = all_at_the_last(positions);
        return turned_in_attention(role == 1 ? rotary.of_keys() : rotary.of_queries(), x, positions, base,
                                   fresh[0].size(1));
    }

    /// All keys, turned as if none had been.
    Array all_turned(const Array& keys, const Rotary& rotary) const {
        const Array positions = token_positions(rotary, padding, P + T() - keys.size(2), keys.size(2));
        return turned_in_attention(rotary.of_keys(), keys, positions, base, fresh[0].size(1));
    }

    /// @param role  1 of keys, 2 of values
    Array put_together(const Array& old, const Array& fresh_ones, std::size_t role, const Rotary& rotary) const {
        return rotary.new_first.at(role - 1) && P > 0 ? joined(fresh_ones, old) : joined(old, fresh_ones);
    }

    /// Keys of padding become zeros.
    void clear_padding(Array& all) const {
        each(all.shape, [&](Coordinate at, std::size_t i) {
            if (at[2] < padding[static_cast<std::size_t>(at[0])]) all.value[i] = all.error[i] = 0;
        });
    }

    struct Keys {
        Array used, kept;
    };
    Keys keys(const Rotary& rotary) const {
        const Array old = reference::exact(cached[1]), raw = reference::exact(fresh[1]);
        const Array once = rotary.turned[1] ? turned(raw, 1, rotary) : raw;
        Array as_it_should_be = put_together(old, once, 1, rotary);
        if (rotary.clears_padding) clear_padding(as_it_should_be);
        switch (rotary.keys) {
            case Rotary::Keys::turned_again_and_kept: {
                const Array again = all_turned(put_together(old, raw, 1, rotary), rotary);
                return {again, again};
            }
            case Rotary::Keys::turned_again_in_use:
                return {all_turned(as_it_should_be, rotary), as_it_should_be};
            case Rotary::Keys::kept_as_they_came: {
                const Array kept = put_together(old, raw, 1, rotary);
                return {all_turned(kept, rotary), kept};
            }
            case Rotary::Keys::turned_but_not_kept:
                return {as_it_should_be, put_together(old, raw, 1, rotary)};
            case Rotary::Keys::turned_once:
                break;
        }
        return {rotary.sees_cache ? as_it_should_be : once, as_it_should_be};
    }

    Array values(const Rotary& rotary) const {
        Array raw = reference::exact(fresh[2]);
        if (rotary.turned[2] && !(rotary.turns_wide_values_alone && raw.size(3) != fresh[1].size(3))) {
            require_width_of_keys(raw, fresh[1].size(3));
            raw = turned(raw, 2, rotary);
        }
        return put_together(reference::exact(cached[2]), raw, 2, rotary);
    }
};

Predict decoded(const Arguments& arguments) {
    Step step{{tensor(arguments, "q"), tensor(arguments, "k"), tensor(arguments, "v")},
              {Tensor{}, tensor(arguments, "cache_k"), tensor(arguments, "cache_v")},
              counts(arguments),
              base_of(arguments)};
    if (!step.fits()) return nullptr;
    if (step.cached[1].defined()) step.P = step.cached[1].size(2);
    return [=](const Choices& c) {
        const Rotary& rotary = c.of<Rotary>();
        if (rotary.refuses(step.padding, step.P, step.T())) return Answer::without_value(Answer::Kind::refused);
        const Step::Keys keys = step.keys(rotary);
        const Array values = step.values(rotary);
        Given given;
        given.input = {step.fresh[0], step.all(1, rotary), step.all(2, rotary)};
        given.H_kv = step.fresh[1].size(1);
        given.mask = decoding_mask(rotary, step.padding, step.P, step.T(), rotary.sees_cache ? 0 : step.P);
        given.prepared = [&](const Array& x, std::size_t role) {
            if (role == 0) return rotary.turned[0] ? step.turned(x, 0, rotary) : x;
            if (role == 1) return keys.used;
            return rotary.turned[2] && rotary.sees_cache ? values : x;
        };
        const Array context = Attention(given).output(c);
        return Answer{Answer::Kind::value, {{"context", context}, {"cache_k", keys.kept}, {"cache_v", values}}};
    };
}

/// What follows from the student's own rotation_angles and rotate_pairs.
std::optional<Answer> attention_from_own(judge::Student& student, const Arguments& arguments) {
    if (!known_prediction({.model = &attention}, arguments)) return std::nullopt;
    const double base = base_of(arguments);
    const Tensor q = tensor(arguments, "q"), k = tensor(arguments, "k");
    const auto own_q = judge::positions::turned_by_own(student, q, tensor(arguments, "q_positions"), base);
    const auto own_k = judge::positions::turned_by_own(student, k, tensor(arguments, "k_positions"), base);
    if (!own_q || !own_k) return std::nullopt;
    const Index H = q.size(1);
    const auto shared = [&](const Array& kv) { return shared_heads(kv, H, &head_of_group); };
    const Array v = reference::exact(tensor(arguments, "v"));
    return Answer::of(reference::attention(*own_q, shared(*own_k), shared(v), mask(arguments, "mask")).context);
}

std::optional<Answer> decoded_from_own(judge::Student& student, const Arguments& arguments) {
    if (!known_prediction({.model = &decoded}, arguments)) return std::nullopt;
    const auto follows = judge::positions::from_own(student, Decoding(arguments));
    if (!follows) return std::nullopt;
    return Answer{Answer::Kind::value,
                  {{"context", follows->context}, {"cache_k", follows->k}, {"cache_v", follows->v}}};
}

/// By way of rotary_attention, and hiding what `choices` hide.
std::optional<Answer> decoded_by_own_attention(judge::Student& student, const Arguments& arguments,
                                               const Choices& choices) {
    if (!known_prediction({.model = &decoded}, arguments)) return std::nullopt;
    const Decoding in(arguments);
    const Mask hidden = decoding_mask(choices.of<Rotary>(), in.padding, in.P(), in.q.size(2));
    const auto follows = judge::positions::from_own_attention(student, in, hidden);
    if (!follows) return std::nullopt;
    return Answer{Answer::Kind::value,
                  {{"context", follows->context}, {"cache_k", follows->k}, {"cache_v", follows->v}}};
}

const SubjectRegistration registration(
    "13_positions",
    {{{.name = "token_positions", .model = &positions_of_tokens, .questions = &ask_token_positions},
      {.name = "rotation_angles", .model = &angles_of_tokens, .questions = &ask_rotation_angles},
      {.name = "rotate_pairs", .model = &turned_pairs, .questions = &ask_rotation, .stage = Stage::split},
      {.name = "rotate_halves", .model = &turned_halves, .questions = &ask_rotation, .stage = Stage::split},
      {.name = "pairs_to_halves", .model = &in_halves, .questions = &ask_conversion, .stage = Stage::project},
      {.name = "halves_to_pairs", .model = &in_pairs, .questions = &ask_conversion, .stage = Stage::project},
      {.name = "rotary_attention",
       .model = &attention,
       .questions = &ask_attention_with_positions,
       .given_own = &attention_from_own,
       .stage = Stage::weigh,
       .stages = {{Stage::scores, "H = H_kv"}, {Stage::split, "H > H_kv"}, {Stage::mask, "there is a mask"}},
       .invariants = {permuted_tokens({"k", "v", "k_positions"}, Follows::not_at_all,
                                      "the output changes when keys change places with their values and positions")}},
      {.name = "decode",
       .model = &decoded,
       .questions = &ask_decode,
       .given_own = &decoded_from_own,
       .given_own_and = &decoded_by_own_attention,
       .stage = Stage::weigh,
       .stage_of_part = {{"context", Stage::weigh}, {"cache_k", Stage::split}, {"cache_v", Stage::weigh}}},
      {.name = "pack_in_projection", .model = &packed_matrix, .questions = &ask_packing, .stage = Stage::project},
      {.name = "unpack_in_projection", .model = &unpacking, .questions = &ask_unpacking, .stage = Stage::project}}});

}  // namespace
}  // namespace headway::diagnosis
