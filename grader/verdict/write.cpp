#include <cmath>

#include "verdict/fields.hpp"
#include "verdict/utf8.hpp"
#include "verdict/verdict.hpp"

namespace headway::verdict {
namespace {

using nlohmann::json;

json written(bool value) { return value; }
json written(std::integral auto value) { return value; }

/// The seed, in digits: many readers keep JSON's numbers as doubles, and a seed that lost its last digits repeats
/// nothing.
json written(std::uint64_t value) { return std::to_string(value); }

/// JSON has no NaN and no infinities, and nlohmann's null would lose which of them it was.
json written(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

/// What a submission printed need not be UTF-8, and a document that cannot be dumped would cost everybody's grade. JSON
/// escapes controls, but who reads it does not: a terminal that shows a message would obey it.
json written(const std::string& text) { return showable(text); }

template <typename Enumeration>
requires std::is_enum_v<Enumeration> json written(Enumeration value) { return to_string(value); }

json written(const std::map<std::string, std::string>& entries) {
    json object = json::object();
    for (const auto& [key, value] : entries) object[showable(key)] = written(value);
    return object;
}

template <typename T>
json written(const std::vector<T>& list);

template <typename T>
requires requires(const T& part) {
    each_field(part, [](const char*, const auto&) {});
}
json written(const T& part) {
    json object = json::object();
    each_field(part, [&]<typename Value>(const char* name, const Value& value) {
        if constexpr (requires { value.has_value(); }) {
            if (value) object[name] = written(*value);
        } else {
            object[name] = written(value);
        }
    });
    return object;
}

template <typename T>
json written(const std::vector<T>& list) {
    json array = json::array();
    for (const T& item : list) array.push_back(written(item));
    return array;
}

}  // namespace

json to_json(const Verdict& verdict) { return written(verdict); }
json to_json(const Exercise& exercise) { return written(exercise); }
json to_json(const Diagnosis& diagnosis) { return written(diagnosis); }
json to_json(const Test& test) { return written(test); }

}  // namespace headway::verdict
