#include "diagnosis/answer.hpp"

#include "diagnosis/elements.hpp"

#include "student/expect.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway::diagnosis {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void append(Answer& answer, const std::string& name, const wire::Value& value) {
    const auto number = [&](double x) { answer.parts.push_back({name, {{}, {x}, {0}}}); };
    if (const auto* tensor = std::get_if<Tensor>(&value)) {
        if (tensor->defined())
            answer.parts.emplace_back(name, reference::exact(*tensor));
        else
            answer.parts.emplace_back(name + " undefined", Array{});
    } else if (const auto* mask = std::get_if<Mask>(&value)) {
        if (mask->defined())
            answer.parts.emplace_back(name, array_of(*mask));
        else
            answer.parts.emplace_back(name + " Mask undefined", Array{});
    } else if (const auto* record = std::get_if<wire::Record>(&value)) {
        for (const wire::Field& field : record->fields) append(answer, field.name, field.value);
    } else if (const auto* list = std::get_if<Shape>(&value)) {
        Array array{{static_cast<Index>(list->size())}, {}, std::vector<double>(list->size())};
        for (const Index entry : *list) array.value.push_back(static_cast<double>(entry));
        answer.parts.emplace_back(name, std::move(array));
    } else if (const auto* integer = std::get_if<Index>(&value)) {
        number(static_cast<double>(*integer));
    } else if (const auto* real = std::get_if<double>(&value)) {
        number(*real);
    } else if (const auto* truth = std::get_if<bool>(&value)) {
        number(*truth ? 1 : 0);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        answer.parts.emplace_back(*text, Array{});
    }
}

/// Distance of two numbers in tolerances of the prediction. Where NaN is predicted, a program that looks before it
/// divides by zero has 0; a finite prediction is refuted by anything that is not.
double deviation(double predicted, double error, double seen) {
    if (!std::isfinite(predicted)) return !std::isfinite(seen) || seen == 0 ? 0 : infinity;
    if (!std::isfinite(error)) {
        // Numbers near 0 are also what nothing at all looks like.
        constexpr double telling = 0.3;
        return error == anything_but && std::abs(predicted) > telling && judge::close(seen, predicted, 1e-3, 1e-3)
                   ? infinity
                   : 0;
    }
    if (!std::isfinite(seen)) return infinity;
    const double distance = std::abs(seen - predicted) / judge::tolerance(predicted, error);
    if (std::isnan(distance)) return infinity;
    return distance;
}

/// The deviation of two predictions from each other. NaN is not 0, and an element that only one of them predicts
/// differs.
double apart_as_predictions(double a, double error_a, double b, double error_b) {
    if (std::isfinite(a) != std::isfinite(b) || std::isfinite(error_a) != std::isfinite(error_b)) return infinity;
    if (!std::isfinite(error_a)) return 0;  // neither is predicted
    return deviation(a, std::max(error_a, error_b), b);
}

/// The deviation of two predictions from each other, where an element that is not predicted agrees with everything.
double apart_if_seen(double a, double error_a, double b, double error_b) {
    if (error_a == anything || error_b == anything) return 0;
    if (error_a == anything_but && error_b == anything_but) return 0;
    if (error_a == anything_but) return deviation(a, error_a, b);
    if (error_b == anything_but) return deviation(b, error_b, a);
    return apart_as_predictions(a, error_a, b, error_b);
}

using Apart = double (*)(double a, double error_a, double b, double error_b);

bool same_kind(const Answer& a, const Answer& b) {
    if (a.kind != b.kind || a.parts.size() != b.parts.size()) return false;
    return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), [](const auto& x, const auto& y) {
        return x.first == y.first && have_one_shape(x.second, y.second);
    });
}

double largest_distance(const Answer& a, const Answer& b, Apart apart) {
    if (!same_kind(a, b)) return infinity;
    double largest = 0;
    for (std::size_t part = 0; part < a.parts.size(); ++part) {
        const Array& first = a.parts[part].second;
        const Array& second = b.parts[part].second;
        for (std::size_t i = 0; i < first.value.size(); ++i)
            largest = std::max(largest, apart(first.value[i], first.error[i], second.value[i], second.error[i]));
    }
    return largest;
}

}  // namespace

Array array_of(const Mask& mask) {
    const Mask dense = mask.clone();
    Array array{mask.shape(), std::vector<double>(dense.data(), dense.data() + dense.numel()), {}};
    array.error.resize(array.value.size());
    return array;
}

bool have_one_shape(const Array& a, const Array& b) { return a.shape == b.shape && a.value.size() == b.value.size(); }

bool says_it_refused(const Answer& answer) {
    return std::ranges::any_of(answer.parts, [](const auto& part) { return part.first == "refused"; });
}

bool is_answer_due(const Answer& due) { return due.is_value() && !says_it_refused(due); }

Answer answer_of(const wire::Value& value) {
    Answer answer;
    append(answer, "", value);
    return answer;
}

Answer answer_of(const judge::Outcome& outcome) {
    if (!outcome.error) return answer_of(outcome.value);
    const bool refused = outcome.error->kind == wire::ErrorKind::invalid_argument ||
                         outcome.error->kind == wire::ErrorKind::out_of_range;
    Answer answer = Answer::without_value(refused ? Answer::Kind::refused : Answer::Kind::threw);
    answer.refused_by_as_strided = refused && outcome.error->message.starts_with("as_strided: ");
    const std::string& type = outcome.error->type;
    answer.threw_of_itself = type == "std::domain_error" || type == "std::range_error" ||
                             type == "std::overflow_error" || type == "std::underflow_error" ||
                             type == "std::runtime_error";
    return answer;
}

std::optional<Fit> fit(const Answer& predicted, const Answer& seen) {
    if (seen.kind == Answer::Kind::not_judged) return Fit{};
    // A function that does not check its arguments may return anything, or crash.
    if (predicted.kind == Answer::Kind::accepted)
        return seen.kind == Answer::Kind::refused || seen.threw_of_itself ? std::nullopt : std::optional(Fit{0, 1});
    if (predicted.kind == Answer::Kind::unpredicted) return Fit{};
    // What cannot be computed gives no value; that it gave none supports nothing.
    if (predicted.kind == Answer::Kind::impossible) return seen.is_value() ? std::nullopt : std::optional(Fit{});
    // What a right program refuses, a wrong one may compute: see Checking::lenient.
    if (predicted.kind == Answer::Kind::refused && !predicted.parts.empty()) {
        if (seen.kind == Answer::Kind::refused) return Fit{0, 1};
        return diagnosis::fit({.parts = predicted.parts}, seen);
    }
    if (!same_kind(predicted, seen)) return std::nullopt;
    Fit fit;
    if (!predicted.is_value()) fit.compared = 1;
    for (std::size_t part = 0; part < predicted.parts.size(); ++part) {
        const Array& expected = predicted.parts[part].second;
        const Array& actual = seen.parts[part].second;
        if (expected.value.empty()) ++fit.compared;
        for (std::size_t i = 0; i < expected.value.size(); ++i) {
            const double ratio = deviation(expected.value[i], expected.error[i], actual.value[i]);
            if (!(ratio <= 1)) return std::nullopt;
            fit.closeness = std::max(fit.closeness, ratio);
            if (std::isfinite(expected.value[i]) && std::isfinite(expected.error[i]))
                ++fit.compared;
            else
                ++(std::isfinite(actual.value[i]) ? fit.unpredicted : fit.not_finite);
        }
    }
    return fit;
}

bool tells_what_is_wrong(const Answer& predicted, const Answer& right, const Answer& seen) {
    if (!same_kind(predicted, seen) || !same_kind(right, seen)) return true;
    std::size_t told = 0;
    std::size_t open = 0;
    for (std::size_t part = 0; part < seen.parts.size(); ++part) {
        const Array& expected = right.parts[part].second;
        const Array& explained = predicted.parts[part].second;
        const Array& actual = seen.parts[part].second;
        for (std::size_t i = 0; i < actual.value.size(); ++i) {
            if (!std::isfinite(actual.value[i])) continue;
            if (deviation(expected.value[i], expected.error[i], actual.value[i]) <= 1) continue;
            // NaN may be 0 where somebody guards against it, but 0 is no sign of NaN.
            const bool says_little = explained.error[i] == anything || !std::isfinite(explained.value[i]);
            ++(says_little ? open : told);
        }
    }
    return told >= open;
}

bool disturbs(const Answer& predicted, const Answer& right, const Answer& seen) {
    if (!same_kind(right, seen) || predicted.kind == Answer::Kind::unpredicted) return false;
    if (!same_kind(predicted, seen)) return true;
    for (std::size_t part = 0; part < seen.parts.size(); ++part) {
        const Array& due = right.parts[part].second;
        const Array& explained = predicted.parts[part].second;
        const Array& actual = seen.parts[part].second;
        for (std::size_t i = 0; i < actual.value.size(); ++i)
            if (deviation(due.value[i], due.error[i], actual.value[i]) <= 1 &&
                !(deviation(explained.value[i], explained.error[i], actual.value[i]) <= 1))
                return true;
    }
    return false;
}

double distance(const Answer& a, const Answer& b) { return largest_distance(a, b, &apart_as_predictions); }

double tellable_distance(const Answer& a, const Answer& b) { return largest_distance(a, b, &apart_if_seen); }

}  // namespace headway::diagnosis
