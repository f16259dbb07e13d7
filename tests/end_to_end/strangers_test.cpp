// What strangers choose, names and words, is never an option, a command or a reason to give no verdict; and what is
// secret from them is told to nobody.
#include "headway.hpp"

#include "submission/digest.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <regex>

namespace headway {
namespace {

namespace fs = std::filesystem;

constexpr const char* file = "01_single_head/single_head.cpp";

/// Right but for a read past the end, which only sanitizers see.
std::string solution_with_a_memory_error() {
    return single_head_with_softmax(
        "const Tensor right = softmax_rows_of_the_solution(scores); float* beyond = new float[8]; volatile int at = 8; "
        "volatile float seen = beyond[at]; (void)seen; delete[] beyond; return right;");
}

TEST(Names, AFileOfOptionsDoesNotSwitchSanitizersOff) {
    Desk desk;
    desk.write("01_single_head/real.hpp", solution_with_a_memory_error());
    desk.write("01_single_head/@opts.cpp", "-fno-sanitize=all -x c++ real.hpp");
    const verdict::Exercise exercise = desk.grade("01");
    EXPECT_EQ(exercise.state, verdict::State::failed);
    EXPECT_EQ(exercise.points, 0);
    EXPECT_NE(exercise.build.message.find("@opts.cpp"), std::string::npos) << exercise.build.message;
    EXPECT_NE(exercise.build.message.find("Rename it"), std::string::npos) << exercise.build.message;
}

TEST(Names, AnOptionAsANameIsRefused) {
    Desk desk;
    desk.write(file, solution(file));
    desk.write("01_single_head/--version.cpp", "");
    const verdict::Exercise exercise = desk.grade("01");
    EXPECT_EQ(exercise.state, verdict::State::failed);
    EXPECT_NE(exercise.build.message.find("--version.cpp"), std::string::npos) << exercise.build.message;
}

TEST(Names, OddOnesThatMeanNothingAreNoMistake) {
    Desk desk;
    desk.write("01_single_head/größe (1) 100% it's.cpp", solution(file));
    desk.write("01_single_head/parts/a.cpp", "int from_folder() { return 1; }\n");
    desk.write("01_single_head/parts+a.cpp", "int from_name() { return 1; }\n");
    desk.write("01_single_head/parts+-a.cpp", "int from_other_name() { return 1; }\n");
    desk.write("01_single_head/@eaDir/single_head.cpp@SynoEAStream", "no source");
    const verdict::Exercise exercise = desk.grade("01");
    EXPECT_EQ(exercise.state, verdict::State::passed) << exercise.build.message << exercise.build.diagnostics;
}

TEST(Words, ThatAreNoUtf8SpoilNoDocument) {
    Desk desk;
    desk.write(file, "#error caf\xe9 \xff \x1b[2J \xe2\x80\xae\n");
    const auto results = desk.folder() / "results.json";
    const auto finished =
        desk.headway({"grade", "01", "--submission", desk.submission().string(), "--gradescope", results.string()});
    EXPECT_EQ(finished.ended.exit_code, 1) << finished.output;
    ASSERT_TRUE(fs::exists(results));
    const std::string text = build::read_file(results);
    EXPECT_FALSE(nlohmann::json::parse(text, nullptr, false).is_discarded());
    EXPECT_EQ(text.find("\\u001b"), std::string::npos);
}

TEST(Words, AreNoCommandsToARunner) {
    Desk desk;
    desk.write(file,
               single_head_with_softmax("throw std::runtime_error(std::string(60, 'x') + \" ::error::forged\");"));
    const auto finished = desk.headway({"grade", "01", "--submission", desk.submission().string(), "--github"});
    std::smatch off;
    ASSERT_TRUE(std::regex_search(finished.output, off, std::regex("::stop-commands::([0-9a-f]{16})\n")))
        << finished.output.substr(0, 400);
    const auto on = finished.output.find("\n::" + off[1].str() + "::\n");
    ASSERT_NE(on, std::string::npos);
    EXPECT_LT(static_cast<std::size_t>(off.position()), finished.output.find("threw"));
    EXPECT_LT(on, finished.output.find("\n::error file="));
    EXPECT_GT(on, finished.output.find("points"));
}

/// What any user of this machine may read of its processes.
std::vector<std::string> command_lines() {
    std::vector<std::string> lines;
    std::error_code gone;
    for (const auto& process : fs::directory_iterator("/proc", gone)) try {
            if (const std::string line = build::read_file(process.path() / "cmdline"); !line.empty())
                lines.push_back(line);
        } catch (const std::exception&) {
            // it has ended, or is no process
        }
    return lines;
}

TEST(TheSeed, OfAFileIsInNoCommandLineAndInNothingThatIsWritten) {
    const std::string seed = "8104739265017394";
    Desk desk;
    desk.write(file, solution(file));
    const auto seed_file = desk.folder() / "seed";
    build::write_file(seed_file, seed + "\n");
    auto grading = std::async(std::launch::async, [&] {
        return desk.headway({"grade", "01", "--submission", desk.submission().string(), "--seed-file",
                             seed_file.string(), "--verbose", "--json", (desk.folder() / "v.json").string(), "--html",
                             (desk.folder() / "v.html").string()});
    });
    bool judge_was_seen = false;
    while (grading.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready)
        for (const std::string& line : command_lines()) {
            judge_was_seen |= line.find("headway-judge") != std::string::npos;
            ASSERT_EQ(line.find(seed), std::string::npos) << line;
        }
    EXPECT_TRUE(judge_was_seen);
    EXPECT_EQ(grading.get().output.find(seed), std::string::npos);
    for (const char* written : {"v.json", "v.html"}) {
        const std::string text = build::read_file(desk.folder() / written);
        EXPECT_FALSE(text.empty());
        EXPECT_EQ(text.find(seed), std::string::npos) << written;
    }
}

}  // namespace
}  // namespace headway
