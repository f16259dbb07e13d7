#include "submission/declared_names.hpp"

#include <algorithm>

namespace headway::build {
namespace {

/// `Tensor` of "Tensor& x" and "Tensor x", `vector` of "std::vector<Index>& x".
std::size_t type_before(const std::vector<Word>& words, std::size_t i) {
    constexpr std::size_t longest = 100;  // so that a file of brackets is not read once for each
    std::size_t type = stands(words, i - 1, "&") ? i - 2 : i - 1;
    std::size_t depth = 0;
    for (; type > 0 && i - type < longest && (depth > 0 || stands(words, type, ">")); --type)
        if (stands(words, type, ">"))
            ++depth;
        else if (stands(words, type, "<"))
            --depth;
    return type;
}

/// `d` of "const Index B = x.size(0), d = x.size(1);": a type and a name begin the statement, or the head of a for.
bool continues_declaration(const std::vector<Word>& words, std::size_t name) {
    if (!stands(words, name - 1, ",") || !stands(words, name + 1, "=")) return false;
    constexpr std::size_t longest = 200;
    std::size_t depth = 0;
    std::size_t first = name - 1;
    for (; first > 0; --first) {
        if (name - first > longest) return false;
        const std::string& before = words[first - 1].text;
        const bool ends_a_block = before == "}" && !stands(words, first, ",") && !stands(words, first, ")");
        if (depth == 0 && (before == ";" || before == "{" || ends_a_block)) break;
        if (depth == 0 && (before == "(" || before == "[")) {
            if (first < 2 || !stands(words, first - 2, "for")) return false;
            break;
        }
        if (before == ")" || before == "]" || before == "}") ++depth;
        if (before == "(" || before == "[" || before == "{") --depth;
    }
    if (stands(words, first, "const")) ++first;
    if (stands(words, first, "std") && stands(words, first + 1, ":")) first += 3;
    return words[first].is_name() && words[first + 1].is_name() && !stands(words, first, "return");
}

}  // namespace

std::map<std::string_view, std::size_t> first_tensors(const std::vector<Word>& words) {
    std::map<std::string_view, std::size_t> first;
    const auto is_one = [&](std::size_t i) { return stands(words, i, "Tensor") || stands(words, i, "Mask"); };
    for (std::size_t i = 2; i < words.size(); ++i) {
        if (stands(words, i + 1, "(")) continue;
        const bool begins_as_one = stands(words, i + 1, "=") && is_one(i + 2) && !stands(words, i - 1, ".");
        if (is_one(type_before(words, i)) || begins_as_one) first.emplace(words[i].text, i);
    }
    return first;
}

bool ends_without_value(const std::vector<Word>& words, std::size_t name) {
    const bool has_braces = stands(words, name + 1, "{") && stands(words, name + 2, "}");
    return stands(words, has_braces ? name + 3 : name + 1, ";");
}

bool is_local(const std::string& name, const std::vector<Word>& words, std::size_t before) {
    bool is_declared = false;
    for (std::size_t i = 3; i < std::min(before, words.size()); ++i) {
        if (!stands(words, i, name)) continue;
        is_declared |= words[i - 1].is_name() && !stands(words, i - 1, "return") && !stands(words, i - 1, "else");
        is_declared = is_declared || continues_declaration(words, i);
        if (stands(words, i - 1, "=") && stands(words, i - 3, "&")) return false;
        if (stands(words, i - 1, "&") && !stands(words, i - 2, "&")) return false;
    }
    return is_declared;
}

bool is_declared_as_const(const std::string& name, const std::vector<Word>& words, std::size_t before) {
    bool is_const = false;
    for (std::size_t i = 2; i < std::min(before, words.size()); ++i) {
        if (!stands(words, i, name)) continue;
        std::size_t type = type_before(words, i);
        if (!words[type].is_name() || stands(words, type, "return") || stands(words, type, "else"))
            continue;  // declares nothing
        while (type > 2 && stands(words, type - 1, ":") && stands(words, type - 2, ":")) type -= 3;
        if (type == 0 || !stands(words, type - 1, "const")) return false;
        is_const = true;
    }
    return is_const;
}

std::size_t declared_alone(const std::string& name, const std::vector<Word>& words, int line) {
    std::size_t found = 0;
    for (std::size_t i = 1; i + 3 < words.size() && words[i].line < line; ++i) {
        if (words[i].text != name || words[i - 1].text == ".") continue;
        if (found != 0 || !words[i - 1].is_name() || !ends_without_value(words, i)) return 0;
        found = i;
    }
    return found;
}

}  // namespace headway::build
