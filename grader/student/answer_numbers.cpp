#include "student/answer_numbers.hpp"

#include "reference/array.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace headway::judge {
namespace {

/// A throw, where numbers are compared.
constexpr double number_of_a_throw = 1e8;

void append(std::vector<double>& answers, const wire::Value& value);

struct Append {
    std::vector<double>& answers;

    void operator()(std::monostate) const { answers.push_back(-1); }
    void operator()(Index value) const { answers.push_back(static_cast<double>(value)); }
    void operator()(double value) const { answers.push_back(value); }
    void operator()(bool value) const { answers.push_back(value ? 1 : 0); }
    void operator()(wire::Handle) const { answers.push_back(-2); }
    void operator()(const std::string& value) const { answers.push_back(static_cast<double>(value.size())); }
    void operator()(const Shape& value) const { answers.insert(answers.end(), value.begin(), value.end()); }
    void operator()(const wire::Record& record) const {
        for (const wire::Field& field : record.fields) append(answers, field.value);
    }
    void operator()(const Tensor& tensor) const {
        (*this)(tensor.shape());
        if (!tensor.defined()) return;
        const std::vector<double> numbers = reference::exact(tensor).value;
        answers.insert(answers.end(), numbers.begin(), numbers.end());
    }
    void operator()(const Mask& mask) const {
        (*this)(mask.shape());
        if (!mask.defined()) return;
        const Mask dense = mask.clone();
        answers.insert(answers.end(), dense.data(), dense.data() + dense.numel());
    }
};

void append(std::vector<double>& answers, const wire::Value& value) { std::visit(Append{answers}, value); }

}  // namespace

std::vector<double> numbers_of(const Outcome& outcome) {
    std::vector<double> numbers;
    if (outcome.error)
        numbers.push_back(number_of_a_throw + static_cast<double>(outcome.error->kind));
    else
        append(numbers, outcome.value);
    return numbers;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

bool agree_but_for_rounding(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 1;
    for (const double number : a) largest = std::max(largest, std::abs(number));
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [&](double x, double y) {
               return std::isfinite(x) ? std::abs(x - y) <= 1e-4 * largest : !std::isfinite(y);
           });
}

}  // namespace headway::judge
