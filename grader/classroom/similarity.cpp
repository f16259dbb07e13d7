#include "classroom/similarity.hpp"

#include "submission/source_words.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

namespace headway::classroom {
namespace {

constexpr std::size_t run = 16;    ///< tokens a fingerprint covers
constexpr std::size_t window = 9;  ///< of as many neighbours one is kept
constexpr double least_share = 0.6;
constexpr double nearly_all = 0.8;  ///< of the larger one
constexpr std::size_t least_common = 8;
constexpr std::size_t always_rare = 4;     ///< what so few have is never common knowledge
constexpr std::size_t always_common = 20;  ///< what more have always is

constexpr std::array keywords = {"for",      "while", "if",     "else",  "return", "switch", "case",   "break",
                                 "continue", "const", "auto",   "throw", "new",    "delete", "struct", "class",
                                 "template", "using", "static", "int",   "float",  "double", "bool",   "void"};

/// What a token counts as.
std::string kind_of(const build::Word& word) {
    if (word.is_literal()) return "text";
    if (word.is_number()) return "number";
    if (!word.is_name()) return word.text;
    return std::find(keywords.begin(), keywords.end(), word.text) != keywords.end() ? word.text : "name";
}

}  // namespace

std::vector<std::string> tokens_of(std::string_view text) {
    std::vector<std::string> tokens;
    const std::vector<build::Word> words = build::words_of(text);
    for (std::size_t i = 0; i < words.size();) {
        if (words[i].text != "#" || !words[i].begins_line) {
            tokens.push_back(kind_of(words[i++]));
            continue;
        }
        // A directive. What a macro stands for is part of the program.
        const bool defines = i + 1 < words.size() && words[i + 1].text == "define";
        if (defines)
            i += std::min<std::size_t>(3, words.size() - i);
        else
            for (++i; i < words.size() && !words[i].begins_line; ++i) {
            }
    }
    return tokens;
}

Fingerprints fingerprints_of(const std::vector<std::string>& tokens) {
    Fingerprints prints;
    if (tokens.size() < run) return prints;
    std::vector<std::uint64_t> hashes;
    for (std::size_t i = 0; i + run <= tokens.size(); ++i) {
        std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a, over the tokens' own hashes
        for (std::size_t j = i; j < i + run; ++j)
            hash = (hash ^ std::hash<std::string>{}(tokens[j])) * 1099511628211ULL;
        hashes.push_back(hash);
    }
    for (std::size_t i = 0; i < hashes.size(); i += 1) {
        const auto begin = hashes.begin() + static_cast<std::ptrdiff_t>(i);
        const auto end = hashes.size() - i < window ? hashes.end() : begin + window;
        prints.insert(*std::min_element(begin, end));
        if (end == hashes.end()) break;
    }
    return prints;
}

namespace {

std::size_t count_common(const Fingerprints& a, const Fingerprints& b) {
    std::vector<std::uint64_t> common;
    std::ranges::set_intersection(a, b, std::back_inserter(common));
    return common.size();
}

double share_of(std::size_t common, std::size_t all) {
    return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
}

/// Documents of which each is nearly all that another one is. However many these are, what they share is no common
/// knowledge: programs that people wrote by themselves have less than half of their fingerprints in common.
class Rings {
public:
    explicit Rings(const std::vector<Fingerprints>& own) {
        for (std::size_t i = 0; i < own.size(); ++i)
            if (!joins(own, i)) firsts_.push_back(i);
    }

    const std::vector<std::size_t>& firsts() const { return firsts_; }  ///< one of each ring, and who is in none
    const std::vector<Alike>& found() const { return found_; }          ///< the first of a ring, with each other one

private:
    bool joins(const std::vector<Fingerprints>& own, std::size_t i) {
        for (const std::size_t first : firsts_) {  // NOLINT(readability-use-anyofallof): it also notes what it finds
            const std::size_t smaller = std::min(own[i].size(), own[first].size());
            const std::size_t larger = std::max(own[i].size(), own[first].size());
            if (smaller < least_common || share_of(smaller, larger) < nearly_all) continue;
            const std::size_t common = count_common(own[i], own[first]);
            if (common < least_common || share_of(common, larger) < nearly_all) continue;
            found_.push_back({first, i, share_of(common, smaller), common});
            return true;
        }
        return false;
    }

    std::vector<std::size_t> firsts_;
    std::vector<Alike> found_;
};

}  // namespace

std::vector<Alike> find_alike(const std::vector<Document>& documents, const Fingerprints& given) {
    std::vector<Fingerprints> own;
    for (const Document& document : documents) {
        own.emplace_back();
        std::ranges::set_difference(document.prints, given, std::inserter(own.back(), own.back().end()));
    }
    const Rings rings(own);
    std::map<std::uint64_t, std::vector<std::size_t>> owners;
    for (const std::size_t i : rings.firsts())
        for (const std::uint64_t print : own[i]) owners[print].push_back(i);
    const std::size_t most_owners = std::clamp(rings.firsts().size() / 5, always_rare, always_common);
    std::vector<std::size_t> sizes(documents.size());
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> common;
    for (const auto& [print, who] : owners) {
        if (who.size() > most_owners) continue;
        for (std::size_t a = 0; a < who.size(); ++a) {
            ++sizes[who[a]];
            for (std::size_t b = a + 1; b < who.size(); ++b) ++common[{who[a], who[b]}];
        }
    }
    std::vector<Alike> alike = rings.found();
    for (const auto& [pair, count] : common) {
        const double share = share_of(count, std::min(sizes[pair.first], sizes[pair.second]));
        if (share >= least_share && count >= least_common) alike.push_back({pair.first, pair.second, share, count});
    }
    std::ranges::stable_sort(alike, std::ranges::greater(),
                             [](const Alike& one) { return std::pair(one.share, one.common); });
    return alike;
}

}  // namespace headway::classroom
