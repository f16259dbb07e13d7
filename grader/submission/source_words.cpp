#include "submission/source_words.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace headway::build {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Letters beyond ASCII are letters, too.
bool is_in_name(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || c == '_' || c == '$' || byte >= 0x80;
}

/// Of a raw string ([lex.string]). One without a bound would be compared at each place where it might end.
constexpr std::size_t longest_delimiter = 16;
constexpr std::string_view may_delimit =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_{}[]#<>%:;.?*+-/^&|~!=,\"'";

class Reader {
public:
    explicit Reader(std::string_view source) : source_(source) {
        text_.reserve(source.size());
        from_.reserve(source.size());
        lines_.reserve(source.size());
        int line = 1;
        for (std::size_t i = 0; i < source.size(); ++i) {
            std::size_t end = i + 1;
            while (source[i] == '\\' && end < source.size() &&
                   std::string_view(" \t\r\v\f").find(source[end]) != std::string_view::npos)
                ++end;
            if (source[i] == '\\' && end < source.size() && source[end] == '\n') {
                ++line;
                i = end;
                continue;
            }
            text_ += source[i];
            from_.push_back(i);
            lines_.push_back(line);
            if (source[i] == '\n') ++line;
        }
    }

    std::vector<Word> words() {
        while (at_ < text_.size() && words_.size() < most_words_read) read_one();
        return std::move(words_);
    }

private:
    bool is_next(std::string_view what) const { return text_.compare(at_, what.size(), what) == 0; }

    void skip_past(std::string_view what, std::size_t from) {
        const std::size_t found = text_.find(what, from);
        at_ = found == std::string::npos ? text_.size() : found + what.size();
    }

    void add(std::size_t begin, std::string text) {
        if (begins_line_) line_begin_ = words_.size();
        words_.push_back({std::move(text), lines_[begin], std::exchange(begins_line_, false)});
    }

    void add(std::size_t begin) { add(begin, text_.substr(begin, at_ - begin)); }

    void read_one() {
        const char c = text_[at_];
        if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            begins_line_ |= c == '\n';
            ++at_;
        } else if (is_next("//")) {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else if (is_next("/*")) {
            skip_past("*/", at_ + 2);
        } else if (c == '"' || c == '\'') {
            read_literal(c);
        } else if (is_digit(c)) {
            read_number();
        } else if (is_in_name(c)) {
            read_name();
        } else if (c == '<' && names_a_header()) {
            const std::size_t begin = at_;
            at_ = std::min(text_.find_first_of(">\n", at_), text_.size());
            at_ += is_next(">") ? 1 : 0;
            add(begin);
        } else if (is_next("%:")) {
            add(at_, "#");
            at_ += 2;
        } else {
            add(at_, std::string(1, c));
            ++at_;
        }
    }

    /// Behind #include and in __has_include( nothing but > ends a name, and no comment begins.
    bool names_a_header() const {
        const std::size_t size = words_.size();
        if (size < line_begin_ + 2 || words_[line_begin_].text != "#") return false;
        const std::string& last = words_[size - 1].text;
        if (size == line_begin_ + 2) return last == "include" || last == "include_next" || last == "import";
        const std::string& asks = words_[size - 2].text;
        return last == "(" && (asks == "__has_include" || asks == "__has_include_next");
    }

    /// 1'000 is a number: its apostrophe opens nothing. That of 0'"' does.
    void read_number() {
        const std::size_t begin = at_++;
        while (at_ < text_.size()) {
            const bool separates = text_[at_] == '\'' && at_ + 1 < text_.size() && is_in_name(text_[at_ + 1]);
            if (!separates && !is_in_name(text_[at_]) && text_[at_] != '.') break;
            at_ += separates ? 2 : 1;
        }
        add(begin);
    }

    void read_name() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_in_name(text_[at_])) ++at_;
        const std::string_view name = std::string_view(text_).substr(begin, at_ - begin);
        if (at_ < text_.size() && text_[at_] == '"' &&
            std::set<std::string_view>{"R", "LR", "uR", "UR", "u8R"}.contains(name))
            skip_raw_string();
        add(begin);
    }

    /// In it a backslash at the end of a line is one: it is sought in the source as it was. What begins like one and
    /// has no delimiter that may be one is an error, but where clang++ skips text: there it goes on to the next quote.
    void skip_raw_string() {
        const std::size_t begin = from_[at_] + 1;
        const std::string_view most = source_.substr(begin, longest_delimiter + 1);
        const std::string_view delimiter = most.substr(0, most.find_first_not_of(may_delimit));
        const bool is_one = delimiter.size() < most.size() && most[delimiter.size()] == '(';
        const std::string close = is_one ? ")" + std::string(delimiter) + "\"" : "\"";
        const std::size_t found = source_.find(close, begin);
        const std::size_t end = found == std::string_view::npos ? source_.size() : found + close.size();
        at_ = static_cast<std::size_t>(std::ranges::lower_bound(from_, end) - from_.begin());
    }

    void read_literal(char quote) {
        const std::size_t begin = at_++;
        while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
        at_ = std::min(at_ + 1, text_.size());
        add(begin);
    }

    std::string_view source_;
    std::string text_;               ///< of it, lines joined
    std::vector<std::size_t> from_;  ///< where each character of text_ is in source_
    std::vector<int> lines_;         ///< of each character
    std::vector<Word> words_;
    std::size_t at_ = 0;
    std::size_t line_begin_ = 0;  ///< of words_: the first one of the last line
    bool begins_line_ = true;
};

}  // namespace

bool Word::is_number() const { return is_digit(text.front()); }
bool Word::is_literal() const { return text.front() == '"' || text.front() == '\'' || text.back() == '"'; }
bool Word::is_name() const { return is_in_name(text.front()) && !is_number() && !is_literal(); }

std::vector<Word> words_of(std::string_view text) { return Reader(text).words(); }

std::vector<Word> words_without_directives(std::string_view text) {
    std::vector<Word> words = words_of(text);
    bool is_directive = false;
    std::size_t skipped = 0;  // how many #if this is in, beginning with an #if 0
    std::size_t kept = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i].begins_line) is_directive = words[i].text == "#";
        if (words[i].begins_line && is_directive && i + 1 < words.size()) {
            const std::string& what = words[i + 1].text;
            const bool is_never =
                i + 2 < words.size() && words[i + 2].text == "0" && (i + 3 == words.size() || words[i + 3].begins_line);
            if (what.starts_with("if") && (skipped > 0 || (what == "if" && is_never)))
                ++skipped;
            else if (skipped > 0 && (what == "endif" || (skipped == 1 && what.starts_with("el"))))
                --skipped;
        }
        if (is_directive || skipped > 0) continue;
        if (kept < i) words[kept] = std::move(words[i]);
        ++kept;
    }
    words.resize(kept);
    return words;
}

}  // namespace headway::build
