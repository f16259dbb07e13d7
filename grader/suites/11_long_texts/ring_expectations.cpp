// What is expected of a ring.
#include "suites/11_long_texts/ring_expectations.hpp"

#include "reference/attention.hpp"
#include "student/evidence.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace headway::judge::long_texts {
namespace {

const CheckedPart new_contexts{"context vectors", Stage::weigh, {"b", "h", "new token", "feature"}};
const CheckedPart kept_keys{"keys in the cache", Stage::none, {"b", "h", "slot", "feature"}};
const CheckedPart kept_values{"values in the cache", Stage::none, {"b", "h", "slot", "feature"}};

void expect_next(const Contents& held, Index due, const std::string& after) {
    expect(held.next == due, Stage::state,
           "next is " + std::to_string(held.next) + " after " + after + "; it should be " + std::to_string(due));
}

/// Slots that a token has reached.
Tensor filled(const Tensor& slots, Index next) { return next < slots.size(2) ? slots.slice(2, 0, next) : slots; }
Array filled(const Array& slots, Index next) { return exact(filled(reference::to_tensor(slots), next)); }

/// Expects what a ring should hold, and no storage beside it.
void expect_held(Student& student, const wire::Handle cache, const diagnosis::Ring& due, const std::string& after) {
    const Contents held = contents(student, cache);
    for (const auto& [part, tensor] : {std::pair(&kept_keys, held.k), std::pair(&kept_values, held.v)})
        expect(tensor.defined(), Stage::none,
               "your " + part->name + " are a Tensor{} that nothing was assigned to, after " + after);
    expect_shape(kept_keys, held.k.shape(), due.k.shape);
    expect_shape(kept_values, held.v.shape(), due.v.shape);
    expect_next(held, due.next, after);
    if (due.next > 0) {
        expect_close(student, kept_keys, filled(held.k, due.next), filled(due.k, due.next));
        expect_close(student, kept_values, filled(held.v, due.next), filled(due.v, due.next));
    }
    expect(held.stored <= due.k.numel() + due.v.numel(), Stage::state,
           "the tensors of the cache store " + std::to_string(held.stored) + " numbers after " + after +
               "; w tokens are " + std::to_string(due.k.numel() + due.v.numel()));
}

bool is_as_it_was(const Contents& held, const Filled& before) {
    return !difference(kept_keys, held.k, exact(before.k)) && !difference(kept_values, held.v, exact(before.v));
}

std::string tokens(Index count) { return std::to_string(count) + (count == 1 ? " token" : " tokens"); }

/// Whether new tokens get an answer that depends on all that they and the cache hold.
Evidence computes_decoding(Student& student, const Filled& before, const NewTokens& some) {
    const Numbers answer = [&student, next = before.next](const Arguments& given) -> std::vector<double> {
        const auto tensor = [&](std::size_t i) { return given.at(i).value; };
        const wire::Handle cache = student.keep("ring", {{"k", tensor(0)}, {"v", tensor(1)}, {"next", next}});
        const Outcome outcome =
            student.outcome("ring_decode", {{"cache", cache}, {"q", tensor(2)}, {"k", tensor(3)}, {"v", tensor(4)}});
        const auto* context = std::get_if<Tensor>(&outcome.value);
        return context == nullptr ? std::vector<double>{} : exact(*context).value;
    };
    return computes(student, "decoded", answer,
                    {{"ring.k", before.k}, {"ring.v", before.v}, {"q", some.q}, {"k", some.k}, {"v", some.v}},
                    {.numbers = {"q", "k", "v"}});
}

}  // namespace

void expect_appended(Student& student, Random& random, const Sizes& n, Index w, const Shape& chunks) {
    const wire::Handle cache =
        student.keep("make_ring", {{"B", n.B}, {"H", n.H}, {"w", w}, {"d", n.d}, {"d_v", n.d_v}});
    diagnosis::Ring due{exact(Tensor::zeros({n.B, n.H, w, n.d})), exact(Tensor::zeros({n.B, n.H, w, n.d_v})), 0};
    expect_held(student, cache, due, "make_ring");
    const Contents made = contents(student, cache);
    expect(!difference(kept_keys, made.k, due.k) && !difference(kept_values, made.v, due.v), Stage::none,
           "your make_ring gives a cache that is not empty: its slots hold other numbers than zeros");
    for (const Index chunk : chunks) {
        const NewTokens some(random, n, chunk);
        student.run("ring_append", some.appended(cache));
        due.append(exact(some.k), exact(some.v), Ringing::right());
        expect_held(student, cache, due, tokens(due.next));
    }
    shown(student, "make_ring");
}

void expect_appended_once(Student& student, const Filled& filled, const NewTokens& some) {
    const wire::Handle cache = filled.in(student);
    student.run("ring_append", some.appended(cache));
    diagnosis::Ring due = filled.ring();
    due.append(exact(some.k), exact(some.v), Ringing::right());
    expect_held(student, cache, due, tokens(some.k.size(2)) + " more");
}

/// @param so_far  tokens before; fewer than w leave slots free, which are nobody's either
void expect_copies_apart(Student& student, Random& random, const Sizes& n, Index w, Index so_far) {
    const Filled filled(random, n, w, so_far);
    for (const Index chunk : {Index{1}, w, 2 * w + 1}) {
        const wire::Handle cache = filled.in(student), copy = student.keep("copy_of", {{"cache", cache}});
        const NewTokens some(random, n, chunk), others(random, n, 1);
        student.run("ring_append", some.appended(cache));
        diagnosis::Ring due = filled.ring();
        due.append(exact(some.k), exact(some.v), Ringing::right());
        expect(is_as_it_was(contents(student, copy), filled), Stage::state,
               "a copy of the cache has changed when " + tokens(chunk) + (chunk == 1 ? " was" : " were") +
                   " appended to the other: they share a storage, and your ring_append writes into it");
        student.run("ring_append", others.appended(copy));
        expect_held(student, cache, due, "appending to a copy of it");
    }
    // The caller that put a cache together may have shared one of its tensors only.
    for (const bool keys : {true, false}) {
        const wire::Handle cache = filled.in(student);
        const wire::Handle other = student.keep(keys ? "with_keys_of" : "with_values_of", {{"cache", cache}});
        student.run("ring_append", NewTokens(random, n, 1).appended(cache));
        expect(is_as_it_was(contents(student, other), filled), Stage::state,
               std::string("another cache has the same ") + (keys ? "keys" : "values") + " and " +
                   (keys ? "values" : "keys") +
                   " of its own, and it has changed when a token was appended: your ring_append writes into a storage "
                   "that somebody else sees");
    }
}

void expect_own_storage(Student& student, Random& random, const Sizes& n, Index w) {
    const Filled filled(random, n, w, w);
    const wire::Handle cache = filled.in(student);
    const NewTokens some(random, n, w);
    const wire::Handle k = student.store(some.k.contiguous()), v = student.store(some.v.contiguous());
    student.run("ring_append", {{"cache", cache}, {"k", k}, {"v", v}});
    student.write(k, {0, 0, 0, 0}, 99);
    student.write(v, {0, 0, 0, 0}, 99);
    diagnosis::Ring due = filled.ring();
    due.append(exact(some.k), exact(some.v), Ringing::right());
    expect_held(student, cache, due, "the tensors that were appended were overwritten");
}

namespace {

/// Expects no storage beside w tokens after ring_decode. What ring_append leaves there too is another test's business.
void expect_stored(Student& student, const Filled& before, const NewTokens& some, const Contents& held) {
    const Index most = before.k.numel() + before.v.numel();
    if (held.stored <= most) return;
    const Index by_appending = student.outside_story([&] {
        const wire::Handle cache = before.in(student);
        student.outcome("ring_append", some.appended(cache));
        return contents(student, cache).stored;
    });
    expect(by_appending > most, Stage::state,
           "the tensors of the cache store " + std::to_string(held.stored) +
               " numbers after ring_decode; w tokens are " + std::to_string(most));
}

}  // namespace

void expect_decoded(Student& student, const Filled& before, const NewTokens& some) {
    const wire::Handle cache = before.in(student);
    const Array due = decoded(before.ring(), some.q, some.k, some.v);
    const auto from_own_attention = [&] { return decoded_by_own(student, before.ring(), some.q, some.k, some.v); };
    expect_close_given(student, new_contexts, student.tensor("ring_decode", some.decoded(cache)), due,
                       {"window_attention"}, from_own_attention, computes_decoding(student, before, some));
    const Contents held = contents(student, cache);
    expect_next(held, before.next + some.k.size(2), tokens(some.k.size(2)) + " more");
    expect_stored(student, before, some, held);
    diagnosis::Ring right = before.ring();
    right.append(exact(some.k), exact(some.v), Ringing::right());
    const auto from_own = [&](bool keys) {
        return [&, keys]() -> std::optional<Array> {
            const wire::Handle other = before.in(student);
            if (student.outcome("ring_append", some.appended(other)).error) return std::nullopt;
            const Contents own_held = contents(student, other);
            return exact(filled(keys ? own_held.k : own_held.v, right.next));
        };
    };
    const auto is_answered = [](const Array&) { return true; };  // there was an answer before
    for (const bool keys : {true, false}) {
        const Tensor& yours = keys ? held.k : held.v;
        const Array& slots = keys ? right.k : right.v;
        expect_shape(keys ? kept_keys : kept_values, yours.shape(), slots.shape);
        expect_close_given(student, keys ? kept_keys : kept_values, filled(yours, right.next),
                           filled(slots, right.next), {"ring_append"}, from_own(keys), is_answered);
    }
}

void expect_copies_apart_in_decoding(Student& student, Random& random, const Sizes& n, Index w) {
    const Filled filled(random, n, w, 2 * w + 1);
    const NewTokens some(random, n, 2);
    /// Whether copies, of the whole cache or of one of its tensors, are as they were after it has taken in new tokens.
    const auto stays = [&](const std::string& function) {
        return std::ranges::all_of(
            std::initializer_list<const char*>{"copy_of", "with_keys_of", "with_values_of"}, [&](const char* shared) {
                const wire::Handle cache = filled.in(student);
                const wire::Handle copy = student.keep(shared, {{"cache", cache}});
                student.outcome(function, function == "ring_decode" ? some.decoded(cache) : some.appended(cache));
                return is_as_it_was(contents(student, copy), filled);
            });
    };
    if (stays("ring_decode")) return;
    // What ring_append does to copies too is another test's business.
    if (student.outside_story([&] { return stays("ring_append"); }))
        expect(
            false, Stage::state,
            "a copy of the cache has changed when tokens were decoded with the other: they share a storage, and your "
            "ring_decode writes into it");
}

void expect_whole_text(Student& student, Random& random, const Sizes& n, Index w, const Shape& chunks) {
    const wire::Handle cache =
        student.keep("make_ring", {{"B", n.B}, {"H", n.H}, {"w", w}, {"d", n.d}, {"d_v", n.d_v}});
    const Contents made = contents(student, cache);
    const bool fits = made.k.shape() == Shape{n.B, n.H, w, n.d} && made.v.shape() == Shape{n.B, n.H, w, n.d_v};
    if (!fits) student.test_record().waits_for = {"make_ring"};
    Index total = 0;
    for (const Index chunk : chunks) total += chunk;
    const NewTokens text(random, n, total);
    Index seen = 0;
    for (const Index chunk : chunks) {
        const auto part = [&](const Tensor& x) { return x.slice(2, seen, seen + chunk); };
        const Contents before = contents(student, cache);
        const Arguments asked{{"cache", cache}, {"q", part(text.q)}, {"k", part(text.k)}, {"v", part(text.v)}};
        const auto so_far = [&](const Tensor& x) { return exact(x.slice(2, 0, seen + chunk)); };
        const Array due = reference::attention(exact(part(text.q)), so_far(text.k), so_far(text.v),
                                               diagnosis::window_mask(Windows::right(), chunk, seen + chunk, w))
                              .context;
        const auto from_own = [&]() -> std::optional<Array> {
            if (before.next != seen) return std::nullopt;
            return decoded_by_own(student, {exact(before.k), exact(before.v), seen}, part(text.q), part(text.k),
                                  part(text.v));
        };
        expect_close_given(student, new_contexts, student.tensor("ring_decode", asked), due,
                           {"make_ring", "ring_append", "window_attention"}, from_own,
                           [](const Array&) { return true; });
        seen += chunk;
    }
}

}  // namespace headway::judge::long_texts
