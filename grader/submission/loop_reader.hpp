#pragma once

#include "submission/declared_names.hpp"
#include "submission/loops.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The words of a function, as somebody asks for its loops. Of loops.cpp alone.
namespace headway::build {

using Names = std::set<std::string, std::less<>>;

/// From its keyword to its end, which is the last word of it.
struct Extent {
    std::size_t begin = 0, end = 0;
    std::size_t condition = 0;  ///< its opening bracket
};

/// Whether a variable that is handed to a function may come back with another value.
enum class HandedOver { may_change, stays };

class LoopReader {
public:
    explicit LoopReader(const std::vector<Word>& words)
        : words_(words),
          closing_(words.size(), words.size()),
          opening_(words.size(), words.size()),
          tensors_(first_tensors(words)) {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::string& text = words[i].text;
            const bool closes = text == ")" || text == "]" || text == "}";
            if (closes && !open.empty()) {
                closing_[open.back()] = i;
                open.pop_back();
            }
            if (!open.empty()) opening_[i] = open.back();
            if (text == "(" || text == "[" || text == "{") open.push_back(i);
        }
        find_ends();
    }

    /// Those whose head is closed.
    std::vector<Extent> loops() const {
        std::vector<Extent> found;
        std::set<std::size_t> behind_do;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const bool is_do = is(i, "do");
            if (!is_do && (behind_do.contains(i) || !(is(i, "for") || is(i, "while")))) continue;
            const std::size_t condition = (is_do ? after(i + 1) : i) + 1;
            if (is_do && !is(condition - 1, "while")) continue;
            if (!is(condition, "(") || closing_[condition] == words_.size()) continue;
            if (is_do) behind_do.insert(condition - 1);
            found.push_back({i, is_do ? closing_[condition] : after(closing_[condition] + 1) - 1, condition});
        }
        return found;
    }

    Loop::Ends ends(const Extent& loop) const {
        Names read;
        return ends(loop, read);
    }
    /// @param read  becomes the names that its condition reads, as far as it was looked at
    Loop::Ends ends(const Extent& loop, Names& read, HandedOver handed_over = HandedOver::may_change) const;
    std::optional<SkippedStep> skipped_step(const Extent& loop) const;
    std::optional<OtherCounter> other_counter(const Extent& loop) const;

private:
    bool is(std::size_t i, std::string_view text) const { return i < words_.size() && words_[i].text == text; }

    /// What follows the statement that begins here.
    std::size_t after(std::size_t i) const { return i < words_.size() ? after_[i] : words_.size(); }

    /// Once for all, from the last word to the first: each end follows from what comes later.
    void find_ends() {
        const std::size_t size = words_.size();
        after_.assign(size, size);
        std::vector<std::size_t> of_plain(size + 2, size);  // what follows the next ; or stands before a }
        for (std::size_t i = size; i-- > 0;) {
            const bool opens = is(i, "(") || is(i, "[") || is(i, "{");
            of_plain[i] = is(i, ";") ? i + 1 : is(i, "}") ? i : of_plain[opens ? closing_[i] + 1 : i + 1];
            after_[i] = end_of_statement(i, of_plain[i]);
        }
    }

    /// Where those are known that begin later.
    std::size_t end_of_statement(std::size_t i, std::size_t if_plain) const {
        const std::size_t size = words_.size();
        if (is(i, "{")) return std::min(closing_[i] + 1, size);
        if (is(i, "do")) {
            const std::size_t open = after(i + 1) + 1;
            return is(open, "(") ? std::min(closing_[open] + 2, size) : size;
        }
        if (is(i, "for") || is(i, "while") || is(i, "if") || is(i, "switch")) {
            const std::size_t open = is(i + 1, "constexpr") ? i + 2 : i + 1;
            if (!is(open, "(")) return size;
            const std::size_t end = after(closing_[open] + 1);
            return is(end, "else") ? after(end + 1) : end;
        }
        return if_plain;
    }

    std::span<const Word> between(std::size_t begin, std::size_t end) const {
        return begin < end && end <= words_.size() ? std::span(words_).subspan(begin, end - begin)
                                                   : std::span<const Word>{};
    }

    /// Where the parts of a for's head begin and end: none for (x : list).
    std::optional<std::pair<std::size_t, std::size_t>> semicolons(const Extent& loop) const;

    bool may_change_at(std::size_t i, HandedOver handed_over) const;
    bool may_change(const std::string& name, std::size_t begin, std::size_t end, HandedOver handed_over) const {
        for (std::size_t i = begin; i < std::min(end, words_.size()); ++i)
            if (is(i, name) && may_change_at(i, handed_over)) return true;
        return false;
    }
    bool is_given_to_what_may_change_it(std::size_t i) const;
    bool is_element_of_a_tensor(std::size_t called, std::size_t before) const;
    std::optional<std::size_t> end_of_size_that_stays(std::size_t i, std::size_t loop) const;
    bool is_changed_by_lambda(const std::string& name, const Extent& loop) const;
    bool counts(const Extent& loop, std::size_t first, std::size_t second) const;

    const std::vector<Word>& words_;
    std::vector<std::size_t> closing_;                 ///< for each bracket that opens, the one that closes it
    std::vector<std::size_t> opening_;                 ///< for each word, the bracket that it stands in
    std::vector<std::size_t> after_;                   ///< for each word, what follows the statement that it begins
    std::map<std::string_view, std::size_t> tensors_;  ///< see first_tensors()
};

}  // namespace headway::build
