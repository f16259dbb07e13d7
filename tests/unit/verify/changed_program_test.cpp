#include "verify/changed_program.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace headway::cli {
namespace {

const std::string base = R"(#include "heads.hpp"

namespace headway {

/// Halves.
float half(float x) { return x / 2; }

struct Heads {
    // How many there are.
    int count(int a,
              int b) const {
        if (a > b) {
            return half(a);
        }
        return b;
    }
};

int declared(int x);

int main() { return declared(1); }

}  // namespace headway
)";

std::string changed(const std::string& text, const std::string& was, const std::string& is) {
    return std::string(text).replace(text.find(was), was.size(), is);
}

std::string why_refused(const Changes& changes) {
    try {
        changed_program(base, changes);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "not refused";
}

TEST(ChangedProgram, HasTheEdits) {
    const Changes changes{{{"x / 2", "x / 3"}, {"return b;", "return a;"}}, {}};
    EXPECT_EQ(changed_program(base, changes), changed(changed(base, "x / 2", "x / 3"), "return b;", "return a;"));
}

TEST(ChangedProgram, HasTheFunctionInPlaceOfTheOldOneAndItsComment) {
    const std::string whole = "/// Halves.\nfloat half(float x) { return x / 2; }";
    EXPECT_EQ(changed_program(base, {{}, {{"half", "float half(float) { return 0; }"}}}),
              changed(base, whole, "float half(float) { return 0; }"));
}

TEST(ChangedProgram, ReplacesAMemberUpToItsOwnBrace) {
    const std::string program = changed_program(base, {{}, {{"count", "    int count() const { return 1; }"}}});
    EXPECT_NE(program.find("struct Heads {\n    int count() const { return 1; }\n};\n"), std::string::npos) << program;
}

TEST(ChangedProgram, TakesAFunctionOut) {
    EXPECT_EQ(changed_program(base, {{}, {{"main", ""}}}), changed(base, "int main() { return declared(1); }", ""));
}

TEST(ChangedProgram, RefusesATextThatDoesNotStandThereOnce) {
    EXPECT_NE(why_refused({{{"nowhere", ""}}, {}}).find("stands 0 times"), std::string::npos);
    EXPECT_NE(why_refused({{{"return ", ""}}, {}}).find("stands 4 times"), std::string::npos);
    EXPECT_NE(why_refused({{{"", "more"}}, {}}).find("needs a `was`"), std::string::npos);
}

TEST(ChangedProgram, RefusesAFunctionThatIsNotDefinedOnce) {
    EXPECT_NE(why_refused({{}, {{"declared", ""}}}).find("defines declared 0 times"), std::string::npos);
    EXPECT_NE(why_refused({{}, {{"alf", ""}}}).find("defines alf 0 times"), std::string::npos);
    const std::string twice = base + "float half(int x) { return half(float(x)); }\n";
    EXPECT_THROW(changed_program(twice, {{}, {{"half", ""}}}), std::invalid_argument);
}

TEST(ChangedProgram, RefusesChangesOfOneText) {
    EXPECT_NE(why_refused({{{"x / 2", "x"}}, {{"half", ""}}}).find("overlaps"), std::string::npos);
    EXPECT_NE(why_refused({{{"x / 2", "x"}, {"/ 2;", ";"}}, {}}).find("overlaps"), std::string::npos);
}

}  // namespace
}  // namespace headway::cli
