#include "diagnosis/bounds.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace headway::diagnosis {
namespace {

Index rounded_up(Index n, Index step) { return (n + step - 1) / step * step; }

}  // namespace

std::vector<Bound> bounds(const Facts& like, const std::string& axis) {
    std::vector<Bound> all;
    const auto add = [&](std::string beyond, auto of) {
        all.push_back({std::move(beyond), [of](const Facts& facts, Index n) {
                           try {
                               return std::clamp(Index{of(facts, n)}, Index{0}, n);
                           } catch (const std::out_of_range&) {
                               return n;  // a size that this call does not have
                           }
                       }});
    };
    for (const auto& [name, size] : like.size)
        if (name != axis)
            add("{} from number " + name + " on {}",
                [of_size = name](const Facts& facts, Index) { return facts.size.at(of_size); });
    if (like.size.contains("tile")) {
        const auto tile = [](const Facts& facts) { return std::max(facts.size.at("tile"), Index{1}); };
        for (const char* name : {"T", "S"})
            if (name != axis)
                add(fmt::format("{{}} of tiles that begin at number {} or later {{}}", name),
                    [=](const Facts& facts, Index) { return rounded_up(facts.size.at(name), tile(facts)); });
        for (const Index tiles : {1, 2, 3, 4, 8})
            add(fmt::format("{{}} beyond {} {{}}", tiles == 1 ? "the first tile" : fmt::format("{} tiles", tiles)),
                [=](const Facts& facts, Index) { return tiles * tile(facts); });
        add("{} beyond the last whole tile {}",
            [=](const Facts& facts, Index n) { return n / tile(facts) * tile(facts); });
    }
    add("the last of the {} {}", [](const Facts&, Index n) { return n - 1; });
    for (const Index step : {2, 4, 8, 16})
        add(fmt::format("{{}} beyond the last multiple of {} {{}}", step),
            [=](const Facts&, Index n) { return n < step ? n : n / step * step; });
    for (const Index count : {1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 1024})
        add(fmt::format("{{}} from number {} on {{}}", count), [=](const Facts&, Index) { return count; });
    if (const auto n = like.size.find(axis); n != like.size.end())
        std::erase_if(all, [&](const Bound& bound) { return bound.of(like, n->second) >= n->second; });
    return all;
}

std::string beyond(const Bound& bound, const std::string& slices, const std::string& what_becomes) {
    return fmt::format(fmt::runtime(bound.beyond), slices, what_becomes);
}

std::string slice_of(const std::string& axis, const std::string& tensor) {
    if (axis == "T" && (tensor == "x" || tensor == "grad_y")) return "token";
    static const std::map<std::string, std::string> names{
        {"B", "sequence"}, {"H", "head"}, {"H_kv", "head"}, {"S", "key"}, {"T", "query"}};
    const auto found = names.find(axis);
    return found == names.end() ? "feature" : found->second;
}

std::string slices_of(const std::string& axis, const std::string& tensor) {
    const std::string one = slice_of(axis, tensor);
    return one == "query" ? "queries" : one + "s";
}

}  // namespace headway::diagnosis
