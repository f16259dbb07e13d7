#pragma once

#include <headway/layout.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headway::lab {

/// GPT-2's way from text to tokens: byte-level byte pair encoding.                      [Radford et al. 2019, §2.2]
/// Text is cut into words, a space belonging to the word behind it. Each byte of a word is a character of the
/// vocabulary, and pairs of neighbours are joined in the order in which merges.txt lists them, until none is left.
class Tokenizer {
public:
    /// @param vocabulary  vocab.json: {"token": number}, each number from 0 on once
    /// @param merges  merges.txt: "left right" in each line, the first merge first; a first line that begins with
    ///                #version counts for nothing
    /// @param name  what messages call the folder   @throws std::runtime_error, saying in which file what is wrong
    Tokenizer(std::string_view vocabulary, std::string_view merges, const std::string& name);

    Index size() const { return static_cast<Index>(tokens_.size()); }

    /// @throws std::runtime_error if the text is not UTF-8, is too long, or has a byte that the vocabulary has not
    std::vector<Index> encode(const std::string& text) const;
    /// The bytes that these tokens stand for: UTF-8 only as a whole.
    std::string decode(const std::vector<Index>& tokens) const;
    /// These tokens decoded for the eye: what is not UTF-8, or moves a terminal's cursor, becomes U+FFFD.
    std::string readable(const std::vector<Index>& tokens) const;
    /// One token for the eye: without the space before it; as the vocabulary spells it where it is not UTF-8 alone.
    std::string label(Index token) const;

    static constexpr std::size_t longest_text = 20'000;  ///< bytes

private:
    std::vector<std::string> join(const std::string& word) const;

    std::string name_;
    std::vector<std::string> tokens_;  ///< as the vocabulary spells them
    std::map<std::string, Index, std::less<>> number_of_;
    std::map<std::string, std::size_t, std::less<>> rank_of_;  ///< of "left right"
    struct Pattern;
    std::shared_ptr<const Pattern> words_;
};

}  // namespace headway::lab
