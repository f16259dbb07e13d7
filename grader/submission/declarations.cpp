#include "submission/declarations.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace headway::build {
namespace {

using Texts = std::set<std::string, std::less<>>;

/// Behind a block, what goes on with the same function: members that are given values, and handlers.
const Texts goes_on = {";", ",", "{", "(", "=", "catch"};

/// The first word that is not of "template <class T>".
std::size_t behind_template(const std::vector<Word>& words) {
    std::size_t i = 0;
    while (i + 1 < words.size() && words[i].text == "template" && words[i + 1].text == "<") {
        std::size_t depth = 0;
        for (++i; i < words.size(); ++i) {
            if (words[i].text == "<") ++depth;
            if (words[i].text == ">" && --depth == 0) break;
        }
        ++i;
    }
    return i;
}

std::string_view closing_of(std::string_view open) { return open == "(" ? ")" : open == "[" ? "]" : "}"; }

/// Of the words outside of brackets up to the block: what shows that it is no function with a name.
struct Head {
    bool is_more = false;  ///< a type, or what is given a value: it ends with a semicolon
    bool is_operator = false;
};

class DeclarationReader {
public:
    std::optional<std::vector<Declaration>> read(const std::vector<Word>& words) {
        bool is_directive = false;
        for (const Word& word : words) {
            if (word.begins_line) {
                is_directive = word.text == "#";
                if (is_directive) directives_.emplace_back();
            }
            if (is_directive)
                directives_.back().words.push_back(word);
            else if (!take(word))
                return {};
        }
        if (!open_.empty()) return {};
        finish();
        for (Declaration& directive : directives_) {
            directive.is_directive = true;
            name_by_all(directive);
            all_.push_back(std::move(directive));
        }
        return std::move(all_);
    }

private:
    bool is_outside() const { return open_.empty() || open_.back() == "namespace"; }

    /// @return whether brackets match so far
    bool take(const Word& word) {
        if (is_outside()) {
            if (word.text == "}") {
                if (open_.empty()) return false;
                finish();
                open_.pop_back();
                return true;
            }
            if (word.text == "{" && begins_namespace()) {
                now_ = {};
                open_.emplace_back("namespace");
                return true;
            }
            if (is_behind_block_ && !waits_for_its_end_ && !goes_on.contains(word.text)) finish();
            if (word.text == "{" && now_.body == 0) {
                now_.body = now_.words.size();
                const Head head = head_of(now_);
                waits_for_its_end_ = head.is_more && !head.is_operator;
            }
        }
        now_.words.push_back(word);
        is_behind_block_ = false;
        if (opens(word)) open_.push_back(word.text);
        if (closes(word)) {
            if (open_.empty() || closing_of(open_.back()) != word.text) return false;
            open_.pop_back();
            is_behind_block_ = is_outside() && word.text == "}";
        }
        if (is_outside() && word.text == ";") finish();
        return true;
    }

    bool begins_namespace() const {
        const auto is = [&](std::size_t i, std::string_view text) {
            return i < now_.words.size() && now_.words[i].text == text;
        };
        const bool is_of_c = is(0, "extern") && now_.words.size() == 2 && now_.words[1].is_literal();
        return is(0, "namespace") || (is(0, "inline") && is(1, "namespace")) || is_of_c;
    }

    static bool opens(const Word& word) { return word.text == "(" || word.text == "[" || word.text == "{"; }
    static bool closes(const Word& word) { return word.text == ")" || word.text == "]" || word.text == "}"; }

    static Head head_of(const Declaration& one) {
        static const Texts types = {"struct", "class", "union", "enum", "typedef", "using", "concept", "="};
        Head head;
        int depth = 0;
        const std::size_t end = one.body > 0 ? one.body : one.words.size();
        for (std::size_t i = behind_template(one.words); i < end; ++i) {
            const Word& word = one.words[i];
            if (closes(word)) --depth;
            head.is_more |= depth == 0 && types.contains(word.text);
            head.is_operator |= depth == 0 && word.text == "operator";
            if (opens(word)) ++depth;
        }
        return head;
    }

    static void name_by_all(Declaration& one) {
        Texts names;
        for (const Word& word : one.words)
            if (word.is_name()) names.insert(word.text);
        one.names.assign(names.begin(), names.end());
    }

    /// Each name in front of brackets may be the function's: one may be a macro's.
    static void name_by_brackets(Declaration& one) {
        static const Texts of_the_language = {"noexcept", "decltype", "requires", "throw", "alignas", "explicit"};
        const std::vector<Word>& words = one.words;
        const auto is = [&](std::size_t i, std::string_view text) { return i < words.size() && words[i].text == text; };
        int depth = 0;
        bool is_head = true;  // up to its block, or what it returns, or the members that are given values
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (closes(words[i])) --depth;
            if (depth == 0 && i > 0) {
                const bool is_colon = is(i, ":") && !is(i - 1, ":") && !is(i + 1, ":");
                if (is_colon || (is(i - 1, "-") && is(i, ">")) || i == one.body) is_head = false;
                const bool is_named = is(i, "(") && words[i - 1].is_name();
                // "T (*pointer)(int)", "T a(1), b"
                const bool is_unclear =
                    (is(i, "(") && (is(i + 1, "*") || is(i + 1, "&"))) || (is_head && is(i, ",") && !one.names.empty());
                if (is_unclear) {
                    one.names.clear();
                    return;
                }
                if (is_named) one.names.push_back(words[i - 1].text);
                if (is_named && is_head && !of_the_language.contains(words[i - 1].text))
                    one.function = words[i - 1].text;
            }
            if (opens(words[i])) ++depth;
        }
    }

    void finish() {
        Declaration one = std::exchange(now_, {});
        const bool is_behind_block = std::exchange(is_behind_block_, false);
        waits_for_its_end_ = false;
        const std::size_t size = one.words.size();
        if (size == 0 || (size == 1 && one.words.front().text == ";")) return;
        const Head head = head_of(one);
        if (!head.is_more && !head.is_operator) name_by_brackets(one);
        const bool defines = is_behind_block || (size > 1 && one.words[size - 2].text == "}");
        if (one.names.empty() || one.body == 0 || !defines) one.function.clear();
        if (one.names.empty()) name_by_all(one);
        all_.push_back(std::move(one));
    }

    std::vector<Declaration> all_, directives_;
    std::vector<std::string> open_;  ///< brackets, and "namespace"
    Declaration now_;
    bool is_behind_block_ = false, waits_for_its_end_ = false;
};

}  // namespace

std::optional<std::vector<Declaration>> declarations_in(const std::vector<Word>& words) {
    return DeclarationReader().read(words);
}

}  // namespace headway::build
