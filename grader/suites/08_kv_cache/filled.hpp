#pragma once

#include "student/hidden_test.hpp"
#include "suites/08_kv_cache/conversation.hpp"
#include "suites/08_kv_cache/questions.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// A cache with tokens in it, and what append should make of it.
namespace headway::judge::kv_cache {

inline const CheckedPart cached_axes{"cached numbers", Stage::none, {"b", "h", "position", "feature"}};

inline Shape each(Index B, Index count) { return Shape(static_cast<std::size_t>(B), count); }

/// 1 for all sequences but the last.
inline Shape ones_and(Index B, Index last) {
    Shape counts = each(B, 1);
    counts.back() = last;
    return counts;
}

/// A cache whose sequences hold different numbers of tokens, with stale numbers behind them.
struct Filled {
    Sizes n;
    Index capacity;
    Tensor k, v;  // (B, H, C, d)
    Shape lengths;

    Filled(Random& random, const Sizes& sizes, Index more_room = 0)
        : n(sizes),
          capacity(n.T + n.S + 2 + more_room),
          k(random_tensor(random, {n.B, n.H, capacity, n.d})),
          v(random_tensor(random, {n.B, n.H, capacity, n.d})),
          lengths(diagnosis::different_counts(n.B, n.T)) {}

    wire::Handle in(Student& student) const {
        return student.keep("cache", {{"k", k}, {"v", v}, {"lengths", lengths}});
    }
};

/// Expects that `function`, which has refused, changed nothing before that.
/// @param because  what did not fit
/// @param thrown  how it refused, where that may be in another way than the header asks for
inline void expect_as_it_was(Student& student, const Filled& filled, wire::Handle cache, const std::string& because,
                             const std::string& function = "append", const std::optional<wire::Error>& thrown = {}) {
    const bool refuses = !thrown || thrown->kind == wire::ErrorKind::invalid_argument;
    const std::string ended = refuses ? " refuses, but " : " ends with " + thrown->type + " in mid-work, and ";
    const Contents held = contents(student, cache);
    expect(!difference(cached_axes, held.k, reference::exact(filled.k)) &&
               !difference(cached_axes, held.v, reference::exact(filled.v)) && held.lengths == filled.lengths,
           Stage::none, because + ": your " + function + ended + "it has changed the cache before");
}

/// Asks append what it must refuse. An append that refuses too late, when the cache has changed, is still asked the
/// rest: if it never looks at v, all that it lets through should be told.
class Refusals {
public:
    Refusals(Student& student, const Filled& filled) : student_(student), filled_(filled), cache_(filled.in(student)) {}

    void operator()(const Tensor& k, const Tensor& v, const Shape& counts, const std::string& because) {
        ask(because, [&] {
            student_.refuses("append", {{"cache", cache_}, {"k", k}, {"v", v}, {"counts", counts}}, because);
        });
    }

    /// @param asked  calls append on cache() with what it must refuse
    void ask(const std::string& because, const std::function<void()>& asked) {
        const std::size_t before = student_.test_record().let_through.size();
        try {
            asked();
        } catch (const StopTest&) {
            end();
            throw;
        }
        if (student_.test_record().let_through.size() == before && is_as_it_was(because)) return;
        cache_ = filled_.in(student_);
    }

    wire::Handle cache() const { return cache_; }

    /// Fails the test if something was refused too late and nothing let through: that would be told first.
    void end() {
        TestRecord& record = student_.test_record();
        if (!late_ || !record.let_through.empty()) return;
        record.story = story_;
        record.objects = objects_;
        record.function = "append";
        throw StopTest{*late_};
    }

private:
    bool is_as_it_was(const std::string& because) {
        TestRecord& record = student_.test_record();
        try {
            expect_as_it_was(student_, filled_, cache_, because);
            return true;
        } catch (const StopTest& stop) {
            if (!stop.failure || stop.failure->kind != verdict::FailureKind::wrong_behaviour) throw;
            if (late_) return false;
            late_ = stop;
            record.besides = record.completed(stop).message;
            story_ = record.story;
            objects_ = record.objects;
            return false;
        }
    }

    Student& student_;
    const Filled& filled_;
    wire::Handle cache_;
    std::optional<StopTest> late_;  ///< the first that was refused too late, and how it came to that
    std::vector<std::string> story_;
    std::vector<ObjectsOfCall> objects_;
};

/// New keys or values as split_heads leaves them: a view.
inline Tensor new_heads(Random& random, const Sizes& n, Index count) {
    return random_tensor(random, {n.B, count, n.H, n.d}).transpose(1, 2);
}

inline void append(Student& student, wire::Handle cache, const Tensor& k, const Tensor& v, const Shape& counts) {
    student.run("append", {{"cache", cache}, {"k", k}, {"v", v}, {"counts", counts}});
}

/// Expects append to take these tokens, which fit to the last position. What it does not take in an empty cache either,
/// it throws for another reason than room: another test's business.
inline void expect_room(Student& student, const Filled& filled, const Tensor& tokens, const Shape& counts) {
    const auto error_in = [&](const Filled& before) {
        return student.outside_story([&] {
            return student
                .outcome("append", {{"cache", before.in(student)}, {"k", tokens}, {"v", tokens}, {"counts", counts}})
                .error;
        });
    };
    const auto thrown = error_in(filled);
    if (!thrown) return;
    Filled empty = filled;
    empty.lengths = each(filled.n.B, 0);
    if (!error_in(empty)) return append(student, filled.in(student), tokens, tokens, counts);  // the story of it
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::exception;
    failure.function = "append";
    failure.message = "your append threw " + thrown->type + ": " + thrown->message;
    failure.story = student.test_record().story;
    student.test_record().credits.push_back({{"append"}, std::move(failure)});
}

/// Writes what append should write.
inline void append_expected(Tensor& to, const Shape& lengths, const Tensor& from, const Shape& counts) {
    for (std::size_t b = 0; b < counts.size(); ++b) {
        const auto row = static_cast<Index>(b);
        to[row].slice(1, lengths[b], lengths[b] + counts[b]).copy_from(from[row].slice(1, 0, counts[b]));
    }
}

inline void expect_lengths(const Shape& yours, const Shape& expected) {
    expect(yours == expected, Stage::none, wrong_lengths(yours, expected));
}

/// Expects zeros, and no token.
/// @param n  the capacity is n.S
inline void expect_empty(Student& student, wire::Handle cache, const Sizes& n) {
    const Contents held = contents(student, cache);
    const auto zeros = reference::exact(Tensor::zeros({n.B, n.H, n.S, n.d}));
    expect_close(student, cached_axes, held.k, zeros);
    expect_close(student, cached_axes, held.v, zeros);
    expect_lengths(held.lengths, each(n.B, 0));
}

/// Expects that a write to one number of a new cache changes no other one: views of one storage may overlap.
/// @param n  the capacity is n.S
inline void expect_no_shared_places(Student& student, Random& random, wire::Handle cache, const Sizes& n) {
    const Tensor k = random_tensor(random, {n.B, n.H, n.S, n.d}), v = random_tensor(random, k.shape());
    student.outside_story([&] { return student.outcome("write_cache", {{"cache", cache}, {"k", k}, {"v", v}}); });
    const Contents held = contents(student, cache);
    expect(
        !difference(cached_axes, held.k, reference::exact(k)) && !difference(cached_axes, held.v, reference::exact(v)),
        Stage::state,
        "numbers of a new cache share memory: after other numbers were written into all of cache.k, and then into "
        "all of cache.v, the cache no longer holds what was written. Let make_cache give each of the B·H·C·d numbers "
        "of k, and each of v, a place of its own");
}

}  // namespace headway::judge::kv_cache
