#include "labs/gpt2/tokenizer.hpp"

#include "labs/gpt2/spelling.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace headway::lab {
namespace {

/// English endings with an apostrophe, letters, digits, other signs, white space; of white space before a word the last
/// character goes with the word.                                                  [GPT-2's own pattern, encoder.py]
constexpr const char* pattern_of_words =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
    throw std::runtime_error(fmt::format("{} cannot be used: {}", file, why));
}

std::vector<std::string> read_vocabulary(std::string_view text, const std::string& file) {
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object() || json.empty()) refuse(file, "it is not a JSON object of tokens and numbers");
    std::vector<std::string> tokens(json.size());
    std::vector<bool> taken(json.size(), false);
    for (const auto& [token, number] : json.items()) {
        if (token.empty()) refuse(file, "it has an empty token");
        if (!number.is_number_unsigned() || number.get<std::size_t>() >= tokens.size())
            refuse(file, fmt::format("the number of {} is not one of 0 to {}", token, tokens.size() - 1));
        const auto at = number.get<std::size_t>();
        if (taken[at]) refuse(file, fmt::format("{} has the number of {}", token, tokens[at]));
        taken[at] = true;
        tokens[at] = token;
    }
    return tokens;
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string line(text.substr(0, end));
        if (!line.empty() && line.back() == '\r') line.pop_back();
        lines.push_back(std::move(line));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

struct FreeCode {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatch {
    void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};

}  // namespace

struct Tokenizer::Pattern {
    std::unique_ptr<pcre2_code, FreeCode> code;

    Pattern() {
        int error = 0;
        PCRE2_SIZE at = 0;
        code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern_of_words), PCRE2_ZERO_TERMINATED,
                                 PCRE2_UTF | PCRE2_UCP, &error, &at, nullptr));
        if (!code) throw std::runtime_error("this machine's PCRE2 library does not know Unicode");
    }

    /// @throws std::runtime_error if it is not UTF-8
    std::vector<std::string> words(const std::string& text) const {
        const std::unique_ptr<pcre2_match_data, FreeMatch> match(
            pcre2_match_data_create_from_pattern(code.get(), nullptr));
        std::vector<std::string> words;
        for (std::size_t at = 0; at < text.size();) {
            const int found = pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at, 0,
                                          match.get(), nullptr);
            if (found == PCRE2_ERROR_NOMATCH) break;
            if (found < 0)
                throw std::runtime_error(
                    fmt::format("the text is not valid UTF-8 (at byte {})", pcre2_get_startchar(match.get())));
            const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(match.get());
            words.push_back(text.substr(bounds[0], bounds[1] - bounds[0]));
            at = bounds[1];
        }
        return words;
    }

    bool is_utf8(const std::string& text) const {
        try {
            words(text);
            return true;
        } catch (const std::runtime_error&) {
            return false;
        }
    }
};

Tokenizer::Tokenizer(std::string_view vocabulary, std::string_view merges, const std::string& name)
    : name_(name), tokens_(read_vocabulary(vocabulary, name + "/vocab.json")), words_(std::make_shared<Pattern>()) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) number_of_[tokens_[i]] = static_cast<Index>(i);
    const std::string file = name + "/merges.txt";
    const std::vector<std::string> lines = lines_of(merges);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string& line = lines[i];
        if (line.empty() || (i == 0 && line.starts_with("#version"))) continue;
        const std::size_t space = line.find(' ');
        if (space == 0 || space == std::string::npos || space + 1 == line.size() ||
            line.find(' ', space + 1) != std::string::npos)
            refuse(file, fmt::format("line {} is not two tokens with a space between them", i + 1));
        if (!number_of_.contains(line.substr(0, space) + line.substr(space + 1)))
            refuse(file, fmt::format("what line {} joins is not in the vocabulary", i + 1));
        rank_of_.emplace(line, i);
    }
}

std::vector<std::string> Tokenizer::join(const std::string& word) const {
    std::vector<std::string> parts;
    for (const char byte : word) parts.push_back(byte_spelling()[static_cast<unsigned char>(byte)]);
    while (parts.size() > 1) {
        std::size_t least = std::numeric_limits<std::size_t>::max();
        std::string left, right;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            const auto rank = rank_of_.find(parts[i] + " " + parts[i + 1]);
            if (rank == rank_of_.end() || rank->second >= least) continue;
            least = rank->second;
            left = parts[i];
            right = parts[i + 1];
        }
        if (left.empty()) break;
        std::vector<std::string> joined;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const bool here = i + 1 < parts.size() && parts[i] == left && parts[i + 1] == right;
            joined.push_back(here ? left + right : parts[i]);
            if (here) ++i;
        }
        parts = std::move(joined);
    }
    return parts;
}

std::vector<Index> Tokenizer::encode(const std::string& text) const {
    if (text.size() > longest_text)
        throw std::runtime_error(fmt::format("the text has {} bytes; {} are enough for any model that fits here",
                                             text.size(), longest_text));
    std::vector<Index> numbers;
    for (const std::string& word : words_->words(text))
        for (const std::string& part : join(word)) {
            const auto number = number_of_.find(part);
            if (number == number_of_.end())
                throw std::runtime_error(
                    fmt::format("{}/vocab.json has no token {}, which the text needs", name_, part));
            numbers.push_back(number->second);
        }
    return numbers;
}

std::string Tokenizer::decode(const std::vector<Index>& tokens) const {
    std::string bytes;
    for (const Index token : tokens) bytes += unspelled(tokens_.at(static_cast<std::size_t>(token)));
    return bytes;
}

std::string Tokenizer::readable(const std::vector<Index>& tokens) const {
    std::string text = decode(tokens);
    for (char& c : text)
        if ((static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') || c == '\x7F')
            c = '\xFF';  // never in UTF-8
    using nlohmann::json;
    return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

std::string Tokenizer::label(Index token) const {
    std::string text = decode({token});
    if (text.size() > 1 && text.front() == ' ') text.erase(0, 1);
    const bool can_be_seen = std::all_of(text.begin(), text.end(),
                                         [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7F'; });
    return can_be_seen && words_->is_utf8(text) ? text : tokens_[static_cast<std::size_t>(token)];
}

}  // namespace headway::lab
