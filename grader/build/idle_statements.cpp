#include "build/idle_statements.hpp"

#include "submission/function_places.hpp"
#include "submission/source_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

namespace headway::build {
namespace {

constexpr std::size_t most_idle_told = 3;

using NameSet = std::set<std::string, std::less<>>;

/// Reads one file for statements that begin with a tensor, or call a function of the library's.
class IdleReader {
public:
    /// @param own  functions of the submission: one of theirs that is called as a tensor's does what it likes
    IdleReader(const SourceFile& file, const NameSet& own)
        : words_(words_without_directives(file.text)), file_(file.path.string()), own_(own) {}

    std::vector<std::string> found() const {
        std::vector<std::string> told;
        for (std::size_t i = 0; i < words_.size() && told.size() < most_idle_told; ++i)
            if (words_[i].is_name() && begins_statement(i))
                if (const std::string one = idle_at(i); !one.empty())
                    told.push_back(fmt::format("{}:{}: {}", file_, words_[i].line, one));
        return told;
    }

private:
    bool is(std::size_t i, std::string_view text) const { return i < words_.size() && words_[i].text == text; }

    bool begins_statement(std::size_t i) const { return i > 0 && (is(i - 1, ";") || is(i - 1, "{") || is(i - 1, "}")); }

    /// What follows the bracket that closes the one at `open`.
    std::size_t behind(std::size_t open) const {
        int depth = 0;
        for (std::size_t i = open; i < words_.size(); ++i) {
            const std::string& text = words_[i].text;
            if (text == ";") break;  // of a lambda: not read
            if (text == "(" || text == "[" || text == "{") ++depth;
            if ((text == ")" || text == "]" || text == "}") && --depth == 0) return i + 1;
        }
        return words_.size();
    }

    /// Whether the name at `use` was declared as a Tensor where that counts there, and nowhere in the file as anything
    /// else.
    bool is_tensor(std::size_t use) const {
        bool found = false;
        for (std::size_t i = 2; i < words_.size(); ++i) {
            if (!is(i, words_[use].text)) continue;
            const bool is_in_list = is(i - 1, ",");
            const std::size_t type = is_in_list ? type_of_list(i - 1) : is(i - 1, "&") ? i - 2 : i - 1;
            if (type == 0) continue;
            if (is(type, "Tensor") && !is(i + 1, "[") && !is(i + 1, "("))
                found |= is_in_scope(i, use);
            else if (is(i - 1, ">") || is(i - 1, "*") || is(i - 1, "&") || is(i - 1, "auto") || is(i - 1, "[") ||
                     is_in_list || is_a_type(i - 1))
                return false;
        }
        return found;
    }

    bool opens(std::size_t i) const { return is(i, "(") || is(i, "[") || is(i, "{"); }
    bool closes(std::size_t i) const { return is(i, ")") || is(i, "]") || is(i, "}"); }

    /// The bracket that closes the one at `open`, whatever is between them.
    std::size_t closing(std::size_t open) const {
        int depth = 0;
        for (std::size_t i = open; i < words_.size(); ++i) {
            if (opens(i)) ++depth;
            if (closes(i) && --depth == 0) return i;
        }
        return words_.size();
    }

    /// The bracket around the word at `i`, or what ends the statement before; 0 if there is neither.
    std::size_t before_this(std::size_t i, bool only_brackets) const {
        int depth = 0;
        while (i-- > 0) {
            const bool ends_block = is(i, "}") && !is(i + 1, ",");  // else it closes what initialises a variable
            if (!only_brackets && depth == 0 && (is(i, ";") || ends_block)) return i;
            if (closes(i)) ++depth;
            if (opens(i) && depth-- == 0) return i;
        }
        return 0;
    }

    /// Behind a comma: the last word of the type that the declaration begins with, "double > a(1), b(2)" at `>`.
    /// 0 if this is no declaration: arguments of a call, a list of captures.
    std::size_t type_of_list(std::size_t comma) const {
        const std::size_t before = before_this(comma, false);
        if (is(before, "[")) {
            const std::size_t type = is(before - 1, "&") ? before - 2 : before - 1;
            return is(type, "auto") ? type : 0;
        }
        if (is(before, "(") && (before == 0 || !is(before - 1, "for"))) return 0;
        static const NameSet qualifiers = {"const", "constexpr", "static", "inline", "thread_local", "mutable"};
        std::size_t i = before + 1, last = 0;
        while (i < comma) {
            const bool is_of_the_last = last != 0 && (is(i, ":") || is(i, "&") || is(i, "*"));
            if (is_of_the_last || qualifiers.contains(words_[i].text)) {
                ++i;
            } else if (is_a_type(i) && last != 0 && !is(i - 1, ":")) {
                return last;  // the first name that is declared
            } else if (is_a_type(i)) {
                last = i++;
            } else if (last != 0 && is(i, "<")) {
                int depth = 0;
                for (; i < comma; ++i)
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

    /// Whether a name that is declared at `at` may be meant at `use`: its block, or the function whose parameter it is,
    /// is around that too.
    bool is_in_scope(std::size_t at, std::size_t use) const {
        if (use < at) return false;
        const std::size_t open = before_this(at, true);
        if (!opens(open)) return true;
        if (is(open, "{")) return use < closing(open);
        std::size_t body = closing(open) + 1;
        while (body < words_.size() && !is(body, "{") && !is(body, ";") && !closes(body))
            body = opens(body) ? closing(body) + 1 : body + 1;
        return is(body, "{") && body < use && use < closing(body);
    }

    bool is_a_type(std::size_t i) const {
        static const NameSet no_types = {"return", "else", "throw", "case", "and", "or", "not", "in", "co_return"};
        return words_[i].is_name() && !no_types.contains(words_[i].text);
    }

    /// Whether this calls a function of the library's that does nothing but give a result, which nobody takes.
    bool is_idle_call(std::size_t begin) const {
        static const NameSet functions = {"matmul", "exp", "log", "sqrt", "sum", "mean", "max", "masked_fill", "cat"};
        static const NameSet of_throws = {"try", "EXPECT_THROW", "ASSERT_THROW", "EXPECT_NO_THROW", "ASSERT_NO_THROW"};
        const std::string& name = words_[begin].text;
        if (!functions.contains(name) || own_.contains(name) || !is(begin + 1, "(") || !is(behind(begin + 1), ";"))
            return false;
        for (std::size_t i = 1; i < words_.size(); ++i) {
            if (of_throws.contains(words_[i].text)) return false;  // it may be called to see what it refuses
            // Declared here: a lambda, perhaps, that does what it likes.
            if (is(i, name) && (is_a_type(i - 1) || is(i - 1, ">") || is(i - 1, "&") || is(i - 1, "*"))) return false;
        }
        return true;
    }

    /// What is said of the statement that begins here; empty if it does something, or nobody knows.
    std::string idle_at(std::size_t begin) const {
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
        if (last.empty() || last == "?" || own_.contains(last)) return {};
        if (is(i, "=") && !is(i + 1, "=") && !copies.contains(last))
            return fmt::format(
                "{0} is a view made for this line, and = changes that alone: nothing is written into the tensor. Write "
                "{0}.copy_from(…) in place of =",
                shown);
        if (is(i, ";") && last != "[")
            return fmt::format("{}(…) leaves its tensor as it is and gives another one, which nobody takes here", last);
        return {};
    }

    std::vector<Word> words_;
    std::string file_;
    const NameSet& own_;
};

}  // namespace

std::vector<std::string> idle_statements(const std::vector<SourceFile>& files) {
    NameSet own;
    for (const SourceFile& file : files)
        for (const DefinedFunction& function : functions_defined_in(file.text)) own.insert(function.name);
    std::vector<std::string> told;
    for (const SourceFile& file : files)
        for (std::string& one : IdleReader(file, own).found())
            if (told.size() < most_idle_told) told.push_back(std::move(one));
    return told;
}

}  // namespace headway::build
