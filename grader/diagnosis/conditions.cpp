#include "diagnosis/conditions.hpp"

#include "verdict/phrases.hpp"

#include <algorithm>
#include <iterator>
#include <set>
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
    {"x", "T D"},
    {"x", "B T D"},
    {"q", "T d"},
    {"q", "B H T d"},
    {"k", "S d"},
    {"k", "B H_kv S d"},
    {"v", "S d_v"},
    {"v", "B H_kv S d_v"},
    {"scores", "T S"},
    {"scores", "B H T S"},
    {"weights", "T S"},
    {"weights", "B H T S"},
    {"context", "B H T d"},
    {"attended", "T D"},
    {"query", "B T D"},
    {"key", "B S D"},
    {"merged", "B T E"},
    {"w_o", "E D"},
    {"w_q", "D d"},
    {"w_v", "D d_v"},
    {"kv", "B H_kv S d"},
    {"grad_context", "B H T d_v"},
    {"grad_y", "B T D"},
    {"cache.k", "B H C d"},
    {"cache.v", "B H C d"},
    {"k_codes", "B H_kv P d"},
    {"k_scales", "B H_kv P"},
    {"v_codes", "B H_kv P d_v"},
    {"v_scales", "B H_kv P"},
};

/// Whether the numbers of a mask stand for all queries, heads or sequences. What an argument blocks that is called
/// padding has always the same axes.
void add_mask(Facts& facts, const std::string& argument, const Mask& mask) {
    if (argument == "padding") {
        facts.flag.emplace(std::pair("padding is given", "no padding is given"), mask.defined());
        return;
    }
    facts.flag.emplace(std::pair("a mask is given", "no mask is given"), mask.defined());
    facts.flag.emplace(std::pair("the mask has one axis", "the mask has more than one axis, or there is none"),
                       mask.defined() && mask.rank() == 1);
    facts.flag.emplace(std::pair("the mask has three axes", "the mask does not have three axes, or there is none"),
                       mask.defined() && mask.rank() == 3);
    facts.flag.emplace(std::pair("the mask has fewer than four axes", "the mask has four axes, or there is none"),
                       mask.defined() && mask.rank() < 4);
    facts.flag.emplace(std::pair(tells_sequences_apart, "the mask does not tell sequences apart, or there is none"),
                       mask.rank() >= 4 && mask.size(-4) > 1);
    facts.flag.emplace(std::pair("the mask is one column", "the mask has several columns, or there is none"),
                       mask.defined() && mask.rank() > 0 && mask.size(-1) == 1);
}

/// Whether a tensor that may be left out is there. Biases are given together, or not at all.
void add_presence(Facts& facts, const std::string& argument, bool given) {
    const bool is_of_a_cache =
        argument.ends_with("_codes") || argument.ends_with("_scales") || argument == "cache_k" || argument == "cache_v";
    if (argument.starts_with("b_"))
        facts.flag.emplace(std::pair("biases are given", "no biases are given"), given);
    else if (is_of_a_cache)
        facts.flag.emplace(std::pair("the cache holds tokens", the_cache_is_empty), given);
    else
        facts.flag.emplace(std::pair(argument + " is given", argument + " is not given"), given);
}

std::string size_named(const std::string& argument) {
    if (argument == "num_heads") return "H";
    if (argument == "num_kv_heads") return "H_kv";
    return argument == "embed_dim" ? "D" : argument;
}

/// Which of two a word asks for.
void add_word(Facts& facts, const std::string& argument, const std::string& word) {
    // The blocks of a mixed stack have both orders.
    if (argument == "order" && word != "mixed")
        facts.flag.emplace(std::pair("the order is pre-norm", "the order is post-norm"), word == "pre_norm");
    if (argument == "formula")
        facts.flag.emplace(std::pair("the formula is tanh", "the formula is exact"), word == "tanh");
}

void add_facts(Facts& facts, const std::vector<wire::Field>& arguments) {
    for (const wire::Field& argument : arguments) {
        if (const auto* tensor = std::get_if<Tensor>(&argument.value)) {
            // Suites say more in the name of an argument: "scores (a transposed view)".
            const std::string name = verdict::name_alone(argument.name);
            add_presence(facts, name, tensor->defined());
            if (!tensor->defined()) continue;
            const std::vector<std::string> axes = axes_of(name, tensor->shape().size());
            for (std::size_t i = 0; i < axes.size(); ++i) facts.size.emplace(axes[i], tensor->shape()[i]);
        } else if (const auto* number = std::get_if<Index>(&argument.value)) {
            const bool is_size = argument.name != "seed" && argument.name != "head_dim";
            if (is_size) facts.size.emplace(size_named(argument.name), *number);
        } else if (const auto* list = std::get_if<Shape>(&argument.value)) {
            // One for each sequence.
            if (argument.name == "lengths" || argument.name == "counts")
                facts.size.emplace("B", static_cast<Index>(list->size()));
            if (argument.name == "globals")
                facts.flag.emplace(std::pair("global tokens are given", "no token is global"), !list->empty());
        } else if (const auto* mask = std::get_if<Mask>(&argument.value)) {
            add_mask(facts, verdict::name_alone(argument.name), *mask);
        } else if (const auto* option = std::get_if<bool>(&argument.value)) {
            facts.flag.emplace(std::pair(argument.name + " is set", argument.name + " is not set"), *option);
        } else if (const auto* word = std::get_if<std::string>(&argument.value)) {
            add_word(facts, argument.name, *word);
        } else if (const auto* options = std::get_if<wire::Record>(&argument.value)) {
            if (argument.name != "options") continue;
            add_facts(facts, options->fields);
            facts.flag.emplace(std::pair("head_dim is given", "head_dim is not given"),
                               options->find("head_dim") != nullptr);
        }
    }
}

/// Whether it makes sense to compare them: a position is no width.
bool are_comparable(const std::string& a, const std::string& b) {
    const auto is_position = [](const std::string& name) { return name == "next" || name == "first"; };
    return (!is_position(a) && !is_position(b)) || a == "w" || b == "w";
}

bool all_have(const std::vector<Facts>& facts, const std::string& name) {
    return std::ranges::all_of(facts, [&](const Facts& one) { return one.size.contains(name); });
}

constexpr std::string_view or_none = ", or there is none";

/// The condition beside another one, where a comma would separate these two.
std::string beside_another(std::string words, bool mask_is_given) {
    if (!words.ends_with(or_none)) return words;
    words.resize(words.size() - or_none.size());
    return mask_is_given ? words : words + " (or there is none)";
}

/// "b_o is not contiguous", where some calls are given no b_o.
void add_layouts_of_some(std::vector<Condition>& all, const std::vector<Facts>& facts) {
    std::set<std::string> words;
    for (const Facts& one : facts)
        for (const auto& flag : one.flag) {
            const auto& option = flag.first;
            if (!option.first.ends_with(not_contiguous) || !words.insert(option.first).second) continue;
            if (std::ranges::all_of(facts, [&](const Facts& each) { return each.flag.contains(option); })) continue;
            all.push_back({option.first, [=](const Facts& each) {
                               const auto found = each.flag.find(option);
                               return found != each.flag.end() && found->second;
                           }});
        }
}

}  // namespace

std::string both_hold(const std::string& a, const std::string& b) {
    constexpr std::string_view given = "a mask is given";
    const bool mask_is_given = a == given || b == given;
    return beside_another(a, mask_is_given) + " and " + beside_another(b, mask_is_given);
}

bool says_not_given(std::string_view words) {
    return words == the_cache_is_empty || words.ends_with(" is not given") ||
           (words.starts_with("no ") && words.ends_with(" given"));
}

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
    add_facts(facts, arguments);
    const auto H = facts.size.find("H"), D = facts.size.find("D"), d = facts.size.find("d");
    if (H != facts.size.end() && D != facts.size.end()) {
        // Heads need not be as wide together as the model is.
        if (d != facts.size.end())
            facts.size.emplace("E", H->second * d->second);
        else if (H->second > 0)
            facts.size.emplace("d", D->second / H->second);
    }
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
        if (!are_comparable(a, b)) return;
        all.push_back({fmt::format("{} {} {}", a, sign, b),
                       [=](const Facts& one) { return compare(one.size.at(a), one.size.at(b)); }, true, true});
    };
    for (const std::string& a : names) {
        all.push_back({a + " = 0", [=](const Facts& one) { return one.size.at(a) == 0; }, false, true});
        all.push_back({a + " = 1", [=](const Facts& one) { return one.size.at(a) == 1; }, false, true});
    }
    for (const auto& entry : facts.front().flag) {
        const auto& option = entry.first;
        if (!std::ranges::all_of(facts, [&](const Facts& one) { return one.flag.contains(option); })) continue;
        all.push_back({option.first, [=](const Facts& one) { return one.flag.at(option); }});
        all.push_back({option.second, [=](const Facts& one) { return !one.flag.at(option); }});
    }
    add_layouts_of_some(all, facts);
    for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = i + 1; j < names.size(); ++j) compared(names[i], "=", names[j], std::equal_to<>());
    for (std::size_t i = 0; i < names.size(); ++i)
        for (std::size_t j = i + 1; j < names.size(); ++j) {
            compared(names[i], ">", names[j], std::greater<>());
            compared(names[i], "<", names[j], std::less<>());
            compared(names[i], "≠", names[j], std::not_equal_to<>());
        }
    for (const std::string& a : names) {
        all.push_back({a + " > 0", [=](const Facts& one) { return one.size.at(a) > 0; }, false, true});
        all.push_back({a + " > 1", [=](const Facts& one) { return one.size.at(a) > 1; }, false, true});
    }
    for (const std::string& a : names) {
        // Beyond the longest that is right, if right ones differ enough for that not to be chance.
        constexpr std::size_t least_lengths = 3;
        std::set<Index> right;
        for (std::size_t i = 0; i < wrong.size(); ++i)
            if (!wrong[i]) right.insert(facts[i].size.at(a));
        if (const Index longest = right.empty() ? 0 : *right.rbegin(); right.size() >= least_lengths)
            all.push_back({fmt::format("{} > {}", a, longest),
                           [=](const Facts& one) { return one.size.at(a) > longest; }, false, true, a});
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
