#include "build/unchecked.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace headway::build {
namespace {

constexpr std::size_t most_places = 20;

bool is_in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

struct Word {
    std::string text;  ///< a name, one character of punctuation, or what stands in a literal, with its quote
    int line = 0;
};

/// Names and punctuation of a source, as the compiler's preprocessor would see them.
class Reader {
public:
    explicit Reader(std::string_view text) {
        // Spliced: a backslash at the end of a line joins it with the next.
        int line = 1;
        for (std::size_t i = 0; i < text.size(); ++i) {
            std::size_t end = i + 1;
            while (text[i] == '\\' && end < text.size() &&
                   std::string_view(" \t\r\v\f").find(text[end]) != std::string_view::npos)
                ++end;
            if (text[i] == '\\' && end < text.size() && text[end] == '\n') {
                ++line;
                i = end;
                continue;
            }
            text_ += text[i];
            lines_.push_back(line);
            if (text[i] == '\n') ++line;
        }
    }

    std::vector<Word> words() {
        while (at_ < text_.size()) read_one();
        return std::move(words_);
    }

private:
    bool is_next(std::string_view what) const { return text_.compare(at_, what.size(), what) == 0; }

    void skip_past(std::string_view what, std::size_t from) {
        const std::size_t found = text_.find(what, from);
        at_ = found == std::string::npos ? text_.size() : found + what.size();
    }

    void add(std::size_t begin, std::size_t end) {
        words_.push_back({text_.substr(begin, end - begin), lines_[begin]});
    }

    void read_one() {
        const char c = text_[at_];
        if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            ++at_;
        } else if (is_next("//")) {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else if (is_next("/*")) {
            skip_past("*/", at_ + 2);
        } else if (c == '"' || c == '\'') {
            read_literal(c);
        } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
            // 1'000 is a number: its apostrophes open nothing.
            while (at_ < text_.size() && (is_in_name(text_[at_]) || text_[at_] == '.' || text_[at_] == '\'')) ++at_;
        } else if (is_in_name(c)) {
            read_name();
        } else {
            add(at_, at_ + 1);
            ++at_;
        }
    }

    void read_name() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_in_name(text_[at_])) ++at_;
        const std::string_view name = std::string_view(text_).substr(begin, at_ - begin);
        const bool is_raw = at_ < text_.size() && text_[at_] == '"' &&
                            std::set<std::string_view>{"R", "LR", "uR", "UR", "u8R"}.contains(name);
        if (!is_raw) return add(begin, at_);
        const std::size_t open = std::min(text_.find('(', at_), text_.size());
        skip_past(")" + text_.substr(at_ + 1, open - at_ - 1) + "\"", open);
        add(begin, at_);
    }

    void read_literal(char quote) {
        const std::size_t begin = at_++;
        while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
        at_ = std::min(at_ + 1, text_.size());
        add(begin, at_);
    }

    std::string text_;
    std::vector<int> lines_;  ///< of each character
    std::vector<Word> words_;
    std::size_t at_ = 0;
};

bool speaks_of(std::string_view text, std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) { return text.find(name) != std::string_view::npos; });
}

/// What a name does to the sanitizers, wherever it stands; a macro's definition is enough.
std::optional<std::string> effect_of(std::string_view name) {
    if (speaks_of(name, {"no_sanitize", "no_address_safety_analysis", "disable_sanitizer_instrumentation"}))
        return "switches the sanitizer off: what that function does with memory was not checked";
    if (speaks_of(name, {"__SANITIZE_", "__has_feature"}))
        return "asks whether a sanitizer is there: what the program does without one was not checked";
    if (name.starts_with("__asan_") || name.starts_with("__ubsan_") || name.starts_with("__lsan_") ||
        name.starts_with("__sanitizer_") || speaks_of(name, {"POISON_MEMORY_REGION"}))
        return "speaks to the sanitizer itself: what that file does with memory was not checked";
    if (name == "getenv" || name == "secure_getenv" || name == "environ" || name == "__environ")
        return "reads the environment, which tells whether a sanitizer is there: what the program does without one was "
               "not checked";
    if (name == "asm" || name == "__asm" || name == "__asm__")
        return "is assembler: what it does with memory was not checked";
    return std::nullopt;
}

const char* const own_options =
    "sets options of the compiler for itself: what that function does with memory was not checked as the rest was";

/// What the word at `i` does; most do nothing.
std::optional<std::string> effect_at(const std::vector<Word>& words, std::size_t i, bool in_attribute) {
    const auto follows = [&](std::size_t offset, std::string_view text) {
        return i + offset < words.size() && words[i + offset].text == text;
    };
    const std::string& word = words[i].text;
    if (word.front() == '"' && speaks_of(word, {"SAN_OPTIONS", "/proc/"}))
        return "looks at the process it runs in, where a sanitizer shows: what the program does without one was not "
               "checked";
    if (word.front() == '"' || word.front() == '\'' || word.back() == '"') return std::nullopt;
    if (auto effect = effect_of(word)) return effect;
    if (word == "#" && follows(1, "#") && words[i + 1].line == words[i].line)
        return "pastes names together (##): what they say to the sanitizer was not read";
    if (in_attribute && (word == "optimize" || word == "__optimize__")) return own_options;
    if (word == "pragma" && follows(1, "GCC") && follows(2, "optimize")) return own_options;
    if (word == "_Pragma" && i + 2 < words.size() && speaks_of(words[i + 2].text, {"GCC optimize", "no_sanitize"}))
        return own_options;
    return std::nullopt;
}

/// Whether each word is within __attribute__((...)) or [[...]].
class Attributes {
public:
    bool is_inside(const std::vector<Word>& words, std::size_t i) {
        const std::string& word = words[i].text;
        if (depth_ == 0) {
            waiting_ = word.starts_with("__attribute");
            closing_ = waiting_ ? ')' : ']';
            if (waiting_ || (word == "[" && i + 1 < words.size() && words[i + 1].text == "[")) depth_ = 1;
            return depth_ > 0;
        }
        const std::string opening(1, closing_ == ')' ? '(' : '[');
        if (word == opening) {
            if (!std::exchange(waiting_, false)) ++depth_;
        } else if (word == std::string(1, closing_) || waiting_) {
            --depth_;
            waiting_ = false;
        }
        return depth_ > 0;
    }

private:
    int depth_ = 0;
    char closing_ = ')';
    bool waiting_ = false;  ///< for the parenthesis after __attribute__
};

}  // namespace

std::vector<std::string> unchecked_places(const std::vector<SourceFile>& files) {
    std::vector<std::string> sentences;
    for (const SourceFile& file : files) {
        const std::vector<Word> words = Reader(file.text).words();
        Attributes attributes;
        int told = 0;  // once for a line
        for (std::size_t i = 0; i < words.size(); ++i) {
            const bool in_attribute = attributes.is_inside(words, i);
            const auto effect = effect_at(words, i, in_attribute);
            if (!effect || words[i].line == told) continue;
            told = words[i].line;
            if (sentences.size() == most_places) return sentences;
            sentences.push_back(file.path.string() + " line " + std::to_string(told) + " " + *effect);
        }
    }
    return sentences;
}

}  // namespace headway::build
