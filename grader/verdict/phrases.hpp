#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Pieces of sentences that several rooms say alike.
namespace headway::verdict {

/// "forward (dropout)" -> "forward", of a function or an argument.
inline std::string name_alone(const std::string& name) { return name.substr(0, name.find(" (")); }

/// "q", "q and k", "q, k and v"; of more than `most`, "q, k and 3 more"
inline std::string listed(std::vector<std::string> words, std::size_t most = std::string::npos) {
    if (words.size() > most) {
        std::string more = std::to_string(words.size() - most) + " more";
        words.resize(most);
        words.push_back(std::move(more));
    }
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    return text;
}

/// What a message tells of one function that lets several calls through, behind the first of them; and between the
/// others: "...; also let through: w_q is (30, 60); w_k is (30, 60)".
inline constexpr std::string_view also_let_through = "; also let through: ", between_let_through = "; ";

}  // namespace headway::verdict
