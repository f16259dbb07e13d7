#include "build/bounded_search.hpp"

namespace headway::build {

std::optional<std::cmatch> found_in(std::string_view text, const std::regex& pattern) {
    text = text.substr(0, most_searched);
    std::cmatch match;
    if (!std::regex_search(text.data(), text.data() + text.size(), match, pattern)) return {};
    return match;
}

}  // namespace headway::build
