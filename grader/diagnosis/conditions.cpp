#include "diagnosis/conditions.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

namespace headway::diagnosis {
namespace {

/// What an argument's axes are called, by its name and the number of its axes.
struct NamedAxes {
    std::string_view argument;
    std::string_view axes;
};
constexpr NamedAxes named_axes[] = {
    {"x", "T D"},           {"x", "B T D"},
    {"q", "T d"},           {"q", "B H T d"},
    {"k", "S d"},           {"k", "B H_kv S d"},
    {"v", "S d_v"},         {"v", "B H_kv S d_v"},
    {"scores", "T S"},      {"scores", "B H T S"},
    {"weights", "T S"},     {"weights", "B H T S"},
    {"context", "B H T d"}, {"attended", "T D"},
    {"query", "B T D"},     {"key", "B S D"},
    {"merged", "B T E"},    {"w_o", "E D"},
    {"w_q", "D d"},         {"w_v", "D d_v"},
    {"kv", "B H_kv S d"},   {"grad_context", "B H T d_v"},
    {"grad_y", "B T D"},
};

/// Whether the numbers of a mask stand for all queries, heads or sequences.
void add_mask(Facts& facts, const Mask& mask) {
    facts.flag.emplace(std::pair("a mask is given", "no mask is given"), mask.defined());
    facts.flag.emplace(std::pair("the mask has one axis", "the mask has more axes, or there is none"),
                       mask.defined() && mask.rank() == 1);
}

bool all_have(const std::vector<Facts>& facts, const std::string& name) {
    return std::ranges::all_of(facts, [&](const Facts& one) { return one.size.contains(name); });
}

}  // namespace

std::vector<std::string> axes_of(const std::string& argument, std::size_t rank) {
    for (const NamedAxes& known : named_axes) {
        if (known.argument != argument) continue;
        std::istringstream words{std::string(known.axes)};
        std::vector<std::string> axes(std::istream_iterator<std::string>(words), {});
        if (axes.size() == rank) return axes;
    }
    return {};
}

Facts facts_of(const judge::Arguments& arguments) {
    Facts facts;
    for (const wire::Field& argument : arguments) {
        if (const auto* tensor = std::get_if<Tensor>(&argument.value)) {
            if (!tensor->defined()) continue;
            const std::vector<std::string> axes = axes_of(argument.name, tensor->shape().size());
            for (std::size_t i = 0; i < axes.size(); ++i) facts.size.emplace(axes[i], tensor->shape()[i]);
        } else if (const auto* number = std::get_if<Index>(&argument.value)) {
            const bool kv = argument.name == "num_kv_heads";
            facts.size.emplace(argument.name == "num_heads" ? "H" : kv ? "H_kv" : argument.name, *number);
        } else if (const auto* mask = std::get_if<Mask>(&argument.value)) {
            add_mask(facts, *mask);
        } else if (const auto* option = std::get_if<bool>(&argument.value)) {
            facts.flag.emplace(std::pair(argument.name + " is set", argument.name + " is not set"), *option);
        }
    }
    const auto H = facts.size.find("H"), D = facts.size.find("D");
    if (H != facts.size.end() && D != facts.size.end() && H->second > 0) facts.size.emplace("d", D->second / H->second);
    // Without query heads beside them, heads are heads.
    if (H == facts.size.end())
        if (auto heads = facts.size.extract("H_kv")) {
            heads.key() = "H";
            facts.size.insert(std::move(heads));
        }
    return facts;
}

std::vector<Condition> conditions_of(const std::vector<Facts>& facts, const std::vector<bool>& wrong) {
    std::vector<Condition> all;
    std::vector<std::string> names;
    for (const auto& entry : facts.front().size)
        if (all_have(facts, entry.first)) names.push_back(entry.first);
    const auto compared = [&](const std::string& a, const char* sign, const std::string& b, auto compare) {
        all.push_back({fmt::format("{} {} {}", a, sign, b),
                       [=](const Facts& one) { return compare(one.size.at(a), one.size.at(b)); }});
    };
    for (const std::string& a : names)
        all.push_back({a + " = 1", [=](const Facts& one) { return one.size.at(a) == 1; }});
    for (const auto& entry : facts.front().flag) {
        const auto& option = entry.first;
        if (!std::ranges::all_of(facts, [&](const Facts& one) { return one.flag.contains(option); })) continue;
        all.push_back({option.first, [=](const Facts& one) { return one.flag.at(option); }});
        all.push_back({option.second, [=](const Facts& one) { return !one.flag.at(option); }});
    }
    for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = i + 1; j < names.size(); ++j) compared(names[i], "=", names[j], std::equal_to<Index>());
    for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = i + 1; j < names.size(); ++j) {
            compared(names[i], ">", names[j], std::greater<Index>());
            compared(names[i], "<", names[j], std::less<Index>());
            compared(names[i], "≠", names[j], std::not_equal_to<Index>());
        }
    for (const std::string& a : names)
        all.push_back({a + " > 1", [=](const Facts& one) { return one.size.at(a) > 1; }});
    for (const std::string& a : names) {
        // Beyond the longest that is right.
        Index longest = 1;
        for (std::size_t i = 0; i < wrong.size(); ++i)
            if (!wrong[i]) longest = std::max(longest, facts[i].size.at(a));
        if (longest > 1)
            all.push_back(
                {fmt::format("{} > {}", a, longest), [=](const Facts& one) { return one.size.at(a) > longest; }});
    }
    // They hold wherever something is wrong, and not everywhere.
    std::erase_if(all, [&](const Condition& one) {
        bool everywhere = true;
        for (std::size_t i = 0; i < wrong.size(); ++i) {
            const bool holds = one.holds(facts[i]);
            if (wrong[i] && !holds) return true;
            everywhere &= holds;
        }
        return everywhere;
    });
    return all;
}

}  // namespace headway::diagnosis
