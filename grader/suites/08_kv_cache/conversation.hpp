#pragma once

#include "reference/attention.hpp"
#include "student/hidden_test.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// A batch of sequences that grows call by call, and what every call should give: the rows of full recomputation.
namespace headway::judge::kv_cache {

/// Random projections, as the judge knows them and as the worker gets them.
struct Layer {
    Layer(Random& random, Index D, Index E);

    /// x (B, L, D) projected by the map of that name: (B, L, out).
    reference::Array apply(const std::string& name, const reference::Array& x) const;
    /// Where the first feature of each token is 1, all scores are about -1e4.
    Layer with_low_scores(Index num_heads) const;

    wire::Record state;
};

/// The contents of a cache in the worker.
struct Contents {
    Tensor k, v;
    Shape lengths;
};
Contents contents(Student& student, wire::Handle cache);

/// What is said of a cache with other lengths than it should have.
std::string wrong_lengths(const Shape& yours, const Shape& expected);

class Conversation {
public:
    struct Tokens {
        Index D = 0;              ///< how wide they are; 0: as wide as all heads together
        float magnitude = 1;      ///< about how large their numbers are
        bool views = false;       ///< handed over as views with gaps
        bool low_scores = false;  ///< all of them about -1e4
        /// Wrong rows are another test's business, as long as they were wrong before projections changed.
        bool rows_judged_elsewhere = false;
    };

    /// B sequences of up to `total` tokens, in a cache with some room to spare.
    Conversation(Student& student, Random& random, const Sizes& sizes, Index total, Tokens tokens);
    Conversation(Student& student, Random& random, const Sizes& sizes, Index total)
        : Conversation(student, random, sizes, total, Tokens{}) {}

    /// Gives the next counts[b] of n tokens to `decode`; ends the test unless every real row is right, or right given
    /// the student's own append and decoding_mask, or computed where rows are judged elsewhere.
    /// @return how many rows went through nn::Linear
    Index feed(Index n, const Shape& counts);

    /// Ends the test unless the cache has the lengths of what was given to `decode`, or those that the student's own
    /// append leaves after the same chunks.
    void expect_lengths_of_the_cache();

    /// From here on other projections are in force. What was projected before stays.
    void change_projections(Random& random);

    wire::Handle cache() const { return cache_; }
    wire::Handle projections() const { return projections_; }
    /// The next n tokens of every sequence, random rows where padding begins.
    Tensor next_tokens(Index n, const Shape& counts);

private:
    /// What went into `append` in one call of decode, if decode is right.
    struct Chunk {
        Tensor x, k, v;
        Shape counts;
    };

    reference::Array heads(const Layer& layer, const std::string& name, const Tensor& x) const;
    reference::Array keys(const std::string& name) const;
    reference::Array full_output() const;
    reference::Array expected(const Chunk& chunk) const;
    Tensor real_rows(const Tensor& rows, const Shape& counts) const;
    using ChangedNumbers = std::function<Tensor(const Tensor&)>;
    std::optional<wire::Handle> replayed(std::size_t chunks, const ChangedNumbers& changed = std::identity());
    Evidence computes_last_chunk();
    std::optional<reference::Array> from_own_parts(const Contents& held, const Shape& before, Index S);
    bool follows_from_own_parts(const Tensor& yours);

    Student& student_;
    Random& random_;
    Sizes sizes_;
    Index total_;
    Tensor x_;  ///< (B, total, D)
    bool views_;
    bool rows_judged_elsewhere_;
    bool some_rows_were_wrong_ = false;
    std::vector<Layer> layers_;
    Index changed_at_ = 0;  ///< tokens before this position have k and v of the first layer
    std::vector<Chunk> history_;
    Shape lengths_;
    wire::Handle cache_, projections_;
};

}  // namespace headway::judge::kv_cache
