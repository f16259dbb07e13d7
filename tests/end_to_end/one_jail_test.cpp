// A stranger's program tries to leave a file outside the jail, by every command that builds and runs one.
#include "headway.hpp"
#include "submission/digest.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <set>
#include <string>

namespace headway {
namespace {

namespace fs = std::filesystem;

class OneJail : public testing::Test {
protected:
    /// A solution that writes the marker as soon as it is loaded.
    void hand_in(const std::string& exercise, const std::string& file) {
        build::write_file(marker(), "");
        fs::permissions(marker(), fs::perms::all);
        fs::permissions(desk.folder(), fs::perms::all);
        desk.write(
            exercise + "/" + file,
            solution(exercise + "/" + file) +
                fmt::format("#include <cstdio>\n__attribute__((constructor)) static void at_start() {{\n"
                            "    if (std::FILE* file = std::fopen(\"{}\", \"w\")) std::fputs(\"escaped\", file);\n}}\n",
                            marker().string()));
    }
    fs::path marker() const { return desk.folder() / "marker"; }
    std::string escaped() const { return build::read_file(marker()); }

    Desk desk;
};

TEST_F(OneJail, HoldsWhileCoverageIsMeasured) {
    hand_in("01_single_head", "single_head.cpp");
    const fs::path page = desk.folder() / "verdict.html";
    const fs::path json = desk.folder() / "verdict.json";
    const auto graded = desk.headway(
        {"grade", "01", "--submission", desk.submission().string(), "--html", page.string(), "--json", json.string()});
    EXPECT_EQ(graded.ended.exit_code, 0) << graded.output;
    EXPECT_EQ(escaped(), "");
    EXPECT_NE(build::read_file(page).find("lines of single_head.cpp"), std::string::npos) << "nothing was measured";
    const auto verdict = verdict::from_json(nlohmann::json::parse(build::read_file(json)));
    for (const char* run : {"compilation", "tests, plain build", "tests, sanitized build", "coverage"})
        EXPECT_NE(verdict.exercises.at(0).jails->at(run), "none") << run;
}

/// A verdict of exercise 01, with this as its one source, and with a page, for which its lines are counted.
verdict::Exercise graded_with_page(Desk& desk, const std::string& source) {
    desk.write("01_single_head/single_head.cpp", source);
    const fs::path json = desk.folder() / "verdict.json";
    desk.headway({"grade", "01", "--submission", desk.submission().string(), "--json", json.string(), "--html",
                  (desk.folder() / "verdict.html").string()});
    return verdict::from_json(nlohmann::json::parse(build::read_file(json))).exercises.at(0);
}

std::set<std::string> stamped_runs(const verdict::Exercise& exercise) {
    std::set<std::string> runs;
    for (const auto& [run, jail] : *exercise.jails) runs.insert(run);
    return runs;
}

TEST_F(OneJail, IsStampedOfWhatHasRunAndOfNothingElse) {
    EXPECT_EQ(stamped_runs(graded_with_page(desk, "no C++")), (std::set<std::string>{"compilation"}));
    const auto ends_at_once = graded_with_page(
        desk, solution("01_single_head/single_head.cpp") +
                  "#include <unistd.h>\n__attribute__((constructor)) static void at_start() { ::_exit(0); }\n");
    EXPECT_TRUE(ends_at_once.coverage.empty()) << "something was counted";
    EXPECT_EQ(stamped_runs(ends_at_once), (std::set<std::string>{"compilation", "tests, plain build",
                                                                 "tests, sanitized build", "coverage", "diagnosis"}));
}

TEST_F(OneJail, HoldsInALab) {
    hand_in("05_module", "module.cpp");
    const fs::path output = desk.folder() / "pictures";
    const auto done = desk.headway(
        {"lab", "cost", "--quick", "--submission", desk.submission().string(), "--output", output.string()});
    EXPECT_EQ(done.ended.exit_code, 0) << done.output;
    EXPECT_EQ(escaped(), "");
    EXPECT_TRUE(fs::exists(output / "cost.html"));
}

/// In place of the lab's numbers a program leaves JSON that is nested deeply. To print it once took a call per level.
TEST_F(OneJail, ALabsNumbersAreShallow) {
    desk.write("05_module/module.cpp",
               solution("05_module/module.cpp") +
                   "#include <cstdio>\n#include <cstring>\nstatic const char* place = nullptr;\n"
                   "__attribute__((constructor)) static void at_start(int argc, char** argv) {\n"
                   "    for (int i = 0; i + 1 < argc; ++i)\n"
                   "        if (std::strcmp(argv[i], \"--json\") == 0) place = argv[i + 1];\n}\n"
                   "__attribute__((destructor)) static void at_end() {\n"
                   "    std::FILE* file = place ? std::fopen(place, \"w\") : nullptr;\n    if (!file) return;\n"
                   "    for (const char bracket : {'[', ']'})\n"
                   "        for (int i = 0; i < 1'000'000; ++i) std::fputc(bracket, file);\n"
                   "    std::fclose(file);\n}\n");
    const fs::path numbers = desk.folder() / "numbers.json";
    const auto done = desk.headway({"lab", "cost", "--quick", "--submission", desk.submission().string(), "--output",
                                    (desk.folder() / "pictures").string(), "--json", numbers.string()});
    EXPECT_EQ(done.ended.signal, 0);
    EXPECT_EQ(done.ended.exit_code, 0) << done.output;
    EXPECT_TRUE(says(done, "the numbers are left out"));
    EXPECT_FALSE(fs::exists(numbers));
}

/// Each of its processes has less memory than the lab may use.
TEST_F(OneJail, ALabIsStoppedAtTheMemoryOfAllItsProcesses) {
    desk.write("../policy.toml", "[compiler]\nmemory_mib = 1536\n");
    desk.write("05_module/module.cpp",
               solution("05_module/module.cpp") +
                   "#include <cstdlib>\n#include <cstring>\n#include <unistd.h>\nstatic void* volatile kept;\n"
                   "__attribute__((constructor)) static void at_start() {\n"
                   "    for (int i = 0; i < 4; ++i) {\n        if (::fork() != 0) continue;\n"
                   "        kept = std::malloc(512 << 20);\n        std::memset(kept, 1, 512 << 20);\n"
                   "        for (;;) ::pause();\n    }\n}\n");
    const auto begin = std::chrono::steady_clock::now();
    const auto done = desk.headway({"lab", "cost", "--quick", "--submission", desk.submission().string(), "--output",
                                    (desk.folder() / "pictures").string()});
    EXPECT_EQ(done.ended.exit_code, 1) << done.output;
    EXPECT_TRUE(says(done, "the lab was stopped: it used more than 1536 MiB of memory"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(200));
}

/// Objects that are large, though few: 160 MiB for each build, which no worker is linked from.
TEST_F(OneJail, AGradingLeavesLittle) {
    desk.write("01_single_head/single_head.cpp", solution("01_single_head/single_head.cpp"));
    for (const char* name : {"a", "b", "c", "d"})
        desk.write(fmt::format("01_single_head/{}.cpp", name),
                   fmt::format("extern char {0}[40 << 20];\nchar {0}[40 << 20] = {{1}};\n", name));
    EXPECT_EQ(desk.grade("01").state, verdict::State::failed);
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(desk.folder() / "state/work"))
        if (entry.is_regular_file()) bytes += entry.file_size();
    EXPECT_LT(bytes, std::uintmax_t{128} << 20U);
    EXPECT_GT(bytes, 0U) << "the result stays";
}

TEST_F(OneJail, AWorkerThatDoesNotEndIsWaitedForOnce) {
    desk.write("03_scaled_scores/scaled_scores.cpp",
               solution("03_scaled_scores/scaled_scores.cpp") +
                   "#include <unistd.h>\nstruct Stay {\n    ~Stay() {\n        for (;;) ::pause();\n    }\n};\n"
                   "static Stay stay;\n");
    const auto begin = std::chrono::steady_clock::now();
    desk.headway({"grade", "03", "--submission", desk.submission().string(), "--html",
                  (desk.folder() / "verdict.html").string()});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(OneJail, TryTakesNoOtherFolder) {
    hand_in("01_single_head", "single_head.cpp");
    EXPECT_EQ(desk.headway({"try", "01", "--submission", desk.submission().string()}).ended.exit_code, 2);
    EXPECT_EQ(escaped(), "");
}

}  // namespace
}  // namespace headway
