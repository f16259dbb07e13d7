#include "diagnosis/parts_of_result.hpp"

#include "diagnosis/conditions.hpp"
#include "diagnosis/elements.hpp"

#include "verdict/phrases.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace headway::diagnosis {
namespace {

using judge::Arguments;

constexpr const char* in_anothers_place = "part_in_anothers_place";
constexpr const char* times_a_factor = "part_times_a_factor";

const auto part_name = [](const auto& part) { return part.first; };

Array* part_named(Answer& answer, const std::string& name) {
    const auto found = std::ranges::find(answer.parts, name, part_name);
    return found == answer.parts.end() ? nullptr : &found->second;
}

// ---- parts that are added to what an argument holds --------------------------------------------------------------

/// What the argument held; undefined if the part is not added to any.
Tensor held_before(Arguments arguments, const std::string& part) {
    for (const std::string& name : {"grads." + part, "grad_" + part})
        if (const Tensor* found = tensor_named(arguments, name)) return *found;
    return {};
}

Array sum(Array a, double factor, const Array& b) {
    if (factor == 0) return a;  // where b is NaN too
    for (std::size_t i = 0; i < a.value.size(); ++i) {
        a.value[i] += factor * b.value[i];
        a.error[i] += std::abs(factor) * b.error[i];
    }
    return a;
}

/// As many zeros as `like` has numbers: a part that only says that something holds has none.
Array cleared(Array like) {
    std::ranges::fill(like.value, 0.0);
    std::ranges::fill(like.error, 0.0);
    return like;
}

struct Shares {
    Array held, added;
};

Shares shares_of(const Arguments& arguments, const std::string& part, const Array& whole) {
    const Tensor before = held_before(arguments, part);
    Array held = before.defined() && before.shape() == whole.shape ? reference::exact(before) : cleared(whole);
    Array added = sum(whole, -1, held);
    return {std::move(held), std::move(added)};
}

// ---- what becomes of parts ---------------------------------------------------------------------------------------

/// How often what was held, and what is added to it, counts.
struct Counted {
    double held, added;
    const char* mistake;
    const char* of_one;
    const char* of_two;
};
constexpr Counted of_results[] = {
    {1, 0, never_written, "stays 0", "stay 0"},
    {1, 2, times_a_factor, "is twice what it should be", "are twice what they should be"}};
constexpr Counted of_sums[] = {
    {1, 0, never_written, "stays what it was", "stay what they were"},
    {1, 2, added_too_often, "gets twice what should be added", "get twice what should be added"},
    {1, 0.5, added_by_a_factor, "gets half of what should be added", "get half of what should be added"},
    {1, -1, added_by_a_factor, "gets what should be added with the opposite sign",
     "get what should be added with the opposite sign"},
    {2, 1, added_too_often, "gets twice what it held", "get twice what they held"}};

Explanation counted(const std::vector<std::string>& parts, const Counted& times) {
    const bool is_one = parts.size() == 1;
    const std::string what = parts.front().empty() ? "the result" : "of the result, " + listed_parts(parts);
    return as_written(times.mistake, what + ' ' + (is_one ? times.of_one : times.of_two),
                      [=](Answer& answer, const Arguments& arguments) {
                          for (auto& [name, array] : answer.parts) {
                              if (std::ranges::find(parts, name) == parts.end()) continue;
                              const Shares shares = shares_of(arguments, name, array);
                              array = sum(sum(cleared(array), times.held, shares.held), times.added, shares.added);
                          }
                      });
}

/// What the header of the function calls a size: D in most of them, where a Linear has two widths.
std::string known_as(const std::string& size, const Arguments& asked) {
    const bool is_of_a_linear = std::ranges::find(asked, "grad_weight", &wire::Field::name) != asked.end();
    return size == "D" && is_of_a_linear ? "the width of x (in)" : size;
}

/// As often as a loop runs that it stands in by mistake (`power` 1), or a mean in place of a sum (-1).
/// @param known_as  what the student calls the size
Explanation added_times_a_size(const std::string& size, const std::string& known_as, int power,
                               const std::string& part) {
    const std::string words = fmt::format("of the result, {} gets what should be added {} {}", part,
                                          power > 0 ? "multiplied by" : "divided by", known_as);
    return as_written(power > 0 ? added_too_often : added_by_a_factor, words,
                      [=](Answer& answer, const Arguments& arguments) {
                          const auto sizes = facts_of(arguments).size;
                          const auto found = sizes.find(size);
                          Array* array = part_named(answer, part);
                          if (array == nullptr || found == sizes.end() || found->second < 1) return;
                          const Shares shares = shares_of(arguments, part, *array);
                          *array = sum(shares.held, std::pow(static_cast<double>(found->second), power), shares.added);
                      });
}

Explanation swapped(const std::string& a, const std::string& b) {
    return as_written(in_anothers_place, fmt::format("of the result, {} and {} are in each other's place", a, b),
                      [=](Answer& answer, const Arguments&) {
                          Array *first = part_named(answer, a), *second = part_named(answer, b);
                          if (first != nullptr && second != nullptr) std::swap(*first, *second);
                      });
}

Explanation added_to_another(const std::string& a, const std::string& b) {
    return as_written(in_anothers_place, fmt::format("of the result, what belongs to {} is added to {}", a, b),
                      [=](Answer& answer, const Arguments& arguments) {
                          Array *from = part_named(answer, a), *to = part_named(answer, b);
                          if (from == nullptr || to == nullptr || !have_one_shape(*from, *to)) return;
                          Shares shares = shares_of(arguments, a, *from);
                          *to = sum(*to, 1, shares.added);
                          *from = std::move(shares.held);
                      });
}

}  // namespace

bool is_of_the_result(std::string_view mistake) {
    return mistake == never_written || mistake == added_too_often || mistake == added_by_a_factor;
}

void each_tensor(Arguments& arguments, const std::function<void(const std::string& name, Tensor&)>& visit) {
    for (wire::Field& argument : arguments) {
        // Suites say more in a name: "x (a transposed view)".
        const std::string name = verdict::name_alone(argument.name);
        if (auto* tensor = std::get_if<Tensor>(&argument.value)) {
            if (tensor->defined()) visit(name, *tensor);
        } else if (auto* record = std::get_if<wire::Record>(&argument.value)) {
            for (wire::Field& field : record->fields)
                if (auto* inner = std::get_if<Tensor>(&field.value); inner != nullptr && inner->defined())
                    visit(name + "." + field.name, *inner);
        }
    }
}

Tensor* tensor_named(Arguments& arguments, const std::string& wanted) {
    Tensor* found = nullptr;
    each_tensor(arguments, [&](const std::string& name, Tensor& tensor) {
        if (name == wanted) found = &tensor;
    });
    return found;
}

std::string listed_parts(const std::vector<std::string>& names) {
    std::vector<std::string> words = names;
    std::ranges::replace(words, std::string(), std::string("the result"));
    return verdict::listed(words);
}

bool have_same_parts(const Answer& a, const Answer& b) {
    return std::ranges::equal(a.parts, b.parts, {}, part_name, part_name);
}

std::vector<std::string> wrong_parts(const Observation& observation) {
    const Answer due = predicted(observation, right());
    std::vector<std::string> wrong;
    if (!due.is_value() || !have_same_parts(due, observation.seen)) return wrong;
    for (std::size_t i = 0; i < due.parts.size(); ++i)
        if (!fit({.parts = {due.parts[i]}}, {.parts = {observation.seen.parts[i]}}))
            wrong.push_back(due.parts[i].first);
    if (wrong.size() == due.parts.size()) wrong.clear();
    return wrong;
}

Explanation as_written(const char* id, std::string words, std::function<void(Answer&, const Arguments&)> change) {
    return {&mistake(id), std::move(words), [change = std::move(change)](const Observation& observation) {
                Answer answer = predicted(observation, right());
                if (answer.is_value()) change(answer, observation.arguments);
                return answer;
            }};
}

namespace {

constexpr std::string_view in_parts = ": in ", in_these_alone = " alone";

}  // namespace

const Mistake* made_in_parts(std::string_view words) {
    if (!words.ends_with(in_these_alone)) return nullptr;
    const Mistake* longest = nullptr;  // a title may be the beginning of another one
    for (const Mistake& one : mistakes()) {
        const bool is_told = words.starts_with(one.title) && words.substr(one.title.size()).starts_with(in_parts);
        if (is_told && (longest == nullptr || longest->title.size() < one.title.size())) longest = &one;
    }
    return longest;
}

std::vector<Explanation> made_in_these_parts(const std::vector<const Mistake*>& mistakes, const Observation& like) {
    const std::vector<std::string> parts = wrong_parts(like);
    constexpr std::size_t most = 2;
    std::vector<Explanation> all;
    if (parts.empty() || parts.size() > most) return all;
    for (const Mistake* one : mistakes)
        all.push_back({&mistake("made_in_some_parts"),
                       fmt::format("{}{}{}{}", one->title, in_parts, listed_parts(parts), in_these_alone),
                       [parts, choices = with({one})](const Observation& observation) {
                           Answer answer = predicted(observation, right());
                           Answer made = predicted(observation, choices);
                           if (!answer.is_value() || !have_same_parts(answer, made)) return made;
                           for (std::size_t i = 0; i < made.parts.size(); ++i)
                               if (std::ranges::count(parts, made.parts[i].first) > 0) answer.parts[i] = made.parts[i];
                           return answer;
                       }});
    return all;
}

std::vector<Explanation> miswritten_parts(const Observation& like) {
    std::vector<std::string> names = wrong_parts(like);
    if (names.empty())
        for (const auto& part : predicted(like, right()).parts) names.push_back(part.first);
    std::vector<Explanation> all;
    const auto add = [&](const std::vector<std::string>& parts) {
        const bool is_sum = std::ranges::all_of(
            parts, [&](const std::string& part) { return held_before(like.arguments, part).defined(); });
        for (const Counted& times : is_sum ? std::span<const Counted>(of_sums) : std::span<const Counted>(of_results))
            all.push_back(counted(parts, times));
    };
    for (std::size_t i = 0; i < names.size(); ++i) {
        add({names[i]});
        for (std::size_t j = i + 1; j < names.size(); ++j) {
            add({names[i], names[j]});
            all.push_back(swapped(names[i], names[j]));
        }
    }
    for (const std::string& part : names)
        for (const auto& size : facts_of(like.arguments).size)
            if (held_before(like.arguments, part).defined())
                for (const int power : {1, -1})
                    all.push_back(added_times_a_size(size.first, known_as(size.first, like.arguments), power, part));
    for (const std::string& from : names)
        for (const std::string& to : names)
            if (from != to && held_before(like.arguments, from).defined()) all.push_back(added_to_another(from, to));
    return all;
}

}  // namespace headway::diagnosis
