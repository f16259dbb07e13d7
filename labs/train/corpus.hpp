#pragma once

#include "labs/train/text.hpp"

namespace headway::lab {

/// A text of the user's, byte by byte: the last tenth is for validation. A token is one of the bytes that occur.
class Corpus : public Text {
public:
    /// @param name  what messages call it   @throws WrongUsage if it is too short to learn from
    Corpus(const std::string& bytes, const std::string& name, Index T);

    const std::vector<std::string>& vocabulary() const override { return labels_; }
    Batch batch(Part part, std::uint64_t seed, Index B, Index T) const override;
    std::vector<Index> sentence(const std::string& words) const override;
    std::string default_sentence() const override;
    std::string identity() const override { return identity_; }

private:
    std::vector<std::string> labels_;
    std::vector<Index> token_of_byte_;  ///< -1: does not occur
    std::vector<Index> tokens_;
    Index validation_from_ = 0;
    std::string identity_;
    std::string beginning_;
};

}  // namespace headway::lab
