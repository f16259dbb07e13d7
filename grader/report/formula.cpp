#include "report/formula.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace headway::report {
namespace {

const std::map<std::string_view, std::string_view>& signs() {
    static const std::map<std::string_view, std::string_view> all = {
        {"cdot", "·"},   {"times", "×"},   {"infty", "∞"},      {"ldots", "…"},   {"dots", "…"},        {"cdots", "…"},
        {"sum", "Σ"},    {"prod", "Π"},    {"to", "→"},         {"ge", "≥"},      {"geq", "≥"},         {"le", "≤"},
        {"leq", "≤"},    {"neq", "≠"},     {"ne", "≠"},         {"approx", "≈"},  {"in", "∈"},          {"pm", "±"},
        {"alpha", "α"},  {"beta", "β"},    {"sigma", "σ"},      {"mu", "μ"},      {"partial", "∂"},     {"odot", "⊙"},
        {"left", ""},    {"right", ""},    {"bigl", ""},        {"bigr", ""},     {"Bigl", ""},         {"Bigr", ""},
        {"quad", "   "}, {"qquad", "   "}, {"mid", "|"},        {"mapsto", "↦"},  {"displaystyle", ""}, {"max", "max"},
        {"exp", "exp"},  {"log", "log"},   {"rightarrow", "→"}, {"Delta", "Δ"},   {"delta", "δ"},       {"lfloor", "⌊"},
        {"rfloor", "⌋"}, {"circ", "∘"},    {"varepsilon", "ε"}, {"epsilon", "ε"}, {"theta", "θ"},       {"pi", "π"},
        {"ell", "ℓ"},    {"varphi", "φ"},  {"Phi", "Φ"},        {"bmod", "mod"},  {"big", ""},          {"Big", ""}};
    return all;
}

class Typing {
public:
    explicit Typing(std::string_view formula) : rest_(formula) {}

    std::string all() {
        std::string text;
        while (!rest_.empty()) text += next();
        return text;
    }

private:
    /// What stands in braces, or the one symbol that stands without.
    std::string argument() {
        skip_spaces();
        if (rest_.empty()) return {};
        return rest_.front() == '{' ? typed(braced()) : next();
    }

    std::string_view braced() {
        std::size_t depth = 0;
        for (std::size_t i = 0; i < rest_.size(); ++i) {
            depth += rest_[i] == '{' ? 1 : 0;
            depth -= rest_[i] == '}' ? 1 : 0;
            if (depth > 0) continue;
            const std::string_view inside = rest_.substr(1, i - 1);
            rest_.remove_prefix(i + 1);
            return inside;
        }
        return take(rest_.size()).substr(1);
    }

    std::string next() {
        switch (rest_.front()) {
            case '\\':
                rest_.remove_prefix(1);
                return command();
            case '{':
                return typed(braced());
            case '&':
            case '}':
                rest_.remove_prefix(1);
                return {};
            case '_':
            case '^':
                return script();
            default:
                return std::string(take(1));
        }
    }

    std::string script() {
        const std::string mark(take(1));
        const std::string inside = argument();
        if (mark == "^" && inside == "T") return "ᵀ";
        // e^2u would be read as e², times u.
        const bool is_clear = is_one_word(inside) && (mark == "_" || inside.size() == 1 || is_number(inside));
        return mark + (is_clear ? inside : "(" + inside + ")");
    }

    std::string command() {
        const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
        const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_letter);
        const std::string_view name = take(static_cast<std::size_t>(end - rest_.begin()));
        if (name.empty()) return rest_.empty() ? "" : spacing(take(1).front());
        if (name == "frac" || name == "tfrac" || name == "dfrac") {
            const std::string above = argument(), below = argument();
            // What follows x/2 is not below it.
            if (is_one_word(above) && is_one_word(below)) return above + "/" + below;
            return in_parentheses(above) + " / " + in_parentheses(below);
        }
        if (name == "hat") return argument() + "\u0302";
        if (name == "sqrt") return "√" + in_parentheses(argument());
        if (name == "underbrace" || name == "overbrace") {
            const std::string symbol = argument();
            skip_spaces();
            if (rest_.empty() || (rest_.front() != '_' && rest_.front() != '^')) return symbol;
            rest_.remove_prefix(1);
            return symbol + " " + argument() + " ";
        }
        if (name == "xrightarrow") return "→ (" + argument() + ")";
        if (name == "text" || name == "mathrm" || name == "mathsf" || name == "mathbf" || name == "operatorname")
            return argument();
        if (name == "begin" || name == "end") return argument(), "";
        const auto sign = signs().find(name);
        return std::string(sign == signs().end() ? name : sign->second);
    }

    /// "\," and "\ " are spaces, "\\" is a new line, "\{" is a brace.
    static std::string spacing(char symbol) {
        if (symbol == '\\') return "\n";
        return std::isspace(static_cast<unsigned char>(symbol)) != 0 || symbol == ',' || symbol == ';' || symbol == '!'
                   ? " "
                   : std::string(1, symbol);
    }

    static bool is_one_word(const std::string& text) {
        return std::none_of(text.begin(), text.end(),
                            [](char c) { return std::string_view(" +-/=,<>").find(c) != std::string_view::npos; });
    }
    static bool is_number(const std::string& text) {
        return std::ranges::all_of(text, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
    }
    static std::string in_parentheses(const std::string& text) { return is_one_word(text) ? text : "(" + text + ")"; }

    void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
    std::string_view take(std::size_t count) {
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }

    std::string_view rest_;
};

}  // namespace

std::string typed(std::string_view formula) { return Typing(formula).all(); }

}  // namespace headway::report
