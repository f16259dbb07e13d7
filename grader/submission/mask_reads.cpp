#include "submission/mask_reads.hpp"

#include "submission/source_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace headway::build {
namespace {

class Reading {
public:
    explicit Reading(const std::vector<Word>& words) : words_(words) {}

    bool is(std::size_t i, std::string_view text) const { return i < words_.size() && words_[i].text == text; }

    /// "in.mask" of `= in.mask.data();`, where that begins at `i`.
    std::string mask_at(std::size_t i) const {
        constexpr std::size_t most_words = 7;
        std::string name;
        for (const std::size_t end = i + most_words; i < words_.size() && i < end; ++i) {
            if (is(i, ".") && is(i + 1, "data") && is(i + 2, "(") && is(i + 3, ")"))
                return is(i + 4, ";") && (says_mask(words_[i - 1].text) || says_bias(words_[i - 1].text))
                           ? name
                           : std::string();
            if (!words_[i].is_name() && !is(i, ".")) return {};
            name += words_[i].text;
        }
        return {};
    }

    /// Whether its size or its being there is asked anywhere, or a name that it begins with is a variable made here.
    bool is_asked_or_made_here(const std::string& mask) const {
        constexpr std::array asking = {"defined", "numel", "shape", "size", "rank"};
        const std::string last = mask.substr(mask.rfind('.') + 1), first = mask.substr(0, mask.find('.'));
        for (std::size_t i = 1; i + 2 < words_.size(); ++i) {
            const bool asks = is(i, last) && is(i + 1, ".") &&
                              std::ranges::any_of(asking, [&](const char* one) { return is(i + 2, one); });
            const bool is_made = is(i, first) && words_[i - 1].is_name() && !is(i - 1, "return");
            if (asks || is_made || (is(i, last) && is(i + 1, "="))) return true;
        }
        return false;
    }

    /// The lines in which `name` has [ behind it; none if it stands anywhere otherwise, but where it is declared.
    std::set<int> lines_that_index(const std::string& name, std::size_t declared) const {
        std::set<int> lines;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (i == declared || !is(i, name)) continue;
            if (!is(i + 1, "[")) return {};
            lines.insert(words_[i].line);
        }
        return lines;
    }

    static bool says_bias(const std::string& name) {
        return name == "b" || name.starts_with("b_") || name.find("bias") != std::string::npos;
    }

private:
    static bool says_mask(std::string name) {
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return name.find("mask") != std::string::npos;
    }

    const std::vector<Word>& words_;
};

}  // namespace

std::optional<MaskRead> unasked_mask_read(const FunctionAround& function) {
    constexpr int most_candidates = 8;  // for each, the function is read anew
    const Reading reading(function.words);
    int candidates = 0;
    for (std::size_t i = 1; i + 2 < function.words.size(); ++i) {
        if (!reading.is(i - 1, "*") || !function.words[i].is_name() || !reading.is(i + 1, "=")) continue;
        const std::string mask = reading.mask_at(i + 2);
        if (mask.empty()) continue;
        if (++candidates > most_candidates) return {};
        if (reading.is_asked_or_made_here(mask)) continue;
        const std::string& pointer = function.words[i].text;
        std::set<int> lines = reading.lines_that_index(pointer, i);
        if (!lines.empty())
            return MaskRead{mask, Reading::says_bias(mask.substr(mask.rfind('.') + 1)), pointer, function.words[i].line,
                            std::move(lines)};
    }
    return {};
}

}  // namespace headway::build
