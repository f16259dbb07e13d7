#include "classroom/similarity.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <functional>
#include <map>

namespace headway::classroom {
namespace {

constexpr std::size_t run = 16;    ///< tokens a fingerprint covers
constexpr std::size_t window = 9;  ///< of as many neighbours one is kept
constexpr double least_share = 0.6;
constexpr std::size_t least_common = 8;
constexpr std::size_t always_rare = 4;     ///< what so few have is never common knowledge
constexpr std::size_t always_common = 20;  ///< what more have always is

constexpr std::array keywords = {"for",      "while", "if",     "else",  "return", "switch", "case",   "break",
                                 "continue", "const", "auto",   "throw", "new",    "delete", "struct", "class",
                                 "template", "using", "static", "int",   "float",  "double", "bool",   "void"};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where what begins at `i` ends, if it is a comment, a directive's line or a literal that does not count; else `i`.
std::size_t skip(std::string_view text, std::size_t i) {
    const auto until = [&](std::string_view end) {
        const auto found = text.find(end, i + 1);
        return found == std::string_view::npos ? text.size() : found + end.size();
    };
    if (text.substr(i, 2) == "//" || text[i] == '#') return until("\n");
    if (text.substr(i, 2) == "/*") return until("*/");
    return i;
}

std::size_t end_of_string(std::string_view text, std::size_t i) {
    const char quote = text[i];
    for (++i; i < text.size() && text[i] != quote && text[i] != '\n'; ++i)
        if (text[i] == '\\') ++i;
    return std::min(i + 1, text.size());
}

}  // namespace

std::vector<std::string> tokens_of(std::string_view text) {
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < text.size();) {
        if (const std::size_t end = skip(text, i); end != i) {
            i = end;
        } else if (text[i] == '"' || text[i] == '\'') {
            i = end_of_string(text, i);
            tokens.emplace_back("text");
        } else if (is_word(text[i])) {
            const std::size_t begin = i;
            while (i < text.size() && is_word(text[i])) ++i;
            const std::string word(text.substr(begin, i - begin));
            const bool is_keyword = std::find(keywords.begin(), keywords.end(), word) != keywords.end();
            const bool is_digit = std::isdigit(static_cast<unsigned char>(word.front())) != 0;
            tokens.push_back(is_keyword ? word : is_digit ? "number" : "name");
        } else {
            if (std::isspace(static_cast<unsigned char>(text[i])) == 0) tokens.emplace_back(1, text[i]);
            ++i;
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

std::vector<Alike> find_alike(std::vector<Document> documents, const Fingerprints& given) {
    std::map<std::uint64_t, std::vector<std::size_t>> owners;
    for (std::size_t i = 0; i < documents.size(); ++i)
        for (const std::uint64_t print : documents[i].prints)
            if (!given.contains(print)) owners[print].push_back(i);
    const std::size_t most_owners = std::clamp(documents.size() / 5, always_rare, always_common);
    std::vector<std::size_t> sizes(documents.size());
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> common;
    for (const auto& [print, who] : owners) {
        if (who.size() > most_owners) continue;
        for (std::size_t a = 0; a < who.size(); ++a) {
            ++sizes[who[a]];
            for (std::size_t b = a + 1; b < who.size(); ++b) ++common[{who[a], who[b]}];
        }
    }
    std::vector<Alike> alike;
    for (const auto& [pair, count] : common) {
        const double share =
            static_cast<double>(count) / static_cast<double>(std::min(sizes[pair.first], sizes[pair.second]));
        if (share >= least_share && count >= least_common) alike.push_back({pair.first, pair.second, share, count});
    }
    std::sort(alike.begin(), alike.end(), [](const Alike& a, const Alike& b) {
        return std::pair(a.share, a.common) > std::pair(b.share, b.common);
    });
    return alike;
}

}  // namespace headway::classroom
