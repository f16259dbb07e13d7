#include "verify/mutants.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace headway::cli {
namespace {

const std::string exercise = "03_scaled_scores";

/// A course with a solution, an accepted variant and a mutant in a folder of its own.
class Course {
public:
    Course() {
        write("solutions/" + exercise + "/scores.cpp", "int scale() { return 5; }\n");
        write("tests/accepted/" + exercise + "/late/" + exercise + "/scores.cpp", "int scale() { return 2 + 3; }\n");
        write(mutants_ + "apart/" + exercise + "/scores.cpp", "int scale() { return 15; }\n");
        write(mutants_ + "apart/mutant.toml", "mistake = \"too large\"\ndiagnosis = [\"scale\"]\nstage = \"scale\"\n");
    }

    void write(const std::string& file, const std::string& text) { folder_.write(file, text); }
    void catalogue(const std::string& text) { write(mutants_ + "mutants.toml", text); }
    Mutants read() const { return Mutants(folder_.path(), exercise); }
    std::string program(const std::string& name) const {
        const Mutants all = read();
        return all.program(all.find(name)).at("scores.cpp");
    }
    std::string why_refused() const {
        try {
            const Mutants all = read();
            for (const Mutant& mutant : all.all()) all.program(mutant);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "not refused";
    }
    const std::filesystem::path& path() const { return folder_.path(); }

private:
    const std::string mutants_ = "tests/mutants/" + exercise + "/";
    build::TemporaryFolder folder_;
};

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Mutants, AreProgramsOfTheirOwnOrBasesWithChanges) {
    Course course;
    course.catalogue(
        "[edited]\nmistake = \"4\"\nexpect = { stage = \"scale\", functions = [\"scale\"], diagnosis = [\"x\"] }\n"
        "base = \"accepted/late\"\nedit = [{ was = \"2 + 3\", is = \"2 + 2\" }]\n"
        "[replaced]\nmistake = \"3\"\nstage = \"none\"\nextended = true\nbase = \"solution\"\n"
        "replaces.scale = \"int scale() { return 3; }\"\n"
        "[of_another]\nmistake = \"1\"\nbase = \"apart\"\nedit = [{ was = \"15\", is = \"1\" }]\n");
    const Mutants mutants = course.read();
    ASSERT_EQ(mutants.all().size(), 4U);
    EXPECT_EQ(mutants.all().front().name, "apart") << "in the order of their names";
    EXPECT_EQ(mutants.find("edited").diagnosis, std::vector<std::string>{"x"});
    EXPECT_EQ(mutants.find("edited").stage, verdict::Stage::scale);
    EXPECT_EQ(mutants.find("replaced").stage, verdict::Stage::none);
    EXPECT_EQ(mutants.find("of_another").stage, verdict::Stage::none) << "nothing is said of it";
    EXPECT_TRUE(mutants.find("replaced").extended);
    EXPECT_TRUE(mutants.find("apart").is_whole());
    EXPECT_EQ(course.program("apart"), "int scale() { return 15; }\n");
    EXPECT_EQ(course.program("edited"), "int scale() { return 2 + 2; }\n");
    EXPECT_EQ(course.program("replaced"), "int scale() { return 3; }\n");
    EXPECT_EQ(course.program("of_another"), "int scale() { return 1; }\n");
    EXPECT_THROW(mutants.find("no_such"), std::out_of_range);
}

TEST(Mutants, AreRefusedWhileSomethingIsToBeFilledIn) {
    Course course;
    course.catalogue(
        "[begun]\nmistake = \"FILL_IN\"\nbase = \"solution\"\nedit = [{ was = \"5\", is = \"FILL_IN: 6\" }]\n");
    EXPECT_TRUE(says(course.why_refused(), "mutants.toml: begun: not finished")) << course.why_refused();
}

TEST(Mutants, AreWrittenAsSubmissionsThatReadTheSame) {
    Course course;
    course.catalogue(
        "[edited]\nmistake = \"4\"\nexpect = { stage = \"scale\", functions = [\"scale\"], diagnosis = [\"x\"] }\n"
        "source = \"https://a\"\nbase = \"solution\"\nedit = [{ was = \"5\", is = \"4\" }]\n");
    Course other;
    other.catalogue("");
    const Mutants mutants = course.read();
    mutants.write(mutants.find("edited"), other.path() / "tests/mutants" / exercise / "edited");
    const Mutants written = other.read();
    EXPECT_TRUE(written.find("edited").is_whole());
    EXPECT_EQ(written.find("edited").about, mutants.find("edited").about);
    EXPECT_EQ(written.program(written.find("edited")), mutants.program(mutants.find("edited")));
}

TEST(Mutants, ThatAreNotWellWrittenAreRefusedByName) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"[a]\nmistake = \"x\"\n", "mutants.toml: a: has no `base`"},
        {"[a]\nbase = \"solution\"\n", "a `base` and what is changed in it belong together"},
        {"[apart]\nmistake = \"x\"\n", "mutants.toml lists it too"},
        {"[a]\nbase = \"gone\"\nedit = [{ was = \"5\", is = \"4\" }]\n", "its base gone is no whole program"},
        {"[a]\nbase = \"solution\"\nedit = [{ was = \"7\", is = \"4\" }]\n", "a: base solution: this stands 0 times"},
        {"[a]\nbase = \"solution\"\nedit = [{ was = \"7\" }]\n", "each edit is"},
        {"[a]\nbase = \"solution\"\nedits = []\n", "there is no key edits"},
        {"[a]\nbase = \n", "mutants.toml, line 2: "},
        {"[a]\nexpect = { stage = \"projection\" }\n",
         "mutants.toml: a: there is no stage \"projection\"; there are none, project, split, "},
        {"[a]\nstage = \"\"\n", "mutants.toml: a: there is no stage \"\"; there are none, "},
    };
    for (const auto& [text, part] : wrong) {
        Course course;
        course.catalogue(text);
        EXPECT_TRUE(says(course.why_refused(), part)) << text << course.why_refused();
    }
}

TEST(Mutants, InAFolderThatNothingDescribesAreRefused) {
    Course course;
    course.write("tests/mutants/" + exercise + "/forgotten/" + exercise + "/scores.cpp", "");
    EXPECT_TRUE(says(course.why_refused(), "forgotten: missing, and mutants.toml does not list it"));
}

TEST(Mutants, NearlyAnotherIsNoProgramOfItsOwn) {
    std::string solution, other;
    for (int i = 0; i < 30; ++i) {
        solution += "int a" + std::to_string(i) + ";\n";
        other += "int b" + std::to_string(i) + ";\n";
    }
    Course course;
    course.write("solutions/" + exercise + "/scores.cpp", solution);
    course.write("tests/mutants/" + exercise + "/apart/" + exercise + "/scores.cpp", other);
    course.write("tests/mutants/" + exercise + "/near/" + exercise + "/scores.cpp", other + "\nint c;\n");
    course.write("tests/mutants/" + exercise + "/right_but/" + exercise + "/scores.cpp", "int c;\n" + solution);
    course.catalogue("[near]\nmistake = \"m\"\n[right_but]\nmistake = \"m\"\n");
    EXPECT_EQ(course.read().near_copies(), (std::set<std::string>{"near", "right_but"}));
    EXPECT_EQ(lines_apart(solution, other), 60U);
    EXPECT_EQ(lines_apart("int a;\n\n", "int a;\nint b;\n"), 1U);
}

}  // namespace
}  // namespace headway::cli
