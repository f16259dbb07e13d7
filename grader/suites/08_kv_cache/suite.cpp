// Hidden tests of exercise 08.    B batch · n new tokens · S keys · D model width · H heads · d head_dim · C capacity
#include "student/record_field.hpp"
#include "student/repeated.hpp"
#include "suites/08_kv_cache/conversation.hpp"
#include "suites/08_kv_cache/filled.hpp"

#include <algorithm>
#include <utility>

namespace headway::judge {
namespace {

using namespace kv_cache;  // what several files of this suite share

using diagnosis::different_counts;
using reference::exact;

HIDDEN_SUITE(KvCache);

/// A chunk that fills an empty cache is copied as well: a view of the cache from outside must show it.
void expect_written_in_place(Student& student, Filled filled, Random& random) {
    filled.lengths = each(filled.n.B, 0);
    const Tensor k = new_heads(random, filled.n, filled.capacity);
    const Tensor v = new_heads(random, filled.n, filled.capacity);
    const wire::Handle cache = filled.in(student);
    const wire::Handle view = student.outside_story([&] { return student.keep("view_of", {{"cache", cache}}); });
    append(student, cache, k, v, each(filled.n.B, filled.capacity));
    const Contents seen = contents(student, view);
    for (const auto& [name, yours, written] : {std::tuple{"k", &seen.k, &k}, {"v", &seen.v, &v}})
        expect(!difference(cached_axes, *yours, exact(*written)), Stage::none,
               std::string("a view of cache.") + name +
                   " that was taken before does not show what your append wrote: it must write into the storage that " +
                   "the cache has, not put another tensor in its place");
}

PROPERTY(KvCache, ANewCacheIsEmpty, 1, "a new cache holds zeros of the capacity, no token; sizes of 0 are refused") {
    const Sizes n = random_sizes(random);
    const Arguments usual{{"B", n.B}, {"H", n.H}, {"capacity", n.S}, {"d", n.d}};
    const wire::Handle first = student.keep("make_cache", usual);
    expect_empty(student, first, n);
    const wire::Handle second = student.keep("make_cache", usual);  // what is written to one shows in no other
    student.test_record().waits_for = {"append"};  // if append ends the program, that is no mistake of make_cache
    const Outcome written = student.outside_story([&] {
        const Tensor tokens = new_heads(random, n, 1);
        return student.outcome("append", {{"cache", first}, {"k", tokens}, {"v", tokens}, {"counts", each(n.B, 1)}});
    });
    student.test_record().waits_for.clear();
    if (!written.error) expect_empty(student, second, n);
    const Contents before = contents(student, first);
    for (int made = 2; made < 22 && !written.error; ++made) expect_empty(student, student.keep("make_cache", usual), n);
    const Contents after = contents(student, first);
    expect(before.lengths == after.lengths && exact(before.k).value == exact(after.k).value, Stage::state,
           "a cache that was made before, and written into, is empty again when others of its sizes are made");
    if (!written.error) expect_no_shared_places(student, random, first, n);
    for_every_relation(student, random, "B H S d", [&](const AxisSizes& sizes, Random&) {
        const Sizes of_it = sizes.sizes();
        const Arguments arguments{{"B", of_it.B}, {"H", of_it.H}, {"capacity", of_it.S}, {"d", of_it.d}};
        expect_empty(student, student.keep("make_cache", arguments), of_it);
    });
    for (const char* name : {"B", "H", "capacity", "d"}) {
        Arguments arguments{{"B", n.B}, {"H", n.H}, {"capacity", n.S}, {"d", n.d}};
        for (wire::Field& field : arguments)
            if (field.name == name) field.value = Index{0};
        student.refuses("make_cache", arguments, std::string(name) + " must be at least 1, not 0");
    }
    shown(student);  // zeros are due, but not for every capacity
}

/// In memory: as split_heads leaves them, with gaps along every axis, or keys and values each in another way.
enum class NewTokens { split, strided, each_otherwise };

/// @param filled  what the cache holds; with the new tokens afterwards
/// @param counts  the largest is the number of tokens
void expect_appended(Student& student, Random& random, Filled& filled, wire::Handle cache, const Shape& counts,
                     NewTokens in_memory) {
    const Index width = *std::max_element(counts.begin(), counts.end());
    const auto tokens = [&] {
        const Tensor some = new_heads(random, filled.n, width);
        return in_memory == NewTokens::strided ? strided(some) : some;
    };
    const Tensor k = tokens(), v = in_memory == NewTokens::each_otherwise ? tokens().contiguous() : tokens();
    append(student, cache, k, v, counts);
    append_expected(filled.k, filled.lengths, k, counts);
    append_expected(filled.v, filled.lengths, v, counts);
    for (std::size_t b = 0; b < counts.size(); ++b) filled.lengths[b] += counts[b];
    const Contents held = contents(student, cache);
    expect_close(student, {"cached keys", Stage::none, cached_axes.axes}, held.k, exact(filled.k));
    expect_close(student, {"cached values", Stage::none, cached_axes.axes}, held.v, exact(filled.v));
    expect_lengths(held.lengths, filled.lengths);
}

PROPERTY(KvCache, TokensAreWrittenBehindThoseBefore, 2,
         "append writes the first counts[b] tokens behind what sequence b has, and nothing else") {
    for (const bool equal : {true, false}) {
        Filled filled(random, random_sizes(random));
        if (equal) filled.lengths = each(filled.n.B, filled.n.T);
        const wire::Handle cache = filled.in(student);
        for (const Index width : {Index{1}, filled.n.S - 1})
            expect_appended(student, random, filled, cache,
                            equal ? each(filled.n.B, width) : different_counts(filled.n.B, width),
                            !equal       ? NewTokens::strided
                            : width == 1 ? NewTokens::split
                                         : NewTokens::each_otherwise);
    }
    for_every_relation(student, random, "B H T S d", [&](const AxisSizes& sizes, Random& own) {
        Filled filled(own, sizes.sizes());
        const wire::Handle cache = filled.in(student);
        for (const Index width : {filled.n.S, Index{1}})
            expect_appended(student, own, filled, cache, different_counts(filled.n.B, width),
                            width == 1 ? NewTokens::split : NewTokens::strided);
    });
    expect_written_in_place(student, Filled(random, random_sizes(random)), random);
}

PROPERTY(KvCache, TheCapacityIsNeverExceeded, 1,
         "what outgrows the capacity is refused, and the cache stays as it was") {
    const Filled filled(random, random_sizes(random));
    const Sizes& n = filled.n;
    const auto question = [&](wire::Handle cache, Index width, const Shape& counts) {
        return Arguments{{"cache", cache},
                         {"k", new_heads(random, n, width)},
                         {"v", new_heads(random, n, width)},
                         {"counts", counts}};
    };
    const auto refuses = [&](Index width, const Shape& counts, const std::string& because) {
        const wire::Handle cache = filled.in(student);
        student.refuses("append", question(cache, width, counts), because);
        expect_as_it_was(student, filled, cache, because);
    };
    const Index room = filled.capacity - filled.lengths.back();  // of the longest sequence, the last of the batch
    refuses(room + 1, ones_and(n.B, room + 1), "one sequence would outgrow the capacity by one token");
    refuses(filled.capacity + 1, each(n.B, filled.capacity + 1), "all sequences would outgrow the capacity");
    // Whether, and how, a count above n is refused is another test's business.
    const wire::Handle asked_too_much = filled.in(student);
    const auto thrown = student.outcome("append", question(asked_too_much, 1, ones_and(n.B, 2))).error;
    const char* const no_such_tokens = "the last count is larger than the number of new tokens";
    if (thrown) expect_as_it_was(student, filled, asked_too_much, no_such_tokens, "append", thrown);
    expect_room(student, filled, new_heads(random, n, room), each(n.B, room));      // the last position is a position
    expect_room(student, filled, new_heads(random, n, room + 3), each(n.B, room));  // padding needs no room
    const Layer layer(random, n.D(), n.D());
    const wire::Handle projections = student.keep("projections", {{"state", layer.state}});
    for (const std::size_t b : {std::size_t{0}, filled.lengths.size() - 1}) {
        const Index too_many = filled.capacity - filled.lengths[b] + 1;
        Shape counts = each(n.B, 1);
        counts[b] = too_many;
        const wire::Handle full = filled.in(student);
        const std::string no_room = "the last new token of sequence " + std::to_string(b) + " finds no room";
        student.refuses("decode",
                        {{"cache", full},
                         {"projections", projections},
                         {"x", random_tensor(random, {n.B, too_many, n.D()})},
                         {"counts", counts}},
                        no_room);
        expect_as_it_was(student, filled, full, no_room, "decode");
    }
}

void expect_decoding_mask(Student& student, const Shape& lengths, Index n, Index S) {
    const auto B = static_cast<Index>(lengths.size());
    Mask expected = Mask::allow_all({B, 1, n, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = 0; s < S; ++s) expected(b, 0, t, s) = s > lengths[static_cast<std::size_t>(b)] + t;
    const Arguments arguments{{"lengths", lengths}, {"n", n}, {"S", S}};
    const bool has_all = *std::max_element(lengths.begin(), lengths.end()) + n <= S;
    // Some take a token without a position for a mistake of the caller's.
    const auto asked = [&] { return student.outcome("decoding_mask", arguments); };
    if (!has_all && diagnosis::is_refusal(student.outside_story(asked))) return;
    expect_mask(student, {"mask", Stage::mask, {"b", "h", "new token", "position"}},
                student.mask("decoding_mask", arguments), expected);
}

PROPERTY(KvCache, TheMaskCountsFromEachLength, 1, "new token t of sequence b sees positions up to lengths[b] + t") {
    Shape random_lengths;
    for (int b = 0; b < 6; ++b) random_lengths.push_back(random.integer(0, 8));
    for (const Shape& lengths : {Shape{0, 3, 7, 5, 1}, Shape{1, 5, 7, 3, 0}, Shape{6}, Shape{0, 0, 0}, random_lengths})
        for (const Index n : {Index{1}, Index{3}, Index{5}})
            expect_decoding_mask(student, lengths, n,
                                 *std::max_element(lengths.begin(), lengths.end()) + n + (n == 3 ? 2 : 0));
    // As many positions as new tokens, and fewer than all of them would need: some are padding then.
    for (const Index S : {3, 4, 5}) expect_decoding_mask(student, {0, 2, 1}, 3, S);
}

STATES(KvCache, TokenByTokenEqualsRecomputation, "decode_sees");
PROPERTY(KvCache, TokenByTokenEqualsRecomputation, 1, "decoding token by token gives the rows of full recomputation") {
    const Sizes n = random_sizes(random);
    Conversation conversation(student, random, n, 6);
    for (Index step = 0; step < 6; ++step) conversation.feed(1, each(n.B, 1));
    // Code that computes softmax itself must take care of its overflow once more.
    Conversation loud(student, random, n, 3, {.magnitude = 40});
    for (Index step = 0; step < 3; ++step) loud.feed(1, each(n.B, 1));
    for_every_relation(student, random, "B H d D D_heads=H*d", [&](const AxisSizes& sizes, Random& own) {
        const Sizes size = sizes.sizes();
        Conversation one_by_one(student, own, size, 3, {.D = sizes["D"]});
        for (Index step = 0; step < 3; ++step) one_by_one.feed(1, each(size.B, 1));
    });
}

STATES(KvCache, ChunksEqualRecomputation, "decode_sees");
PROPERTY(KvCache, ChunksEqualRecomputation, 1, "a prefill and later chunks give the rows of full recomputation") {
    const Sizes n = random_sizes(random);
    // Nothing says that a token is as wide as all heads together.
    Conversation conversation(student, random, n, 11, {.D = n.D() + n.H + 1});
    for (const Index chunk : {5, 3, 1, 2}) conversation.feed(chunk, each(n.B, chunk));
    // Scores in the thousands: a later token of the chunk may score far higher than all that a token sees.
    Conversation loud(student, random, n, 7, {.magnitude = 40});
    for (const Index chunk : {4, 3}) loud.feed(chunk, each(n.B, chunk));
    Sizes narrow = n;
    narrow.d = 2;  // wider, such scores are less well known
    Conversation low(student, random, narrow, 7, {.low_scores = true});
    for (const Index chunk : {4, 3}) low.feed(chunk, each(n.B, chunk));
    for_every_relation(student, random, "B H T S d D=H*d", [&](const AxisSizes& sizes, Random& own) {
        const Sizes size = sizes.sizes();
        Conversation chunks(student, own, size, size.S + size.T + 1);
        for (const Index chunk : {size.S, Index{1}, size.T}) chunks.feed(chunk, each(size.B, chunk));
    });
}

STATES(KvCache, SequencesMayDifferInLength, "decode_sees", "decode_keys");
PROPERTY(KvCache, SequencesMayDifferInLength, 1,
         "sequences of a batch may differ in length, and padding leaves no trace") {
    const Sizes n = random_sizes(random);
    Conversation conversation(student, random, n, 13, {.views = true});
    conversation.feed(6, different_counts(n.B, 6));
    Shape reversed = different_counts(n.B, 3);
    std::reverse(reversed.begin(), reversed.end());
    conversation.feed(3, reversed);
    conversation.feed(1, each(n.B, 1));
    Shape some = each(n.B, 0);
    some[1] = 2;
    conversation.feed(2, some);
    conversation.feed(9, each(n.B, 1));  // there is no room for the padding of the longest, and none is needed
    conversation.expect_lengths_of_the_cache();
    // All are equally long, and all have padding.
    Conversation padded(student, random, n, 9);
    for (const Index real : {3, 2, 1}) padded.feed(real + 2, each(n.B, real));
}

STATES(KvCache, OnlyNewTokensAreProjected, "decode_projects");
PROPERTY(KvCache, OnlyNewTokensAreProjected, 1, "only new tokens are projected: 4·B·n rows, however long the past is") {
    const Sizes n = random_sizes(random);
    Conversation conversation(student, random, n, 17, {.rows_judged_elsewhere = true});
    for (const Index chunk : {13, 1}) {
        const Index rows = conversation.feed(chunk, each(n.B, chunk));
        expect(rows <= 4 * n.B * chunk, Stage::project,
               std::to_string(rows) + " rows went through nn::Linear for " + std::to_string(n.B * chunk) +
                   " new tokens; there are four projections, so " + std::to_string(4 * n.B * chunk) + " are enough");
    }
    // Code that keeps the tokens and projects them anew would use the new projections for the old tokens too.
    conversation.change_projections(random);
    conversation.feed(2, each(n.B, 2));
}

/// The same question gets the same answer after another cache was used, and changes nothing but its own cache.
void expect_caches_apart(Student& student, Random& random, const Filled& filled) {
    const Sizes& n = filled.n;
    // A new cache for it is no part of the story: that make_cache is right shows nothing of the others.
    Conversation other = student.outside_story([&] { return Conversation(student, random, n, 5); });
    const auto question = [&](Index width, wire::Handle cache) {
        return Arguments{{"cache", cache},
                         {"projections", other.projections()},
                         {"x", width == 1 ? other.next_tokens(width, each(n.B, 0)).contiguous()
                                          : strided(other.next_tokens(width, each(n.B, 0)))},
                         {"counts", each(n.B, width)}};
    };
    const auto y = [](const Outcome& outcome) {
        const auto* record = std::get_if<wire::Record>(&outcome.value);
        return record == nullptr ? Tensor{} : field<Tensor>(*record, "y");
    };
    // As long as the first one in all, but other sequences of it.
    Filled mirrored = filled;
    std::reverse(mirrored.lengths.begin(), mirrored.lengths.end());
    for (const Index width : {2, 1}) {
        Arguments arguments = question(width, filled.in(student));
        const Outcome first = expect_unchanged(student, {"decode", arguments});
        student.outcome("decode", question(1, other.cache()));
        student.outcome("decode", question(width, mirrored.in(student)));
        arguments[0].value = filled.in(student);
        const Outcome second = student.outcome("decode", arguments);
        if (y(first).defined() && y(second).defined())
            expect(may_repeat(exact(y(first)), exact(y(second))), Stage::none,
                   "your decode answers the same question differently after another cache was used");
        arguments[0].value = filled.in(student);
        const Outcome kept = student.outcome("decode", arguments, true);
        student.outcome("decode", question(width, mirrored.in(student)));
        if (const auto* held = std::get_if<wire::Handle>(&kept.value); held != nullptr && y(first).defined()) {
            const Tensor now = y(student.outcome("read", {{"x", *held}}));
            expect(now.defined() && may_repeat(exact(y(first)), exact(now)), Stage::state,
                   "what your decode returned changes when decode is called again: it was returned to the caller");
        }
    }
    // Without a new token, and without any token at all.
    Filled empty = filled;
    empty.lengths = each(n.B, 0);
    for (const wire::Handle held : {filled.in(student), empty.in(student)}) {
        Arguments padded = question(1, held);
        padded[3].value = each(n.B, 0);
        expect_unchanged(student, {"decode", padded});
        student.record("decode", padded);  // it answers
    }
    const wire::Handle cache = filled.in(student);
    Arguments flat = question(2, cache);
    flat[2].value = std::get<Tensor>(flat[2].value).select(0, 1);
    student.refuses_index("decode", flat, "x must be of shape (B, n, D)");
    expect_as_it_was(student, filled, cache, "x is not (B, n, D)", "decode");
    const auto refuses = [&](const Shape& counts, const std::string& why) {
        const wire::Handle asked = filled.in(student);
        Arguments arguments = question(2, asked);
        arguments[3].value = counts;
        student.refuses("decode", arguments, why);
        expect_as_it_was(student, filled, asked, why, "decode");
    };
    refuses(each(n.B + 1, 1), "there are more counts than sequences");
    refuses(each(n.B - 1, 1), "there are fewer counts than sequences");
    refuses(each(n.B, 3), "a count is larger than the number of new tokens");
    refuses(each(n.B, -1), "a count is negative");
}

PROPERTY(KvCache, CallsAreCleanAndShapesChecked, 1,
         "shapes and counts that do not fit are refused; arguments and other caches are left alone") {
    const Filled filled(random, random_sizes(random));
    const Sizes& n = filled.n;
    const Tensor k = new_heads(random, n, 3);
    Refusals refuses(student, filled);
    refuses(random_tensor(random, {n.B, n.H, 3, n.d + 1}), k, each(n.B, 1), "k is wider than the cache");
    const Tensor one_head = k.slice(1, 0, 1), narrow = k.slice(3, 0, 1);
    refuses(one_head, one_head, each(n.B, 1), "k and v have one head, and the cache has more: no size broadcasts here");
    refuses(narrow, narrow, each(n.B, 1), "k and v are 1 wide, and the cache is wider: no size broadcasts here");
    refuses(k, random_tensor(random, {n.B, n.H, 3, n.d + 1}), each(n.B, 1), "v is wider than the cache");
    refuses(k, new_heads(random, n, 2), each(n.B, 1), "k and v differ in length");
    refuses(k, k, each(n.B + 1, 1), "there are more counts than sequences");
    refuses(k, k, each(n.B - 1, 1), "there are fewer counts than sequences");
    refuses(k, k, each(n.B, 4), "a count is larger than the number of new tokens");
    refuses(k, k, each(n.B, -1), "a count is negative");
    refuses(k, k, ones_and(n.B, -1), "the last count is negative");
    const Filled roomy(random, n, 60);  // for what is let through
    Refusals refuses_in_roomy(student, roomy);
    const Arguments fitting{{"cache", refuses_in_roomy.cache()}, {"k", k}, {"v", k}, {"counts", each(n.B, 1)}};
    refuses_in_roomy.ask("k or v does not fit",
                         [&] { refuses_misfits(student, random, "append", fitting, "k: B! H! n d!, v: B! H! n d!"); });
    for (Refusals* one : {&refuses, &refuses_in_roomy}) one->end();
    for (const Tensor& tokens : {new_heads(random, n, 2).contiguous(), strided(new_heads(random, n, 2))})
        expect_unchanged(student, {"append",
                                   {{"cache", filled.in(student)},
                                    {"k", tokens},
                                    {"v", tokens * 2.0F},
                                    {"counts", different_counts(n.B, 2)}}});
    expect_caches_apart(student, random, filled);
}

}  // namespace
}  // namespace headway::judge
