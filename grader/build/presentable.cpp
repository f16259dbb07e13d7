#include "build/presentable.hpp"

#include <algorithm>
#include <cstddef>

namespace headway::build {
namespace {

/// Sources are given to the compiler as "./name", which begins no option; messages begin with a source's name, or name
/// it after "from".
std::string without_own_folder(const std::string& text) {
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool begins = result.empty() || result.back() == '\n' || result.ends_with("from ");
        if (begins && text.compare(at, 2, "./") == 0)
            ++at;
        else
            result += text[at];
    }
    return result;
}

}  // namespace

std::string without(std::string text, const std::string& part) {
    if (part.empty()) return text;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
        text.erase(at, part.size());
    return text;
}

std::string with_short_lines(const std::string& text) {
    constexpr std::size_t longest = 2000;
    std::string result;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        result.append(text, begin, std::min(end - begin, longest));
        if (end - begin > longest) result += " ...";
        if (end < text.size()) result += '\n';
        begin = end + 1;
    }
    return result;
}

std::string presentable(const std::string& output, const NamesForStudent& names) {
    return without_own_folder(with_short_lines(without(without(output, names.workspace), names.course_root)));
}

}  // namespace headway::build
