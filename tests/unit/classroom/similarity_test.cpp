// Which programs are alike in more than the task explains.
#include "classroom/course_material.hpp"

#include "submission/digest.hpp"

#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "classroom/disguises.hpp"

namespace headway::classroom {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::filesystem::path root = HEADWAY_SOURCE_DIR;

/// Kinds alone, of one file.
std::vector<std::string> kinds(const std::string& text) {
    std::vector<std::string> result;
    for (const Token& token : tokens_of({{"a.cpp", text}}, {"matmul"})) result.push_back(token.kind);
    return result;
}

TEST(ProgramTokens, WhatCanBeChangedWithoutAThoughtDoesNotCount) {
    const auto plain = kinds("for (int i = 0; i < n; ++i) x[i] *= 2.5f;");
    for (const char* other :
         {"for(int column=1;column<width;\n++column){\n values[column]*=0.5; /* other */ }",
          "for (std::size_t i = 0; n > i; i++) { x[i] *= 2; } // scale", "for (auto i = 0L; i < n; ++i) x[i] *= 2;",
          "for (const long i = 0; i < n; i++) x[i] *= 2;"})
        EXPECT_EQ(kinds(other), plain) << other;
    EXPECT_EQ(kinds("if (a) throw std::invalid_argument(\"a\" + std::to_string(a));"),
              kinds("if (b) { throw Own{}; }"));
    EXPECT_EQ(kinds("auto y = static_cast<float>(x);"), kinds("const float y = float(x);"));
    EXPECT_EQ(kinds("namespace a::b { int x = std::max(y, 1); }"), kinds("using namespace std;\nint x = max(y, 1);"));
}

TEST(ProgramTokens, WhatAProgramDoesCounts) {
    EXPECT_NE(kinds("x = a + b;"), kinds("x = a - b;"));
    EXPECT_NE(kinds("y = matmul(a, b);"), kinds("y = product(a, b);")) << "the library's functions cannot be renamed";
    EXPECT_EQ(kinds("y = sum(a, b);"), kinds("y = product(a, b);"));
}

TEST(ProgramTokens, KnowTheirLinesAndFiles) {
    const auto tokens = tokens_of({{"a.cpp", "int\n\na;"}, {"b.cpp", "b;"}}, {});
    ASSERT_EQ(tokens.size(), 6U);
    EXPECT_EQ(tokens[1].line, 3);
    EXPECT_EQ(tokens[3].kind, "") << "between two files";
    EXPECT_EQ(tokens[4].file, 1U);
}

TEST(ProgramTokens, TakeAnyText) {
    for (const char* text : {"", "\"", "'", "/*", "#", "#define", "\\", "//", "\"\\", "\xff\xfe", "vector<", "throw",
                             "namespace", "++", "a::", "static_cast", "[["})
        kinds(text);
    EXPECT_EQ(kinds("\"// no comment\" #"), (std::vector<std::string>{"text", "#"}));
}

/// What the mark behind a `using` is, is not sought anew from the next one: that took hours.
TEST(ProgramTokens, WordsWithoutEndTakeNoLongTime) {
    for (const std::string word : {"using ", "namespace ", "throw ", "auto<", "a_cast<"}) {
        std::string text = "#if 0\n";
        for (int i = 0; i < 200'000; ++i) text += word;
        const std::clock_t begin = std::clock();  // of this process: others may keep it waiting
        kinds(text + "=\n#endif\n");
        EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC) << word;
    }
    EXPECT_EQ(kinds("using a = b; using c = d;"), kinds("using e = f; using g = h;"));
    EXPECT_EQ(kinds("using namespace a; using b::c; using d = e;"), kinds("using d = e;"));
}

/// What the course has of each exercise, and its right programs.
struct Exercise {
    explicit Exercise(const std::string& exercise_name) : name(exercise_name) {
        cli::Course course;
        course.root = root;
        cli::ExerciseInfo info;
        info.name = name;
        material = material_of(course, info);
        common = CommonKnowledge(material.given, material.accepted);
    }
    std::string solution() const { return material.solution.front().text; }
    std::string accepted(const std::string& style) const {
        const std::string file = name.substr(name.find('_') + 1) + ".cpp";
        return build::read_file(root / "tests/accepted" / name / style / name / file);
    }
    Fingerprints prints(const std::string& text) const {
        return fingerprints_of(tokens_of({{"a.cpp", text}}, material.names));
    }
    Likeness likeness(const std::string& a, const std::string& b) const {
        return common.likeness(prints(a), prints(b));
    }
    bool are_alike(const std::string& a, const std::string& b) const { return common.is_worth_a_look(likeness(a, b)); }

    std::string name;
    CourseMaterial material;
    CommonKnowledge common{{}, {}};
};

TEST(Similarity, ACopyIsFoundInEveryDisguise) {
    for (const char* name : {"01_single_head", "03_scaled_scores", "08_kv_cache"}) {
        const Exercise exercise(name);
        const std::string original = exercise.solution();
        for (unsigned seed = 1; seed <= 5; ++seed) {
            Disguise disguise(seed, exercise.material.names);
            const std::string renamed = disguise.rename(original);
            ASSERT_NE(renamed, original);
            EXPECT_GT(exercise.likeness(original, renamed).share, 0.9);
            EXPECT_TRUE(exercise.are_alike(original, disguise.reformat(renamed)));
            EXPECT_TRUE(exercise.are_alike(original, disguise.reorder(renamed)));
            EXPECT_TRUE(exercise.are_alike(original, disguise.swap(renamed, 0.5)));
            EXPECT_TRUE(exercise.are_alike(original, disguise.stuff(renamed, 0.5)));
            EXPECT_TRUE(exercise.are_alike(original, disguise.everything(original, 0.25))) << name << seed;
        }
    }
}

TEST(Similarity, ACopyIsFoundWhateverItStandsBehind) {
    const Exercise exercise("03_scaled_scores");
    const std::string original = exercise.solution();
    const std::string code = std::regex_replace(original, std::regex("#include[^\n]*|//[^\n]*"), "");
    const std::string line = std::regex_replace(code, std::regex("\n"), " ");
    for (const std::string& hidden :
         {"#define OWN " + line + "\nOWN\n", "%:define OWN " + line + "\nOWN\n", "int a = 1'0; " + line + "\n",
          "auto a = R\"(\")\"; " + line + "\n", "#define OWN \\\n" + line + "\nOWN\n",
          exercise.accepted("raw_pointers") + original})
        EXPECT_TRUE(exercise.are_alike(original, hidden)) << hidden.substr(0, 20);
}

/// Right programs in other styles, each weighed by all the others.
// Sanitizers make each pair five times as slow.
#ifdef HEADWAY_ASAN
constexpr std::size_t every = 5;
#else
constexpr std::size_t every = 1;
#endif

TEST(Similarity, ProgramsWrittenApartFromEachOtherAreNotAlike) {
    std::size_t met = 0;
    std::size_t pairs = 0;
    std::size_t named = 0;
    for (const auto& entry : std::filesystem::directory_iterator(root / "tests/accepted")) {
        if (!entry.is_directory()) continue;
        const Exercise exercise(entry.path().filename());
        for (std::size_t i = 0; i < exercise.material.accepted.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                if (met++ % every != 0) continue;
                ++pairs;
                std::vector<Fingerprints> others = exercise.material.accepted;
                const Fingerprints a = others[i];
                const Fingerprints b = others[j];
                others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
                others.erase(others.begin() + static_cast<std::ptrdiff_t>(j));
                const CommonKnowledge common(exercise.material.given, others);
                if (common.is_worth_a_look(common.likeness(a, b))) ++named;
            }
    }
    EXPECT_GT(pairs, 600 / every);
    EXPECT_LE(named, 1U) << "two programs of 08 have their helpers in common";
}

TEST(Similarity, WhatIsGivenCountsNothing) {
    const Exercise exercise("03_scaled_scores");
    const std::string stub = build::read_file(root / "stubs/03_scaled_scores/scaled_scores.cpp");
    EXPECT_EQ(exercise.likeness(stub, stub).evidence, 0);
    EXPECT_EQ(exercise.common.weight_of(
                  exercise.prints(build::read_file(root / "exercises/03_scaled_scores/visible_test.cpp"))),
              0);
}

/// An instructor may have tried something in exercises/; nobody has been given that.
TEST(CourseMaterial, WhatIsTriedInExercisesIsNotGiven) {
    const std::string tried = "int own(int a) { return a * 3 + 4 - a / 2 % 5; }\n";
    const std::string stub = "int own(int a) { return (a << 3) ^ (a | 5) ^ ~a; }\n";
    const build::TemporaryFolder folder;
    folder.write("stubs/11_own/own.cpp", stub);
    folder.write("exercises/11_own/own.cpp", tried);
    folder.write("exercises/11_own/own.hpp", "int own(int a);\n");
    cli::Course course;
    course.root = folder.path();
    cli::ExerciseInfo info;
    info.name = "11_own";
    const CourseMaterial material = material_of(course, info);
    const CommonKnowledge common(material.given, material.accepted);
    const auto weight = [&](const std::string& text) {
        return common.weight_of(fingerprints_of(tokens_of({{"a.cpp", text}}, material.names)));
    };
    EXPECT_EQ(weight(stub), 0);
    EXPECT_GT(weight(tried), 5);
    EXPECT_TRUE(material.solution.empty()) << "an exercise of one's own needs none";
}

Fingerprints numbers(std::uint64_t first, std::uint64_t count) {
    Fingerprints prints;
    for (std::uint64_t i = 0; i < count; ++i) prints.push_back(first + i);
    return prints;
}

TEST(Similarity, WhatIndependentProgramsHaveInCommonCountsLess) {
    const CommonKnowledge common(numbers(1, 10), {numbers(5, 20), numbers(15, 20), numbers(15, 5)});
    EXPECT_EQ(common.weight(7), 0) << "given";
    EXPECT_EQ(common.weight(1000), 1);
    EXPECT_LT(common.weight(16), common.weight(30));
    EXPECT_EQ(common.weight(16), 0) << "all of them have it";
    EXPECT_EQ(common.least_share(), CommonKnowledge::highest_share) << "three programs say little of what is usual";
}

std::vector<Ring> rings_of(const std::vector<Fingerprints>& documents) {
    Rings rings;
    for_each_alike(documents, CommonKnowledge({}, {}), [&](const Alike& pair) { rings.add(pair); });
    return rings.take();
}

TEST(Rings, AreFoundHoweverMuchOfTheClassTheyAre) {
    for (const std::size_t size : {2U, 5U, 25U, 36U}) {
        std::vector<Fingerprints> documents;
        for (std::uint64_t i = 0; i < 37; ++i) documents.push_back(numbers(i < size ? i : 1000 * i, 100));
        const auto rings = rings_of(documents);
        ASSERT_EQ(rings.size(), 1U);
        EXPECT_EQ(rings[0].members.size(), size);
    }
}

TEST(Rings, AreJoinedByTheirPairsAndTheLargestComesFirst) {
    const auto rings = rings_of(
        {numbers(0, 100), numbers(500, 100), numbers(20, 100), numbers(40, 100), numbers(510, 100), numbers(900, 100)});
    ASSERT_EQ(rings.size(), 2U);
    EXPECT_THAT(rings[0].members, ElementsAre(0, 2, 3)) << "0 and 3 have 60 of 100 in common, both 80 with 2";
    EXPECT_EQ(rings[0].centre, 2U);
    EXPECT_THAT(rings[1].members, ElementsAre(1, 4));
    EXPECT_NEAR(rings[1].closest[0].likeness.share, 0.9, 1e-9);
}

TEST(Rings, ALittleInCommonIsNoSign) {
    EXPECT_THAT(rings_of({numbers(0, 39), numbers(0, 39)}), IsEmpty());
    EXPECT_EQ(rings_of({numbers(0, 40), numbers(0, 40)}).size(), 1U);
    EXPECT_THAT(rings_of({}), IsEmpty());
}

}  // namespace
}  // namespace headway::classroom
