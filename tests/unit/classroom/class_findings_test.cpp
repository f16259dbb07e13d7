// What a class knows and does not know.
#include "classroom/class_findings.hpp"
#include "classroom/class_page.hpp"
#include "classroom/jplag.hpp"

#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headway::classroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr const char* mistake = "loop_never_ends";

/// A class that is graded, with the same mistake in two exercises.
struct Class {
    Class() {
        course.root = HEADWAY_SOURCE_DIR;
        for (const char* name : {"02_head_splitting", "04_merge_heads"}) {
            course.exercises.emplace_back().name = name;
            course.exercises.back().number = std::string(name).substr(0, 2);
            suites[name] = "suite";
        }
        edition = gradebook.propose({0, 1, "", suites});
        gradebook.apply(edition);
    }

    void hands_in(const std::string& student, const std::string& exercise, const std::string& lesson) {
        hands_in(student, exercise, lesson, "int of_" + student + ";");
    }
    void hands_in(const std::string& student, const std::string& exercise, const std::string& lesson,
                  const std::string& text, const std::string& entry = "") {
        const build::Submission source{exercise, {}, {{"a.cpp", text}}, {}};
        gradebook.record({0, student, entry.empty() ? student : entry, {}, "", "", {{exercise, source.digest()}}},
                         {source});
        verdict::NamedMistake named;
        named.id = mistake;
        named.title = "a loop never ends";
        named.lesson = lesson;
        gradebook::Graded graded;
        graded.exercise.name = exercise;
        graded.exercise.state = verdict::State::failed;
        graded.exercise.diagnosis.emplace().mistakes = {named};
        gradebook.store({exercise, source.digest(), "suite"}, graded);
    }

    ClassFindings findings(const std::string& class_toml = "") const {
        const auto policy = gradebook::MarkingPolicy::parse(class_toml, {"02_head_splitting", "04_merge_heads"});
        return find_out(gradebook, edition, gradebook::derive_marks(gradebook::record_of(gradebook, edition), policy),
                        course, {}, policy);
    }

    build::TemporaryFolder folder;
    gradebook::Gradebook gradebook{folder.path() / "gradebook.sqlite", gradebook::Access::read_write};
    std::map<std::string, std::string> suites;
    gradebook::Edition edition;
    cli::Course course;
};

TEST(ClassFindings, AMistakeIsOfTheExerciseThatItIsIn) {
    Class one;
    one.hands_in("s05", "02_head_splitting", "lessons/02");
    one.hands_in("s12", "04_merge_heads", "lessons/04");
    one.hands_in("s13", "04_merge_heads", "lessons/04");
    const ClassFindings findings = one.findings();
    const MistakeFinding& in_02 = findings.mistakes.at({"02_head_splitting", mistake});
    EXPECT_EQ(in_02.exercise, "02_head_splitting");
    EXPECT_EQ(in_02.lesson, "lessons/02");
    EXPECT_THAT(in_02.students, ElementsAre("s05"));
    const MistakeFinding& in_04 = findings.mistakes.at({"04_merge_heads", mistake});
    EXPECT_EQ(in_04.lesson, "lessons/04");
    EXPECT_THAT(in_04.students, ElementsAre("s12", "s13"));
    EXPECT_THAT(class_page(findings), HasSubstr(">s12 s13<"));
}

TEST(ClassFindings, WhatAGroupHandsInIsOneWork) {
    Class one;
    const std::string text = "float own(float* p, int n) { while (n--) *p++ *= 3; return n; }\n";
    one.hands_in("s1", "04_merge_heads", "", text);
    EXPECT_TRUE(one.findings("[groups]\nteam = ['s1', 's2']\n").rings.empty()) << "which counts for both";
    one.hands_in("s2", "04_merge_heads", "", text);
    EXPECT_TRUE(one.findings("[groups]\nteam = ['s1', 's2']\n").rings.empty());
    EXPECT_EQ(one.findings().rings.size(), 1U);
}

TEST(ClassFindings, WhatAGroupHandsInOnGradescopeIsOneWork) {
    Class one;
    const std::string text = "float own(float* p, int n) { while (n--) *p++ *= 3; return n; }\n";
    for (const char* student : {"s1", "s2"}) one.hands_in(student, "04_merge_heads", "", text, "submission_17");
    EXPECT_TRUE(one.findings().rings.empty());
    one.hands_in("s3", "04_merge_heads", "", text, "submission_18");
    ASSERT_EQ(one.findings().rings.size(), 1U) << "of them and somebody else";
    EXPECT_THAT(one.findings().rings[0].members[0].origin.students, ElementsAre("s1", "s2", "s3"));
}

std::vector<std::string> files_below(const std::filesystem::path& folder) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(folder));
    return files;
}

TEST(Jplag, GetsAFolderPerStudentAndWhatAllWereGiven) {
    Class one;
    one.hands_in("s05", "02_head_splitting", "");
    one.hands_in("s12", "04_merge_heads", "");
    one.hands_in("s13", "04_merge_heads", "");
    const auto folder = one.folder.path() / "it's";
    const JplagExport written = export_for_jplag(folder, one.course, one.gradebook, one.findings().marks);
    EXPECT_THAT(files_below(folder / "04_merge_heads"),
                UnorderedElementsAre("submissions/s12/a.cpp", "submissions/s13/a.cpp", "base/merge_heads.cpp",
                                     "base/merge_heads.hpp", "base/visible_test.cpp"));
    ASSERT_EQ(written.commands.size(), 1U) << "there is nothing to compare in 02";
    EXPECT_THAT(written.commands[0], HasSubstr("it'\\''s/04_merge_heads/base' -r "));
    EXPECT_THROW(export_for_jplag(folder, one.course, one.gradebook, {}), std::runtime_error)
        << "what is there already would be compared, too";
}

}  // namespace
}  // namespace headway::classroom
