#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "verdict/sample_verdicts.hpp"

namespace headway::verdict {
namespace {

using nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

json schema_document() {
    std::ifstream file(VERDICT_SCHEMA);
    return json::parse(file);
}

const valijson::Schema& schema() {
    static const std::unique_ptr<valijson::Schema> parsed = [] {
        const json text = schema_document();
        auto result = std::make_unique<valijson::Schema>();
        valijson::SchemaParser().populateSchema(NlohmannJsonAdapter(text), *result);
        return result;
    }();
    return *parsed;
}

/// What is wrong with `document`, or nothing.
std::string problems(const json& document) {
    valijson::ValidationResults results;
    const NlohmannJsonAdapter adapter(document);
    if (valijson::Validator().validate(schema(), adapter, &results)) return "";
    std::string text;
    valijson::ValidationResults::Error error;
    while (results.popError(error)) {
        for (const std::string& part : error.context) text += part;
        text += ": " + error.description + "\n";
    }
    return text;
}

TEST(VerdictSchema, IsVersioned) {
    const json schema = schema_document();
    EXPECT_EQ(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    EXPECT_EQ(schema["$id"], schema_name);
    EXPECT_EQ(schema["properties"]["schema"]["const"], schema_name);
}

TEST(VerdictSchema, DescribesEveryField) {
    const json schema = schema_document();
    const auto check = [](const std::string& name, const json& object) {
        const json properties = object.value("properties", json::object());
        for (const auto& [field, description] : properties.items()) {
            EXPECT_TRUE(description.contains("description")) << name << "." << field;
        }
    };
    check("verdict", schema);
    for (const auto& [name, definition] : schema["definitions"].items()) {
        EXPECT_TRUE(definition.contains("description")) << name;
        check(name, definition);
    }
}

TEST(VerdictSchema, HoldsForEveryKindOfVerdict) {
    for (const auto& [name, verdict] : samples::all()) EXPECT_EQ(problems(to_json(verdict)), "") << name;
    for (const Verdict& verdict : samples::nasty()) {
        json document = to_json(verdict);
        document["protections"] = json::object();  // ours alone to write; multi-line text there is not of the form
        EXPECT_EQ(problems(document), "");
    }
}

std::vector<std::string> keys_of(const json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    return keys;
}

bool reads(const json& document) {
    try {
        from_json(document);
        return true;
    } catch (const std::runtime_error&) {
        return false;
    }
}

/// Leaves out every single field of `part`, which lies in `document`, in turn.
/// @return how often the document was refused
int leave_out_each_field(const json& document, json& part) {
    int refused = 0;
    if (part.is_array()) {
        for (json& item : part) refused += leave_out_each_field(document, item);
    }
    if (!part.is_object()) return refused;
    for (const std::string& key : keys_of(part)) {
        json kept = part[key];
        part.erase(key);
        EXPECT_EQ(problems(document).empty(), reads(document)) << "without " << key;
        refused += reads(document) ? 0 : 1;
        part[key] = std::move(kept);
        refused += leave_out_each_field(document, part[key]);
    }
    return refused;
}

TEST(VerdictSchema, RequiresWhatTheReaderRequires) {
    json document = to_json(samples::verdict_of({samples::wrong(), samples::half_written()}));
    EXPECT_GT(leave_out_each_field(document, document), 100);
}

TEST(VerdictSchema, RefusesWhatIsBroken) {
    const json good = to_json(samples::with_everything());
    const auto refuses = [&](const char* pointer, const json& value) {
        json broken = good;
        broken[json::json_pointer(pointer)] = value;
        EXPECT_NE(problems(broken), "") << pointer << " = " << value;
        EXPECT_THROW(from_json(broken), std::runtime_error) << pointer << " = " << value;
    };
    refuses("/schema", "headway-verdict/1");
    refuses("/surprise", 1);
    refuses("/seed", 42);
    refuses("/seed", "-1");
    refuses("/seed", "");
    refuses("/seed", "1e3");
    refuses("/seconds", nullptr);
    refuses("/toolchain", json::array());
    refuses("/exercises", json::object());
    refuses("/exercises/0/state", "great");
    refuses("/exercises/0/reused", "yes");
    refuses("/exercises/0/points", 1.5);
    refuses("/exercises/0/build/problem", "bad luck");
    refuses("/exercises/0/build/line", -1);
    refuses("/exercises/0/tests/3/state", "not_started");
    refuses("/exercises/0/tests/3/build", "debug");
    refuses("/exercises/0/tests/3/failure", nullptr);
    refuses("/exercises/0/tests/3/failure/kind", "typo");
    refuses("/exercises/0/tests/3/failure/worst/yours", "NaN");
    refuses("/exercises/0/tests/3/failure/worst/coordinate/0", -1);
    refuses("/exercises/0/tests/4/failure/yours/values/0", nullptr);
    refuses("/exercises/1/tests/2/failure/sanitizer/first_lines/0", 7);
}

}  // namespace
}  // namespace headway::verdict
