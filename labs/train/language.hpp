#pragma once

#include "labs/train/text.hpp"

#include <headway/random.hpp>

namespace headway::lab {

/// A small language that cannot be predicted by looking at one place. Each sequence is a text of three kinds of
/// sentences:
///     anna red rome .                      who wears what is drawn anew for each text; the second time it is known
///                                          (copy). Everybody lives in one town, always: two tokens back is who it is
///     the dogs near the cat run .          each noun has its verb, which agrees with the first noun (agree)
///     the queen saw the boy , she left .   the pronoun is that of the first person (refer)
class Language : public Text {
public:
    Language();

    const std::vector<std::string>& vocabulary() const override { return words_; }
    Batch batch(Part part, std::uint64_t seed, Index B, Index T) const override;
    std::vector<Index> sentence(const std::string& words) const override;
    std::string default_sentence() const override;
    std::string identity() const override { return "language 1"; }

private:
    struct Story;
    void tell(Random& random, Story& story) const;
    void wears(Random& random, Story& story) const;
    void agrees(Random& random, Story& story) const;
    void refers(Random& random, Story& story) const;

    std::vector<std::string> words_;
};

}  // namespace headway::lab
