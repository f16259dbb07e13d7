#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "verdict/fields.hpp"
#include "verdict/names.hpp"
#include "verdict/verdict.hpp"

namespace headway::verdict {
namespace {

using nlohmann::json;

/// A place in a document; what it reads it checks, and what it refuses it names: `exercises[1].tests[0].points`.
class Reader {
public:
    Reader(const json& node, std::string path) : node_(node), path_(std::move(path)) {}

    void read(std::string& text) const {
        expect(node_.is_string(), "must be a string");
        text = node_.get<std::string>();
    }

    void read(bool& flag) const {
        expect(node_.is_boolean(), "must be true or false");
        flag = node_.get<bool>();
    }

    void read(double& number) const {
        if (node_ == "nan") {
            number = std::numeric_limits<double>::quiet_NaN();
        } else if (node_ == "inf" || node_ == "-inf") {
            number = std::copysign(std::numeric_limits<double>::infinity(), node_ == "inf" ? 1.0 : -1.0);
        } else {
            expect(node_.is_number(), R"(must be a number, "nan", "inf" or "-inf")");
            number = node_.get<double>();
        }
    }

    /// No whole number of the document is negative.
    template <std::integral Whole>
    void read(Whole& number) const {
        const bool not_negative =
            node_.is_number_unsigned() || (node_.is_number_integer() && node_.get<json::number_integer_t>() >= 0);
        expect(not_negative, "must be a whole number, 0 or above");
        const auto value = node_.get<std::uint64_t>();
        expect(std::in_range<Whole>(value), "is too large");
        number = static_cast<Whole>(value);
    }

    /// The seed: see where it is written.
    void read(std::uint64_t& number) const {
        std::string digits;
        read(digits);
        const char* const last = digits.data() + digits.size();
        const auto [end, error] = std::from_chars(digits.data(), last, number);
        expect(error == std::errc() && end == last, "must be the digits of a 64-bit number");
    }

    template <typename Enumeration>
    requires std::is_enum_v<Enumeration>
    void read(Enumeration& value) const {
        std::string text;
        read(text);
        std::string allowed;
        for (const auto& [candidate, name] : names_of(Enumeration{})) {
            if (text == name) {
                value = candidate;
                return;
            }
            allowed += (allowed.empty() ? "" : ", ") + std::string(name.empty() ? "\"\"" : name);
        }
        refuse("is \"" + text + "\"; it must be one of " + allowed);
    }

    void read(std::map<std::string, std::string>& entries) const {
        expect(node_.is_object(), "must be an object");
        for (const auto& [key, value] : node_.items()) Reader(value, path_to(key)).read(entries[key]);
    }

    template <typename T>
    void read(std::vector<T>& list) const {
        expect(node_.is_array(), "must be an array");
        list.resize(node_.size());
        for (std::size_t i = 0; i < list.size(); ++i) {
            Reader(node_[i], path_ + "[" + std::to_string(i) + "]").read(list[i]);
        }
    }

    template <typename T>
    requires requires(T& part) {
        each_field(part, [](const char*, auto&) {});
    }
    void read(T& part) const {
        expect(node_.is_object(), "must be an object");
        std::set<std::string> known;
        each_field(part, [&]<typename Value>(const char* name, Value& value) {
            known.insert(name);
            const auto found = node_.find(name);
            if constexpr (requires { value.has_value(); }) {
                if (found != node_.end()) Reader(*found, path_to(name)).read(value.emplace());
            } else {
                if (found == node_.end()) Reader(node_, path_to(name)).refuse("is missing");
                Reader(*found, path_to(name)).read(value);
            }
        });
        for (const auto& [key, value] : node_.items()) {
            if (!known.contains(key))
                Reader(value, path_to(key)).refuse("is not a field of " + std::string(schema_name));
        }
        check(part);
    }

    [[noreturn]] void refuse(const std::string& why) const {
        throw std::runtime_error("verdict: " + (path_.empty() ? "the document" : path_) + " " + why);
    }

private:
    void expect(bool holds, const char* demand) const {
        if (!holds) refuse(demand);
    }

    std::string path_to(const std::string& field) const { return path_.empty() ? field : path_ + "." + field; }

    void check(const auto&) const {}

    void check(const Numbers& numbers) const {
        std::uint64_t count = 1;
        for (const std::int64_t size : numbers.shape) {
            const auto factor = static_cast<std::uint64_t>(size);
            // Compared by division: the product of hostile sizes may overflow.
            if (factor != 0 && count > std::numeric_limits<std::uint64_t>::max() / factor)
                refuse("has a shape that is too large");
            count *= factor;
        }
        if (count != numbers.values.size()) {
            refuse("has " + std::to_string(numbers.values.size()) + " values, its shape asks for " +
                   std::to_string(count));
        }
    }

    void check(const Worst& worst) const {
        if (worst.axes.size() != worst.coordinate.size()) refuse("has not as many axes as coordinates");
    }

    /// What shows a window relies on it.
    void check(const Window& window) const {
        if (window.expected.shape.size() != 2 || window.expected.shape != window.yours.shape)
            refuse("does not hold two matrices of one shape");
        if (window.axes.size() != window.shape.size() || window.axes.size() != window.first.size())
            refuse("has not as many axes as sizes and coordinates");
        for (const std::int64_t element : window.wrong)
            if (std::cmp_greater_equal(element, window.yours.values.size())) refuse("has a wrong element outside");
    }

    void check(const Exercise& exercise) const {
        if (exercise.points > exercise.max_points) refuse("has more points than max_points");
    }

    void check(const Test& test) const {
        if (test.points > test.max_points) refuse("has more points than max_points");
    }

    const json& node_;
    std::string path_;
};

template <typename T>
T read_from(const json& document) {
    T part;
    Reader(document, "").read(part);
    return part;
}

}  // namespace

Verdict from_json(const json& document) {
    // First the version: of another version, missing fields are not what is wrong.
    if (document.is_object() && document.contains("schema") && document["schema"] != schema_name) {
        throw std::runtime_error("verdict: schema is " +
                                 document["schema"].dump(-1, ' ', true, json::error_handler_t::replace) +
                                 "; this program reads \"" + schema_name + "\"");
    }
    return read_from<Verdict>(document);
}

Exercise exercise_from_json(const json& document) { return read_from<Exercise>(document); }
Diagnosis diagnosis_from_json(const json& document) { return read_from<Diagnosis>(document); }
Test test_from_json(const json& document) { return read_from<Test>(document); }

}  // namespace headway::verdict
