#include "build/idle_statements.hpp"

#include "submission/words_of_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace headway::build {
namespace {

constexpr std::size_t most_idle_told = 3;

using NameSet = std::set<std::string, std::less<>>;

/// Nobody writes a longer type, or more between a function's parameters and its body: each is read many times.
constexpr std::size_t most_words_of_a_head = 200;

/// Bytes of the view that a statement is told by: of a longer one nothing is told.
constexpr std::size_t longest_shown = 200;

/// Of each word of a file what is around it, found in one pass.
struct Around {
    std::vector<std::size_t> bracket;  ///< the one that is open there; 0 if none is
    std::vector<std::size_t> begin;    ///< that, or what ends the statement before, whichever is nearer; 0 for neither
    std::vector<std::size_t> semicolon;  ///< the next one, wherever it stands

    explicit Around(const std::vector<Word>& words)
        : bracket(words.size()), begin(words.size()), semicolon(words.size(), words.size()) {
        struct Open {
            std::size_t bracket = 0, begin = 0;
        };
        std::vector<Open> open(1);
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::string& text = words[i].text;
            bracket[i] = open.back().bracket;
            begin[i] = open.back().begin;
            if ((text == ")" || text == "]" || text == "}") && open.size() > 1) open.pop_back();
            const bool ends_block = text == "}" && (i + 1 == words.size() || words[i + 1].text != ",");
            if (text == ";" || ends_block) open.back().begin = i;  // else it closes what initialises a variable
            if (text == "(" || text == "[" || text == "{") open.push_back({.bracket = i, .begin = i});
        }
        std::size_t next = words.size();
        for (std::size_t i = words.size(); i-- > 0; semicolon[i] = next)
            if (words[i].text == ";") next = i;
    }
};

/// Reads one file for statements that begin with a tensor, or call a function of the library's.
class IdleReader {
public:
    /// @param own  functions of the submission: one of theirs that is called as a tensor's does what it likes
    IdleReader(const WordsOfFile& file, std::string name, const NameSet& own)
        : words_(file.words), closing_(file.closing), around_(words_), file_(std::move(name)), own_(own) {
        for (std::size_t i = 0; i < words_.size(); ++i)
            if (words_[i].is_name()) places_[words_[i].text].push_back(i);
    }

    std::vector<std::string> found() {
        std::vector<std::string> told;
        for (std::size_t i = 0; i < words_.size() && told.size() < most_idle_told; ++i)
            if (words_[i].is_name() && begins_statement(i))
                if (const std::string one = idle_at(i); !one.empty())
                    told.push_back(fmt::format("{}:{}: {}", file_, words_[i].line, one));
        return told;
    }

private:
    /// Where a name is a Tensor's.
    struct Tensors {
        bool is_something_else = false;                                ///< somewhere in the file
        std::vector<std::pair<std::size_t, std::size_t>> scopes = {};  ///< in their order, none within another one
    };

    bool is(std::size_t i, std::string_view text) const { return i < words_.size() && words_[i].text == text; }

    bool begins_statement(std::size_t i) const { return i > 0 && (is(i - 1, ";") || is(i - 1, "{") || is(i - 1, "}")); }

    /// What follows the bracket that closes the one at `open`.
    std::size_t behind(std::size_t open) const {
        const std::size_t close = closing_[open];
        const bool has_statement = around_.semicolon[open] < close;  // of a lambda: not read
        return has_statement || close == words_.size() ? words_.size() : close + 1;
    }

    /// Whether the name at `use` was declared as a Tensor where that counts there, and nowhere in the file as anything
    /// else.
    bool is_tensor(std::size_t use) {
        const auto [known, is_new] = tensors_.try_emplace(words_[use].text);
        if (is_new) known->second = tensors_called(words_[use].text);
        const auto& scopes = known->second.scopes;
        if (known->second.is_something_else || scopes.empty()) return false;
        const auto next = std::ranges::upper_bound(scopes, use, {}, [](const auto& scope) { return scope.first; });
        return next != scopes.begin() && use < std::prev(next)->second;
    }

    Tensors tensors_called(std::string_view name) const {
        std::vector<std::pair<std::size_t, std::size_t>> scopes;
        for (const std::size_t i : places_.find(name)->second) {
            if (i < 2) continue;
            const bool is_in_list = is(i - 1, ",");
            const std::size_t type = is_in_list ? type_of_list(i - 1) : is(i - 1, "&") ? i - 2 : i - 1;
            if (type == 0) continue;
            if (is(type, "Tensor") && !is(i + 1, "[") && !is(i + 1, "("))
                scopes.push_back(scope_of(i));
            else if (is(i - 1, ">") || is(i - 1, "*") || is(i - 1, "&") || is(i - 1, "auto") || is(i - 1, "[") ||
                     is_in_list || is_a_type(i - 1))
                return {.is_something_else = true};
        }
        std::ranges::sort(scopes);
        Tensors tensors;
        for (const auto& scope : scopes)
            if (tensors.scopes.empty() || tensors.scopes.back().second < scope.first)
                tensors.scopes.push_back(scope);
            else
                tensors.scopes.back().second = std::max(tensors.scopes.back().second, scope.second);
        return tensors;
    }

    bool opens(std::size_t i) const { return is(i, "(") || is(i, "[") || is(i, "{"); }
    bool closes(std::size_t i) const { return is(i, ")") || is(i, "]") || is(i, "}"); }

    /// Behind a comma: the last word of the type that the declaration begins with, "double > a(1), b(2)" at `>`.
    /// 0 if this is no declaration: arguments of a call, a list of captures.
    std::size_t type_of_list(std::size_t comma) const {
        const std::size_t before = around_.begin[comma];
        if (is(before, "[")) {
            const std::size_t type = is(before - 1, "&") ? before - 2 : before - 1;
            return is(type, "auto") ? type : 0;
        }
        if (is(before, "(") && (before == 0 || !is(before - 1, "for"))) return 0;
        static const NameSet qualifiers = {"const", "constexpr", "static", "inline", "thread_local", "mutable"};
        const std::size_t end = std::min(comma, before + most_words_of_a_head);
        std::size_t i = before + 1, last = 0;
        while (i < end) {
            const bool is_of_the_last = last != 0 && (is(i, ":") || is(i, "&") || is(i, "*"));
            if (is_of_the_last || qualifiers.contains(words_[i].text)) {
                ++i;
            } else if (is_a_type(i) && last != 0 && !is(i - 1, ":")) {
                return last;  // the first name that is declared
            } else if (is_a_type(i)) {
                last = i++;
            } else if (last != 0 && is(i, "<")) {
                int depth = 0;
                for (; i < end; ++i)
                    if (is(i, "<")) {
                        ++depth;
                    } else if (is(i, ">") && --depth == 0) {
                        break;
                    }
                last = i++;
            } else {
                return 0;
            }
        }
        return 0;
    }

    /// From where to where a name that is declared at `at` may be meant: to the end of its block, or within the
    /// function whose parameter it is.
    std::pair<std::size_t, std::size_t> scope_of(std::size_t at) const {
        const std::size_t open = around_.bracket[at];
        if (!opens(open)) return {at, words_.size()};
        if (is(open, "{")) return {at, closing_[open]};
        std::size_t body = closing_[open] + 1;
        const std::size_t most = std::min(words_.size(), body + most_words_of_a_head);
        while (body < most && !is(body, "{") && !is(body, ";") && !closes(body))
            body = opens(body) ? closing_[body] + 1 : body + 1;
        return body < most && is(body, "{") ? std::pair(body + 1, closing_[body]) : std::pair(at, at);
    }

    bool is_a_type(std::size_t i) const {
        static const NameSet no_types = {"return", "else", "throw", "case", "and", "or", "not", "in", "co_return"};
        return words_[i].is_name() && !no_types.contains(words_[i].text);
    }

    /// Whether this calls a function of the library's that does nothing but give a result, which nobody takes.
    bool is_idle_call(std::size_t begin) {
        static const NameSet functions = {"matmul", "exp", "log", "sqrt", "sum", "mean", "max", "masked_fill", "cat"};
        const std::string& name = words_[begin].text;
        if (!functions.contains(name) || own_.contains(name) || !is(begin + 1, "(") || !is(behind(begin + 1), ";"))
            return false;
        const auto [known, is_new] = may_do_something_.try_emplace(name);
        if (is_new) known->second = may_do_something(name);
        return !known->second;
    }

    /// Whether the file calls it to see what it refuses, perhaps, or declares it: a lambda that does what it likes.
    bool may_do_something(const std::string& name) const {
        static const NameSet of_throws = {"try", "EXPECT_THROW", "ASSERT_THROW", "EXPECT_NO_THROW", "ASSERT_NO_THROW"};
        for (std::size_t i = 1; i < words_.size(); ++i) {
            if (of_throws.contains(words_[i].text)) return true;
            if (is(i, name) && (is_a_type(i - 1) || is(i - 1, ">") || is(i - 1, "&") || is(i - 1, "*"))) return true;
        }
        return false;
    }

    /// What is said of the statement that begins here; empty if it does something, or nobody knows.
    std::string idle_at(std::size_t begin) {
        static const NameSet views = {"slice", "select", "view", "transpose", "expand"};
        static const NameSet copies = {"contiguous", "clone"};
        if (is_idle_call(begin))
            return fmt::format("{}(…) changes nothing that it is given, and nobody takes its result here",
                               words_[begin].text);
        std::string last;  // the member that is called last; "[" for an index
        std::string shown = words_[begin].text;
        std::size_t i = begin + 1;
        while (i < words_.size()) {
            if (is(i, "[")) {
                last = last == "?" || (last.empty() && !is_tensor(begin)) ? "?" : "[";
                shown += is(i - 1, "]") ? "[j]" : "[i]";
                i = behind(i);
            } else if (is(i, ".") && i + 1 < words_.size() && words_[i + 1].is_name()) {
                const std::string& member = words_[i + 1].text;
                const bool is_called = is(i + 2, "(");
                if (is_called && !views.contains(member) && !copies.contains(member)) return {};
                shown = member + "(…)";
                last = is_called ? member : "?";  // a member may be a list of tensors: its elements are no views
                i = is_called ? behind(i + 2) : i + 2;
            } else {
                break;
            }
        }
        if (last.empty() || last == "?" || own_.contains(last) || shown.size() > longest_shown) return {};
        if (is(i, "=") && !is(i + 1, "=") && !copies.contains(last))
            return fmt::format(
                "{0} is a view made for this line, and = changes that alone: nothing is written into the tensor. Write "
                "{0}.copy_from(…) in place of =",
                shown);
        if (is(i, ";") && last != "[")
            return fmt::format("{}(…) leaves its tensor as it is and gives another one, which nobody takes here", last);
        return {};
    }

    const std::vector<Word>& words_;
    const std::vector<std::size_t>& closing_;  ///< of each bracket
    const Around around_;
    std::map<std::string_view, std::vector<std::size_t>> places_;  ///< of each name
    std::map<std::string_view, Tensors> tensors_;                  ///< of names that were asked for
    std::map<std::string_view, bool> may_do_something_;            ///< the same of functions
    std::string file_;
    const NameSet& own_;
};

}  // namespace

std::vector<std::string> idle_statements(const std::vector<SourceFile>& files) {
    const std::vector<SourceFile> read = read_for_advice(files);
    WordsOfFiles words(read);
    NameSet own;
    for (const SourceFile& file : read)
        for (const DefinedFunction& function : words.of(file.path.string()).functions) own.insert(function.name);
    std::vector<std::string> told;
    for (const SourceFile& file : read)
        for (std::string& one : IdleReader(words.of(file.path.string()), file.path.string(), own).found())
            if (told.size() < most_idle_told) told.push_back(std::move(one));
    return told;
}

}  // namespace headway::build
