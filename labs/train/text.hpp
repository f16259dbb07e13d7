#pragma once

#include <headway/layout.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace headway::lab {

/// What decides a token, as far as earlier tokens do.
enum class Relation { none, copy, agree, refer };
inline constexpr Relation relations[] = {Relation::copy, Relation::agree, Relation::refer};
std::string to_string(Relation relation);

/// B sequences of T tokens and, after each, the one to predict.
struct Batch {
    Index B = 0, T = 0;
    std::vector<Index> tokens;       ///< (B, T)
    std::vector<Index> next;         ///< (B, T): what follows each token
    std::vector<Relation> relation;  ///< (B, T): what decides `next`
    std::vector<Index> source;       ///< (B, T): the position that decides it; -1 if there is none

    std::size_t at(Index b, Index t) const { return static_cast<std::size_t>(b * T + t); }
};

/// Whether a batch is learned from or only looked at.
enum class Part { training, validation };

/// Where sequences come from: the same numbers give the same batch, so nothing has to be remembered between steps.
class Text {
public:
    virtual ~Text() = default;
    virtual const std::vector<std::string>& vocabulary() const = 0;
    virtual Batch batch(Part part, std::uint64_t seed, Index B, Index T) const = 0;
    /// A short sequence to look at. @throws WrongUsage if `words` holds what is not in the vocabulary
    virtual std::vector<Index> sentence(const std::string& words) const = 0;
    virtual std::string default_sentence() const = 0;
    /// What training depends on.
    virtual std::string identity() const = 0;
};

}  // namespace headway::lab
