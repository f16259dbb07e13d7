#include "suites/14_block/bounded.hpp"

#include "diagnosis/elements.hpp"

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {

using reference::Array;
using reference::unit_roundoff;

Bounded operator+(const Bounded& a, const Bounded& b) {
    return {a.value + b.value, a.error + b.error + unit_roundoff * (std::abs(a.value) + std::abs(b.value))};
}

Bounded operator-(const Bounded& a, const Bounded& b) { return a + Bounded{-b.value, b.error}; }

Bounded operator*(const Bounded& a, const Bounded& b) {
    const double product = a.value * b.value;
    return {product,
            std::abs(a.value) * b.error + a.error * (std::abs(b.value) + b.error) + unit_roundoff * std::abs(product)};
}

Bounded operator/(const Bounded& a, const Bounded& b) {
    const double quotient = a.value / b.value;
    const double least = std::max(std::abs(b.value) - b.error, std::abs(b.value) / 2);
    return {quotient, (a.error + std::abs(quotient) * b.error) / least + unit_roundoff * std::abs(quotient)};
}

Bounded root_of(const Bounded& a) {
    const auto of = [](double x) { return std::sqrt(std::max(0.0, x)); };
    const double middle = of(a.value);
    return {middle, std::max(of(a.value + a.error) - middle, middle - of(a.value - a.error)) + unit_roundoff * middle};
}

Bounded total_of(std::span<const Bounded> all) {
    Bounded total;
    double magnitude = 0;
    for (const Bounded& one : all) {
        total.value += one.value;
        total.error += one.error;
        magnitude += std::abs(one.value);
    }
    total.error += static_cast<double>(all.size() + 4) * unit_roundoff * magnitude;
    return total;
}

Array products(const Array& a, const Array& b) {
    Array product = a;
    for (std::size_t i = 0; i < a.value.size(); ++i) put_element(product, i, element(a, i) * element(b, i));
    return product;
}

Array over_tokens(const Array& x) {
    const Index D = x.size(-1);
    Array total = zeros({D});
    for (Index d = 0; d < D; ++d) {
        std::vector<Bounded> all;
        for (Index i = d; i < x.numel(); i += D) all.push_back(element(x, static_cast<std::size_t>(i)));
        put_element(total, static_cast<std::size_t>(d), total_of(all));
    }
    return total;
}

}  // namespace headway::diagnosis
