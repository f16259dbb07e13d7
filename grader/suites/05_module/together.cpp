#include "suites/05_module/together.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace headway::judge {
namespace {

using Levels = std::array<std::size_t, 6>;

/// Each combination of three options has a number below most_threes.
constexpr std::size_t most_levels = 4, most_options = 6 * most_levels,
                      most_threes = most_options * most_options * most_options;

std::vector<std::size_t> threes_of(const Levels& row) {
    const auto option = [&](std::size_t place) { return place * most_levels + row[place]; };
    std::vector<std::size_t> all;
    for (std::size_t a = 0; a < row.size(); ++a)
        for (std::size_t b = a + 1; b < row.size(); ++b)
            for (std::size_t c = b + 1; c < row.size(); ++c)
                all.push_back((option(a) * most_options + option(b)) * most_options + option(c));
    return all;
}

Levels levels_of(const Together& choice) {
    const auto level = [](auto option) { return static_cast<std::size_t>(option); };
    return {level(choice.masked), level(choice.causal), level(choice.head_dim),
            level(choice.bias),   level(choice.keys),   choice.mode};
}

Together choice_of(const Levels& row) {
    const auto chosen = [&](std::size_t place) { return static_cast<Chosen>(row[place]); };
    return {chosen(0), chosen(1), chosen(2), chosen(3), static_cast<Keys>(row[4]), row[5]};
}

/// All rows that are wanted, in any order.
std::vector<Levels> whole_table(Random& random, const Levels& counts, const Wanted& wanted) {
    std::vector<Levels> table{{}};
    for (std::size_t place = 0; place < counts.size(); ++place) {
        std::vector<Levels> longer;
        for (Levels row : table)
            for (row[place] = 0; row[place] < counts[place]; ++row[place]) longer.push_back(row);
        table = std::move(longer);
    }
    std::erase_if(table, [&](const Levels& row) { return !wanted(choice_of(row)); });
    for (std::size_t i = table.size(); i > 1; --i)
        std::swap(table[i - 1], table[static_cast<std::size_t>(random.integer(0, static_cast<Index>(i) - 1))]);
    return table;
}

/// Those rows of the table that are needed to have every three levels that stand together in some row of it.
std::vector<Together> every_three(const std::vector<Levels>& table) {
    std::vector<std::vector<std::size_t>> threes;
    std::vector<bool> open(most_threes, false);
    for (const Levels& row : table) {
        threes.push_back(threes_of(row));
        for (const std::size_t three : threes.back()) open[three] = true;
    }
    std::vector<Together> rows;
    for (;;) {
        std::ptrdiff_t most = 0;
        std::size_t best = 0;
        for (std::size_t i = 0; i < table.size(); ++i) {
            const auto met =
                std::count_if(threes[i].begin(), threes[i].end(), [&](std::size_t three) { return open[three]; });
            if (met <= most) continue;
            most = met;
            best = i;
        }
        if (most == 0) return rows;
        for (const std::size_t three : threes[best]) open[three] = false;
        rows.push_back(choice_of(table[best]));
    }
}

/// In words, by place and level; those that are no choice are not said.
std::vector<std::vector<std::string>> words(const std::vector<std::string>& modes) {
    return {{"there is no mask", "there is a mask"},
            {"the module is not causal", "the module is causal"},
            {"head_dim is left out", "head_dim is chosen"},
            {"bias = false", "bias = true"},
            {"it is self-attention", "T = S in cross-attention", "S < T", "S > T"},
            modes};
}

/// Which option, or which two, the wrong rows have and no other has; or what they all have and few others, if they are
/// many and as many are right without it.
std::string what_the_wrong_have(const std::vector<Together>& rows, const std::vector<bool>& wrong,
                                const std::vector<std::string>& modes) {
    using Option = std::pair<std::size_t, std::size_t>;
    std::vector<Option> options;
    const auto names = words(modes);
    for (std::size_t place = 0; place < names.size(); ++place)
        for (std::size_t level = 0; level < names[place].size(); ++level) options.emplace_back(place, level);
    const auto wrong_rows = std::count(wrong.begin(), wrong.end(), true);
    const std::string asked = "of " + std::to_string(rows.size()) + " questions with other options ";
    /// How many rows have both, if all wrong ones do.
    const auto rows_with = [&](const Option& one, const Option& other) {
        std::ptrdiff_t having = 0, wrong_and_having = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Levels row = levels_of(rows[i]);
            if (row[one.first] != one.second || row[other.first] != other.second) continue;
            ++having;
            wrong_and_having += wrong[i] ? 1 : 0;
        }
        return wrong_and_having == wrong_rows ? having : 0;
    };
    const auto in_words = [&](const Option& option) { return names[option.first][option.second]; };
    for (const Option& option : options)
        if (rows_with(option, option) == wrong_rows)
            return asked + "it is wrong where " + in_words(option) + ", and only there";
    for (const Option& one : options)
        for (const Option& other : options)
            if (one.first < other.first && rows_with(one, other) == wrong_rows)
                return asked + "it is wrong where " + in_words(one) + " and " + in_words(other) + ", and only there";
    // Two levels: one in 64 that as many rows that are drawn would all have it; as many must be right without it. And
    // where it has little to do with the mistake, many rows that have it are right.
    constexpr int no_chance = 6;
    const auto all_rows = static_cast<std::ptrdiff_t>(rows.size());
    for (const Option& option : options) {
        const auto having = rows_with(option, option);
        if (wrong_rows >= no_chance && all_rows - having >= no_chance && names[option.first].size() > 1 && having > 0 &&
            having - wrong_rows <= having / 5)
            return asked + std::to_string(wrong_rows) + " are wrong, and in all of these " + in_words(option);
    }
    return "";
}

}  // namespace

ObjectOptions Together::options(Random& random, Index H, Index d) const {
    ObjectOptions options{.D = H * d,
                          .H = H,
                          .bias = bias == Chosen::yes,
                          .causal = causal == Chosen::yes,
                          .seed = random.integer(1, 99)};
    if (head_dim == Chosen::yes) {
        options.head_dim = d;
        options.D += random.integer(1, H + 1);
    }
    return options;
}

Index Together::more_keys(Index T, Index by) const {
    return keys == Keys::fewer ? T - by : keys == Keys::more ? T + by : T;
}

std::optional<AttentionObject> loaded(Student& student, Random& random, const ObjectOptions& options) {
    try {
        AttentionObject object(student, options, Otherwise::not_judged);
        object.load(object.random_state(random));
        object.from_now(Otherwise::test_fails);
        return object;
    } catch (const NotJudged&) {
        return std::nullopt;
    }
}

Question question_together(Random& random, const Together& choice, const ObjectOptions& options, Index B, Index T,
                           Index S) {
    Question question;
    question.query = random_tensor(random, {B, T, options.D});
    if (choice.keys == Keys::the_queries) {
        question.key = question.value = question.query;
    } else {
        question.key = random_tensor(random, {B, S, options.D});
        question.value = random_tensor(random, {B, S, options.D});
    }
    if (choice.masked == Chosen::yes)
        question.mask = mask_of_form(static_cast<int>(random.integer(0, mask_forms - 1)), random, {B, options.H, T, S});
    return question;
}

Tensor answer_together(AttentionObject& object, const Together& choice, const Question& question) {
    return choice.keys == Keys::the_queries ? object.forward_of(question.query, question.mask)
                                            : object.forward(question);
}

void ask_together(Student& student, Random& random, const std::vector<std::string>& modes, const Wanted& wanted,
                  const std::function<void(const Together&, Random&)>& ask) {
    const std::vector<Together> rows = every_three(whole_table(random, {2, 2, 2, 2, 4, modes.size()}, wanted));
    std::vector<DrawAndAsk> questions;
    for (const Together& row : rows) questions.emplace_back([&](Random& own) { ask(row, own); });
    ask_in_turn(student, random, questions,
                [&](const std::vector<bool>& wrong) { return what_the_wrong_have(rows, wrong, modes); });
}

}  // namespace headway::judge
