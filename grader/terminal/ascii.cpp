#include "terminal/ascii.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace headway::report {
namespace {

using Spelling = std::pair<std::string_view, std::string_view>;

constexpr std::array<Spelling, 37> spellings = {{
    {"·", "*"},  {"×", "x"},   {"±", "+-"},  {"−", "-"},  {"–", "-"},   {"—", "-"},   {"…", "..."}, {"ᵀ", "^T"},
    {"²", "^2"}, {"₁", "1"},   {"₂", "2"},   {"ᵢ", "_i"}, {"ⱼ", "_j"},  {"≤", "<="},  {"≥", ">="},  {"≠", "!="},
    {"≈", "~"},  {"∞", "inf"}, {"→", "->"},  {"←", "<-"}, {"Σ", "sum"}, {"ε", "eps"}, {"½", "1/2"}, {"“", "\""},
    {"”", "\""}, {"‘", "'"},   {"’", "'"},   {"✓", "+"},  {"✗", "x"},   {"○", "o"},   {"◐", "~"},   {"\u0302", "_hat"},
    {"ℓ", "l"},  {"φ", "phi"}, {"Φ", "Phi"}, {"π", "pi"}, {"μ", "mu"},
}};

constexpr std::string_view root = "√";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

std::string spelled_in_ascii(std::string_view text) {
    std::string ascii;
    while (!text.empty()) {
        if (text.starts_with(root)) {
            text.remove_prefix(root.size());
            const auto length = static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin());
            ascii += length > 0 ? "sqrt(" + std::string(text.substr(0, length)) + ")" : "sqrt";
            text.remove_prefix(length);
            continue;
        }
        const auto known =
            std::ranges::find_if(spellings, [&](const Spelling& s) { return text.starts_with(s.first); });
        if (known != spellings.end()) {
            ascii += known->second;
            text.remove_prefix(known->first.size());
        } else {
            ascii += text.front();
            text.remove_prefix(1);
        }
    }
    return ascii;
}

}  // namespace headway::report
