#pragma once

#include "student/inputs.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headway::judge {

/// Axes by name, and sizes that are products of others: "B H T S d D=H*d".
class Axes {
public:
    /// @throws std::invalid_argument if a product names no axis that stands before it
    explicit Axes(const std::string& text);

    struct Product {
        std::string name;
        std::vector<std::size_t> factors;
    };
    const std::vector<std::string>& names() const { return names_; }
    const std::vector<Product>& products() const { return products_; }
    /// Sizes of the axes, then those of the products.
    std::vector<Index> with_products(std::vector<Index> sizes) const;
    /// Of an axis or a product, as with_products() counts. @throws std::out_of_range if there is none of that name
    std::size_t place(std::string_view name) const;
    std::string name(std::size_t place) const;
    std::size_t all() const { return names_.size() + products_.size(); }
    bool is_factor(std::size_t axis, std::size_t place) const;

private:
    std::vector<std::string> names_;
    std::vector<Product> products_;
};

/// The sizes of one question.
class AxisSizes {
public:
    AxisSizes(const Axes& axes, std::vector<Index> sizes) : axes_(&axes), all_(axes.with_products(std::move(sizes))) {}

    Index operator[](std::string_view name) const { return all_[axes_->place(name)]; }
    /// As suites' inputs take them; what the question does not have is 2.
    Sizes sizes() const;
    const std::vector<Index>& all() const { return all_; }

private:
    const Axes* axes_;
    std::vector<Index> all_;
};

/// Sizes in which every relation stands somewhere: each axis is 1 alone, each two are 1 together, all are; each two are
/// equal, and the one is larger than the other, both ways; each is long, two are together, and lengths are
/// multiples of 16. Products count among the two. Rows are few and small enough to be asked one after the other.
/// @param axes  must live as long as the rows
std::vector<AxisSizes> every_relation(Random& random, const Axes& axes);

/// What holds of all rows that are wrong and of no other, or at least of them all, in words: "of 26 questions with
/// other sizes it is wrong where T = S, and only there". Empty if nothing so simple does, or if all or none are wrong.
std::string what_tells_apart(const Axes& axes, const std::vector<AxisSizes>& rows, const std::vector<bool>& wrong);

}  // namespace headway::judge
