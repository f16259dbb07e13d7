#include "diagnosis/never_set.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace headway::diagnosis {

bool shows_unset_variable(const Answer& seen, const Answer& right) {
    // In every build such a variable holds the bytes 0xfe, -1.6947e38 as a float. Small numbers added to it change
    // nothing, and what is divided by it is next to nothing.
    constexpr double unset = -1.6947395e38, nothing = 1e-35;
    const auto is_tiny = [](double x) { return std::abs(x) < nothing; };
    for (std::size_t part = 0; part < seen.parts.size(); ++part) {
        const auto& all = seen.parts[part].second.value;
        if (std::any_of(all.begin(), all.end(), [](double x) { return std::abs(x - unset) < 1e33; })) return true;
        if (part >= right.parts.size() || !std::all_of(all.begin(), all.end(), is_tiny)) continue;
        // Gradients through a softmax that has decided are next to nothing, and those of others may be 0 by mistake.
        const auto& due = right.parts[part].second.value;
        for (std::size_t i = 0; i < std::min(all.size(), due.size()); ++i)
            if (all[i] != 0 && !is_tiny(due[i])) return true;
    }
    return false;
}

std::optional<Unassigned> unassigned_part(const Answer& seen, const Answer& right) {
    constexpr std::string_view undefined = " undefined";
    for (const auto& [name, numbers] : seen.parts) {
        const bool is_due =
            std::ranges::any_of(right.parts, [wanted = name](const auto& part) { return part.first == wanted; });
        if (!name.ends_with(undefined) || is_due) continue;
        std::string part = name.substr(0, name.size() - undefined.size());
        constexpr std::string_view of_a_mask = " Mask";
        const bool is_mask = part.ends_with(of_a_mask);
        if (is_mask) part.resize(part.size() - of_a_mask.size());
        const std::string whose = part.empty() ? part : " as its " + part;
        // Codes alone are a std::vector: they travel as a tensor.
        if (part.ends_with("codes")) return Unassigned{"vector_without_elements", "a std::vector of size 0" + whose};
        return Unassigned{"result_never_assigned", (is_mask ? "a Mask{}" : "a Tensor{}") + whose};
    }
    return std::nullopt;
}

}  // namespace headway::diagnosis
