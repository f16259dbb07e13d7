#include "classroom/program_tokens.hpp"

#include "submission/source_words.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headway::classroom {
namespace {

using build::Word;
using Set = std::set<std::string_view>;

/// May be added and left out at will.
const Set& without_weight() {
    static const Set words = {"{",        "}",        "const",    "constexpr", "static",   "inline",   "noexcept",
                              "mutable",  "typename", "explicit", "virtual",   "override", "final",    "this",
                              "unsigned", "signed",   "volatile", "nodiscard", "likely",   "unlikely", "maybe_unused"};
    return words;
}

/// `auto` may stand for each of them.
const Set& types() {
    static const Set words = {"auto",    "int",     "float",  "double", "long",   "short",  "char",
                              "bool",    "void",    "size_t", "string", "vector", "array",  "ptrdiff_t",
                              "int32_t", "int64_t", "Tensor", "Index",  "Shape",  "Strides"};
    return words;
}

const Set& keywords() {
    static const Set words = {"for",   "while", "do",    "if",     "else",   "return",   "switch",
                              "case",  "break", "new",   "delete", "struct", "class",    "template",
                              "using", "try",   "catch", "goto",   "sizeof", "continue", "operator"};
    return words;
}

/// Functions of the standard library that solutions call; as little as the course's can they be renamed.
const Set& standard_functions() {
    static const Set words = {"max",         "min",           "exp",       "sqrt",         "pow",        "log",
                              "abs",         "isinf",         "isnan",     "infinity",     "lowest",     "swap",
                              "move",        "forward",       "size",      "begin",        "end",        "data",
                              "front",       "back",          "empty",     "push_back",    "resize",     "reserve",
                              "fill",        "copy",          "transform", "accumulate",   "memcpy",     "max_element",
                              "make_unique", "inner_product", "to_string", "emplace_back", "make_shared"};
    return words;
}

class Normaliser {
public:
    Normaliser(const std::vector<Word>& words, const GivenNames& given, std::size_t file)
        : words_(words), given_(given), file_(file) {}

    std::vector<Token> tokens() {
        while (at_ < words_.size()) read_one();
        return std::move(tokens_);
    }

private:
    bool is(std::size_t i, std::string_view text) const { return i < words_.size() && words_[i].text == text; }
    bool is_name(std::size_t i) const { return i < words_.size() && words_[i].is_name(); }

    void add(std::string kind) {
        tokens_.push_back({std::move(kind), file_, words_[std::min(at_, words_.size() - 1)].line});
    }
    /// Several in a row count as one: "a" "b", and `unsigned long`.
    void add_once(const char* kind) {
        if (tokens_.empty() || tokens_.back().kind != kind) add(kind);
    }

    void read_one() {
        const Word& word = words_[at_];
        if (word.text == "#" && word.begins_line) return skip_directive();
        if (word.is_literal()) return take(&Normaliser::add_once, "text");
        if (word.is_number()) return take(&Normaliser::add_once, "number");
        if (word.text == ":" && is(at_ + 1, ":")) return skip(2);
        if (word.text == "[" && is(at_ + 1, "[")) return skip(2);  // of an attribute, whose name does not count
        if (without_weight().contains(word.text)) return skip(1);
        if (word.is_name()) return read_name();
        read_punctuation();
    }

    void skip(std::size_t count) { at_ += count; }
    void take(void (Normaliser::*how)(const char*), const char* kind) {
        (this->*how)(kind);
        ++at_;
    }

    /// What a macro stands for is part of the program; all else of directives is not.
    void skip_directive() {
        if (is(at_ + 1, "define")) return skip(3);
        for (++at_; at_ < words_.size() && !words_[at_].begins_line;) ++at_;
    }

    void read_name() {
        const std::string& text = words_[at_].text;
        if (is(at_ + 1, ":") && is(at_ + 2, ":")) return skip(3);  // a namespace, or a class as good as one
        if (text == "throw") return read_throw();
        if ((text == "using" || text == "namespace") && skip_namespace()) return;
        if (text.ends_with("_cast")) return read_cast();
        if (types().contains(text)) return read_type();
        const bool fixed = (is(at_ + 1, "(") || (at_ > 0 && is(at_ - 1, "."))) &&
                           (given_.contains(text) || standard_functions().contains(text));
        add(fixed || keywords().contains(text) ? text : "name");
        ++at_;
    }

    /// Which exception with what words is told is free.
    void read_throw() {
        add("throw");
        while (at_ < words_.size() && words_[at_].text != ";") ++at_;
    }

    /// `namespace a {` and `using namespace a;`, but not `using a = b;`. All that begin before `mark_` end there, so no
    /// word is looked at twice.
    bool skip_namespace() {
        for (mark_ = std::max(mark_, at_); mark_ < words_.size(); ++mark_)
            if (is(mark_, ";") || is(mark_, "{") || is(mark_, "=")) break;
        if (is(mark_, "=")) return false;
        at_ = mark_ + 1;
        return true;
    }

    /// static_cast<float>(x) as float(x).
    void read_cast() {
        add_once("type");
        ++at_;
        skip_template_arguments();
    }

    /// With its template arguments, and whether it is a reference or a pointer.
    void read_type() {
        add_once("type");
        ++at_;
        skip_template_arguments();
        while (is(at_, "&") || is(at_, "*")) ++at_;
    }

    void skip_template_arguments() {
        if (!is(at_, "<")) return;
        constexpr std::size_t longest = 40;  // what goes on longer is a comparison
        std::size_t depth = 0;
        for (std::size_t i = at_; i < std::min(at_ + longest, words_.size()); ++i) {
            if (is(i, ";")) return;
            if (is(i, "<")) ++depth;
            if (is(i, ">") && --depth == 0) return skip(i + 1 - at_);
        }
    }

    void read_punctuation() {
        const std::string& text = words_[at_].text;
        if ((text == "+" || text == "-") && is(at_ + 1, text)) {
            if (is_name(at_ + 2)) {  // ++i as i++
                add("name");
                add(text + text);
                return skip(3);
            }
            add(text + text);
            return skip(2);
        }
        add(text == ">" ? "<" : text);
        ++at_;
    }

    const std::vector<Word>& words_;
    const GivenNames& given_;
    std::size_t file_;
    std::size_t at_ = 0;
    std::size_t mark_ = 0;  ///< where skip_namespace() stopped
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(const std::vector<build::SourceFile>& files, const GivenNames& given) {
    std::vector<Token> tokens;
    for (std::size_t file = 0; file < files.size() && tokens.size() <= most_tokens; ++file) {
        const std::vector<Word> words = build::words_of(files[file].text);
        if (file > 0) tokens.push_back({"", file, 0});
        std::ranges::move(Normaliser(words, given, file).tokens(), std::back_inserter(tokens));
    }
    return tokens;
}

bool is_too_long_to_compare(const std::vector<build::SourceFile>& files, const GivenNames& given) {
    std::size_t bytes = 0;
    for (const build::SourceFile& file : files) {
        bytes += file.text.size() + 1;  // the end of a file is a token, too
        if (file.text.size() >= build::most_words_read && build::words_of(file.text).size() == build::most_words_read)
            return true;
    }
    return bytes > most_tokens && tokens_of(files, given).size() > most_tokens;
}

GivenNames functions_in(std::string_view header) {
    GivenNames names;
    const std::vector<Word> words = build::words_of(header);
    for (std::size_t i = 1; i < words.size(); ++i)
        if (words[i].text == "(" && words[i - 1].is_name()) names.insert(words[i - 1].text);
    return names;
}

}  // namespace headway::classroom
