// What learners are told: the words of whole verdicts on the mistakes of learner_words.toml.
#include "headway.hpp"

#include "verify/changed_program.hpp"

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <regex>
#include <sstream>

namespace headway {
namespace {

namespace fs = std::filesystem;

const fs::path here = fs::path(HEADWAY_SOURCE_DIR) / "tests" / "end_to_end";

struct Learner {
    std::string name;
    std::string exercise;
    cli::Changes changes;
    std::vector<std::string> says;
    std::vector<std::string> never;
};

void PrintTo(const Learner& learner, std::ostream* out) { *out << learner.name; }

std::vector<std::string> texts(const toml::node* node) {
    std::vector<std::string> all;
    if (node != nullptr)
        for (const toml::node& text : *node->as_array()) all.push_back(text.value<std::string>().value());
    return all;
}

std::vector<Learner> learners() {
    std::vector<Learner> all;
    for (const auto& [name, node] : toml::parse_file((here / "learner_words.toml").string())) {
        const toml::table& entry = *node.as_table();
        Learner& learner = all.emplace_back();
        learner.name = name.str();
        learner.exercise = entry.at("exercise").value<std::string>().value();
        if (const toml::node* edits = entry.get("edit"))
            for (const toml::node& edit : *edits->as_array())
                learner.changes.edits.push_back({edit.as_table()->at("was").value<std::string>().value(),
                                                 edit.as_table()->at("is").value<std::string>().value()});
        if (const toml::node* replaces = entry.get("replaces"))
            for (const auto& [function, text] : *replaces->as_table())
                learner.changes.replaces.emplace(function.str(), text.value<std::string>().value());
        learner.says = texts(entry.get("says"));
        learner.never = texts(entry.get("never"));
    }
    return all;
}

/// The solution's file, relative to solutions/.
std::string file_of(const std::string& exercise) {
    const fs::path solutions = fs::path(HEADWAY_SOURCE_DIR) / "solutions";
    for (const auto& folder : fs::directory_iterator(solutions))
        if (folder.path().filename().string().starts_with(exercise))
            for (const auto& file : fs::directory_iterator(folder.path()))
                if (file.path().extension() == ".cpp") return file.path().lexically_relative(solutions).string();
    throw std::runtime_error("no solution of " + exercise);
}

/// In one line, without the points that end some lines, and one space between words.
std::string in_one_line(const std::string& text) {
    static const std::regex points(R"( +[0-9]+ / +[0-9]+$)");
    std::string whole;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(std::regex_replace(line, points, ""));
        for (std::string word; words >> word;) whole += (whole.empty() ? "" : " ") + word;
    }
    return whole;
}

std::string read_all(const fs::path& file) {
    std::ifstream text(file);
    return {std::istreambuf_iterator<char>(text), {}};
}

class LearnersWords : public testing::TestWithParam<Learner> {};

TEST_P(LearnersWords, SayWhatIsWrongAndNothingElse) {
    const Learner& learner = GetParam();
    ASSERT_FALSE(learner.says.empty() && learner.never.empty());
    const std::string file = file_of(learner.exercise);
    Desk desk;
    desk.write(file, cli::changed_program(solution(file), learner.changes));
    const auto finished = desk.headway({"grade", learner.exercise, "--submission", desk.submission().string()});
    const std::string told = in_one_line(finished.output);
    EXPECT_EQ(finished.ended.exit_code, 1) << finished.output;
    for (const std::string& words : learner.says)
        EXPECT_NE(told.find(words), std::string::npos) << "is not told: " << words << "\n" << finished.output;
    for (const std::string& words : learner.never)
        EXPECT_EQ(told.find(words), std::string::npos) << "is told: " << words << "\n" << finished.output;
}

/// A header and the hints that go with it say the same of what broadcasts.
TEST(HeadersAndHints, SayWhatMayBeLetThrough) {
    const auto says_in = [](const char* file, const char* words) {
        const std::string text = read_all(fs::path(HEADWAY_SOURCE_DIR) / "exercises" / file);
        EXPECT_NE(in_one_line(text).find(words), std::string::npos) << file << " does not say: " << words;
    };
    says_in("01_single_head/single_head.hpp", "(what broadcasts may be let through)");
    says_in("01_single_head/exercise.toml", "(those that broadcast may be let through)");
    says_in("09_grouped_query/grouped_query.hpp", "(q, k and v do not");
}

/// `NAME_in_K`: each takes seconds, so ./headway test runs one eighth with each commit (scripts/test.sh).
std::string name_of_learner(const testing::TestParamInfo<Learner>& learner) {
    return learner.param.name + "_in_" + std::to_string(learner.index % 8);
}

INSTANTIATE_TEST_SUITE_P(Each, LearnersWords, testing::ValuesIn(learners()), name_of_learner);

}  // namespace
}  // namespace headway
