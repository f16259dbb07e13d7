#include "student/relations.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace headway::judge {
namespace {

/// What is small: large enough for orders between several axes, small enough for many questions.
constexpr Index smallest = 2, largest_small = 6;
/// Longer than a row of a fixed buffer, a tile, a warp: 128 and some.
constexpr Index least_long = 131, most_long = 139;
/// Of a batch, heads and tokens: more than a tile of 16. Some programs take a thread for each of them all, or for each
/// score of as many keys, and may have 640 (policy.toml).
constexpr Index least_many = 21, most_many = 24;

/// Of two axes that are long together: what one tile of 16 holds, and what it does not.
constexpr Index least_of_two = 14, most_of_two = 24;

/// What there are several of, rather than how long each is.
bool counts_several(const std::string& axis) { return axis == "B" || axis == "H" || axis == "G" || axis == "K"; }

bool counts_rows(const std::string& axis) { return axis == "B" || axis == "H" || axis == "T"; }

using Row = std::vector<Index>;

/// A relation that some row must show.
struct Goal {
    std::size_t a = 0, b = 0;
    enum class Kind { equal, less } kind = Kind::equal;

    /// Two are equal where no third is: else one equality would be taken for another.
    bool is_met(const Row& all) const {
        return kind == Kind::less ? all[a] < all[b]
                                  : all[a] == all[b] && all[a] > 1 && std::count(all.begin(), all.end(), all[a]) == 2;
    }
};

class Cover {
public:
    Cover(Random& random, const Axes& axes) : random_(random), axes_(axes) {
        for (std::size_t a = 0; a < axes_.all(); ++a)
            for (std::size_t b = 0; b < axes_.all(); ++b) {
                if (a == b || axes_.is_factor(a, b) || axes_.is_factor(b, a)) continue;
                open_.push_back({a, b, Goal::Kind::less});
                if (a < b) open_.push_back({a, b, Goal::Kind::equal});
            }
    }

    std::vector<Row> rows() {
        const std::size_t axes = axes_.names().size();
        add(Row(axes, 1));
        for (std::size_t a = 0; a < axes; ++a)
            for (std::size_t b = a; b < axes; ++b) {  // one alone, or two
                if (axes == 2 && a != b) continue;    // that is all of them
                Row row = some();
                row[a] = row[b] = 1;
                add(row);
            }
        for (std::size_t a = 0; a < axes; ++a) add(long_in(a));
        add(two_long());
        add(whole_tiles({16, 16, 16}));
        Row one_of_many{64, 4, 4};
        std::swap(one_of_many[0], one_of_many[static_cast<std::size_t>(random_.integer(0, 2))]);
        add(whole_tiles(one_of_many));
        add_what_is_missing();
        return rows_;
    }

private:
    Row some() {
        Row row;
        for (std::size_t a = 0; a < axes_.names().size(); ++a) row.push_back(random_.integer(smallest, largest_small));
        return row;
    }

    Row long_in(std::size_t axis) {
        Row row;
        for (const std::string& name : axes_.names()) row.push_back(counts_rows(name) ? 1 : random_.integer(2, 3));
        row[axis] = counts_rows(axes_.names()[axis]) ? random_.integer(least_many, most_many)
                                                     : random_.integer(least_long, most_long);
        // Of the others that count rows, one is 2, so that a wrong order of two axes shows.
        std::vector<std::size_t> others;
        for (std::size_t a = 0; a < row.size(); ++a)
            if (a != axis && row[a] == 1) others.push_back(a);
        if (!others.empty()) row[others[static_cast<std::size_t>(random_.integer(0, as_index(others) - 1))]] = smallest;
        return with_small_products(std::move(row), axis);
    }

    /// The first two lengths are long and differ, and there are two of everything else.
    Row two_long() {
        Row row;
        std::vector<std::size_t> lengths;
        for (std::size_t a = 0; a < axes_.names().size(); ++a) {
            row.push_back(2);
            if (!counts_several(axes_.names()[a])) lengths.push_back(a);
        }
        if (lengths.size() < 2) return row;
        row[lengths[0]] = random_.integer(least_of_two, most_of_two - 1);
        row[lengths[1]] = random_.integer(least_of_two, most_of_two - 1);
        if (row[lengths[1]] >= row[lengths[0]]) ++row[lengths[1]];
        return row;
    }

    /// Nothing is left over where work is done by fours, eights or sixteens.
    /// @param first  of what is no count; the rest is 8
    Row whole_tiles(const Row& first) const {
        Row row;
        std::size_t lengths = 0;
        for (const std::string& name : axes_.names()) {
            if (counts_several(name)) {
                row.push_back(1);
                continue;
            }
            row.push_back(lengths < first.size() ? first[lengths] : 8);
            ++lengths;
        }
        return row;
    }

    /// A product of a long axis is no longer than it: matrices are as large as its square.
    Row with_small_products(Row row, std::size_t axis) const {
        for (const Axes::Product& product : axes_.products()) {
            if (std::find(product.factors.begin(), product.factors.end(), axis) == product.factors.end()) continue;
            for (const std::size_t factor : product.factors)
                if (factor != axis) row[factor] = 1;
        }
        return row;
    }

    static Index as_index(const std::vector<std::size_t>& list) { return static_cast<Index>(list.size()); }

    std::size_t newly_met(const Row& row) const {
        const Row all = axes_.with_products(row);
        return static_cast<std::size_t>(
            std::count_if(open_.begin(), open_.end(), [&](const Goal& goal) { return goal.is_met(all); }));
    }

    void add(const Row& row) {
        const Row all = axes_.with_products(row);
        std::erase_if(open_, [&](const Goal& goal) { return goal.is_met(all); });
        rows_.push_back(row);
    }

    /// The best of many rows, until nothing is gained: a product may never be as small as some axis.
    void add_what_is_missing() {
        constexpr int drawn = 200;
        while (!open_.empty()) {
            Row best;
            std::size_t most = 0;
            for (int i = 0; i < drawn; ++i) {
                const Row row = some();
                const std::size_t met = newly_met(row);
                if (met > most) {
                    most = met;
                    best = row;
                }
            }
            if (most == 0) return;
            add(best);
        }
    }

    Random& random_;
    const Axes& axes_;
    std::vector<Goal> open_;
    std::vector<Row> rows_;
};

/// A statement about sizes, in words and as a test.
struct Statement {
    std::string words;
    std::function<bool(const Row&)> holds;
};

/// The simplest first.
std::vector<Statement> statements(const Axes& axes, Index long_from, std::size_t long_axis) {
    std::vector<Statement> all;
    const std::size_t single = axes.names().size();
    const auto add = [&](std::string words, std::function<bool(const Row&)> holds) {
        all.push_back({std::move(words), std::move(holds)});
    };
    for (std::size_t a = 0; a < single; ++a) add(axes.name(a) + " = 1", [a](const Row& row) { return row[a] == 1; });
    if (long_axis < axes.all())
        add(axes.name(long_axis) + " >= " + std::to_string(long_from),
            [=](const Row& row) { return row[long_axis] >= long_from; });
    for (std::size_t a = 0; a < single; ++a)
        for (std::size_t b = a + 1; b < single; ++b)
            add(axes.name(a) + " = " + axes.name(b) + " = 1",
                [=](const Row& row) { return row[a] == 1 && row[b] == 1; });
    const auto for_two = [&](const std::string& sign, bool both_ways, const std::function<bool(Index, Index)>& holds) {
        for (std::size_t a = 0; a < axes.all(); ++a)
            for (std::size_t b = both_ways ? 0 : a + 1; b < axes.all(); ++b)
                if (a != b)
                    add(axes.name(a) + sign + axes.name(b), [=](const Row& row) { return holds(row[a], row[b]); });
    };
    for_two(" = ", false, [](Index a, Index b) { return a == b; });
    for_two(" = ", false, [](Index a, Index b) { return a == b && a > 1; });
    for (std::size_t a = 0; a < single; ++a) add(axes.name(a) + " > 1", [a](const Row& row) { return row[a] > 1; });
    for_two(" > ", true, [](Index a, Index b) { return a > b; });
    for_two(" >= ", true, [](Index a, Index b) { return a >= b; });
    for_two(" differs from ", false, [](Index a, Index b) { return a != b; });
    return all;
}

}  // namespace

Axes::Axes(const std::string& text) {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const std::size_t is = word.find('=');
        if (is == std::string::npos) {
            if (!products_.empty()) throw std::invalid_argument("axes stand before products: " + text);
            names_.push_back(word);
            continue;
        }
        Product product{word.substr(0, is), {}};
        std::istringstream factors(word.substr(is + 1));
        for (std::string factor; std::getline(factors, factor, '*');) {
            const auto axis = std::find(names_.begin(), names_.end(), factor);
            if (axis == names_.end()) throw std::invalid_argument("there is no axis " + factor + " in " + text);
            product.factors.push_back(static_cast<std::size_t>(axis - names_.begin()));
        }
        products_.push_back(std::move(product));
    }
}

std::vector<Index> Axes::with_products(std::vector<Index> sizes) const {
    sizes.resize(names_.size());
    for (const Product& product : products_) {
        Index size = 1;
        for (const std::size_t factor : product.factors) size *= sizes[factor];
        sizes.push_back(size);
    }
    return sizes;
}

std::string Axes::name(std::size_t place) const {
    return place < names_.size() ? names_[place] : products_.at(place - names_.size()).name;
}

std::size_t Axes::place(std::string_view name_of_it) const {
    for (std::size_t i = 0; i < all(); ++i)
        if (name(i) == name_of_it) return i;
    throw std::out_of_range("there is no axis " + std::string(name_of_it));
}

bool Axes::is_factor(std::size_t axis, std::size_t place) const {
    if (place < names_.size()) return false;
    const auto& factors = products_.at(place - names_.size()).factors;
    return std::find(factors.begin(), factors.end(), axis) != factors.end();
}

Sizes AxisSizes::sizes() const {
    const auto size = [&](const char* name) {
        for (std::size_t i = 0; i < axes_->all(); ++i)
            if (axes_->name(i) == name) return all_[i];
        return Index{2};
    };
    return {size("B"), size("H"), size("T"), size("S"), size("d"), size("d_v")};
}

std::vector<AxisSizes> every_relation(Random& random, const Axes& axes) {
    std::vector<AxisSizes> all;
    for (Row& row : Cover(random, axes).rows()) all.emplace_back(axes, std::move(row));
    return all;
}

std::string what_tells_apart(const Axes& axes, const std::vector<AxisSizes>& rows, const std::vector<bool>& wrong) {
    if (std::find(wrong.begin(), wrong.end(), true) == wrong.end() ||
        std::find(wrong.begin(), wrong.end(), false) == wrong.end())
        return "";
    // The axis that is longer wherever it is wrong than anywhere where it is right.
    Index long_from = 0;
    std::size_t longer = axes.all();
    for (std::size_t axis = 0; axis < axes.names().size(); ++axis) {
        Index most_of_right = 0, least_of_wrong = most_long + 1;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Index size = rows[i].all()[axis];
            if (wrong[i])
                least_of_wrong = std::min(least_of_wrong, size);
            else
                most_of_right = std::max(most_of_right, size);
        }
        if (least_of_wrong <= most_of_right || most_of_right < 2) continue;
        longer = axis;
        long_from = least_of_wrong;
    }
    const std::vector<Statement> all = statements(axes, long_from, longer);
    const auto wrong_rows = static_cast<std::size_t>(std::count(wrong.begin(), wrong.end(), true));
    const std::string asked = "of " + std::to_string(rows.size()) + " questions with other sizes ";
    std::vector<std::string> fitting;  // all that was asked
    std::string of_all_wrong;
    for (const Statement& statement : all) {
        std::size_t holding = 0, wrong_and_holding = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (!statement.holds(rows[i].all())) continue;
            ++holding;
            wrong_and_holding += wrong[i] ? 1 : 0;
        }
        if (wrong_and_holding < wrong_rows) continue;
        if (holding == wrong_rows) {
            if (fitting.empty() || fitting.back() != statement.words) fitting.push_back(statement.words);
            continue;
        }
        // Not by chance: as many rows that are drawn among all would not all be among these.
        const double share = static_cast<double>(holding) / static_cast<double>(rows.size());
        constexpr double chance = 0.05;
        if (of_all_wrong.empty() &&
            std::pow(share, static_cast<double>(wrong_rows)) * static_cast<double>(all.size()) < chance)
            of_all_wrong = asked + std::to_string(wrong_rows) + " are wrong, and all of these have " + statement.words;
    }
    if (fitting.empty()) return of_all_wrong;
    const std::string other = fitting.size() == 1 ? "" : " (or, as far as these tell, where " + fitting[1] + ")";
    return asked + "it is wrong where " + fitting[0] + other + ", and only there";
}

}  // namespace headway::judge
