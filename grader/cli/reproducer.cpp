#include "cli/reproducer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cmath>
#include <span>
#include <variant>

namespace headway::cli {
namespace {

using verdict::FailureKind;

/// More numbers than these nobody reads, and no compiler enjoys.
constexpr Index most_numbers = 20'000;
constexpr std::size_t numbers_in_a_line = 8;

/// What cannot be written down.
struct Unspeakable {};

std::string spelled(float value) {
    if (std::isnan(value)) return "std::numeric_limits<float>::quiet_NaN()";
    if (std::isinf(value)) return fmt::format("{}std::numeric_limits<float>::infinity()", value < 0 ? "-" : "");
    std::string text = fmt::format("{:.9g}", value);  // nine digits bring every float back
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text + "F";
}

std::string spelled(bool value) { return value ? "true" : "false"; }

template <class T>
std::string list(std::span<const T> values) {
    std::string text = "{";
    for (std::size_t i = 0; i < values.size(); ++i)
        text += (i == 0 ? "" : i % numbers_in_a_line == 0 ? ",\n        " : ", ") + spelled(values[i]);
    return text + "}";
}

std::string braces(const std::vector<Index>& numbers) { return fmt::format("{{{}}}", fmt::join(numbers, ", ")); }

/// A whole storage, and the view of it: strides are part of what was asked.
template <class View>
std::string spelled_view(const char* type, const View& view) {
    if (!view.defined()) return fmt::format("{}{{}}", type);
    if (view.storage_size() > most_numbers) throw Unspeakable{};
    const Index offset = view.layout().offset;
    const auto size = static_cast<std::size_t>(view.storage_size());
    const std::string numbers = list(std::span(view.data() - offset, size));
    if (view.layout().is_contiguous() && view.numel() == view.storage_size())
        return fmt::format("{}::of({}, {})", type, braces(view.shape()), numbers);
    return fmt::format("{}::of({{{}}}, {}).as_strided({}, {}, {})", type, size, numbers, braces(view.shape()),
                       braces(view.strides()), offset);
}

struct Spell {
    std::string operator()(const Tensor& tensor) const { return spelled_view("Tensor", tensor); }
    std::string operator()(const Mask& mask) const { return spelled_view("Mask", mask); }
    std::string operator()(Index value) const { return fmt::format("Index{{{}}}", value); }
    std::string operator()(const Shape& value) const { return "Shape" + braces(value); }
    std::string operator()(bool value) const { return spelled(value); }
    std::string operator()(double value) const { return fmt::format("{:.17g}", value); }
    template <class Other>
    std::string operator()(const Other&) const {
        throw Unspeakable{};  // objects that live in a worker, and what they are made from
    }
};

/// "scores (up to ±1e4)" is no name of a variable.
std::string variable(const std::string& name, std::size_t position) {
    std::string letters;
    for (const char letter : name) {
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '_') break;
        letters += letter;
    }
    return letters.empty() ? fmt::format("argument{}", position) : letters;
}

/// Functions whose result is a struct say with their axes which part of it was looked at.
std::string part_of_result(const wire::Call& call, const verdict::Worst& worst) {
    if (call.function != "scaled_dot_product_attention") return "";
    return worst.axes.back() == "key" ? ".weights" : ".context";
}

/// Of a mask: the first entry that is wrong. Nothing if the failure does not show a mask.
std::optional<std::string> wrong_entry(const verdict::Failure& failure, const std::string& expression) {
    if (!failure.window || failure.window->wrong.empty()) return std::nullopt;
    const verdict::Window& window = *failure.window;
    const std::int64_t entry = window.wrong.front();
    const std::int64_t columns = window.expected.shape.back();
    std::vector<std::int64_t> coordinate = window.first;
    coordinate.back() += entry % columns;
    if (coordinate.size() > 1) coordinate[coordinate.size() - 2] += entry / columns;
    const bool expected = window.expected.values[static_cast<std::size_t>(entry)] != 0;
    return fmt::format("    const Mask yours = {};\n    EXPECT_EQ(yours({}), {});\n", expression,
                       fmt::join(coordinate, ", "), expected);
}

std::string expectation(const verdict::Test& test, const wire::Call& call, const std::string& expression) {
    const verdict::Failure& failure = *test.failure;
    if (failure.kind == FailureKind::wrong_behaviour && failure.message.find("should throw") != std::string::npos)
        return fmt::format("    EXPECT_THROW({}, std::invalid_argument);\n", expression);
    if (failure.kind == FailureKind::wrong_value && failure.worst && std::isfinite(failure.worst->expected)) {
        const verdict::Worst& worst = *failure.worst;
        return fmt::format("    const Tensor yours = {}{};\n    EXPECT_NEAR(yours({}), {:.9g}, {:.3g});\n", expression,
                           part_of_result(call, worst), fmt::join(worst.coordinate, ", "), worst.expected,
                           worst.tolerance);
    }
    if (failure.kind == FailureKind::wrong_value)
        if (auto entry = wrong_entry(failure, expression)) return *entry;
    // A shape, or what shows in memory or in several calls: a test of this call alone might well pass.
    if (failure.kind <= FailureKind::wrong_behaviour) throw Unspeakable{};
    return fmt::format("    EXPECT_NO_THROW({});\n", expression);
}

std::string as_comment(const std::string& text) {
    std::string lines = "// ";
    for (const char letter : text) lines += letter == '\n' ? std::string("\n// ") : std::string(1, letter);
    return lines + "\n";
}

}  // namespace

std::optional<std::string> reproducer(const ExerciseInfo& exercise, const verdict::Test& test,
                                      const wire::Call& call) try {
    std::string variables;
    std::string names;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const std::string name = variable(call.arguments[i].name, i);
        variables += fmt::format("    const auto {} = {};\n", name, std::visit(Spell{}, call.arguments[i].value));
        names += (i == 0 ? "" : ", ") + name;
    }
    const std::string expression = fmt::format("{}({})", call.function, names);
    return as_comment("What the hidden test \"" + test.property + "\" asked when it failed:\n" + test.failure->message +
                      "\nRun it: ./headway try " + exercise.number + "    The grader passes over this file.") +
           fmt::format(
               "#include \"{}.hpp\"\n\n#include <gtest/gtest.h>\n\n#include <limits>\n#include <stdexcept>\n\n"
               "namespace headway::ex{} {{\nnamespace {{\n\nTEST(Replay, {}) {{\n{}{}}}\n\n}}  // namespace\n"
               "}}  // namespace headway::ex{}\n",
               exercise.name.substr(3), exercise.number, test.name, variables, expectation(test, call, expression),
               exercise.number);
} catch (const Unspeakable&) {
    return std::nullopt;
}

}  // namespace headway::cli
