// What beginners are told of their errors: each program in beginners/programs.txt, as g++ and as clang++ speak of it.
#include "build/own_messages.hpp"
#include "submission/digest.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace headway::build {
namespace {

namespace fs = std::filesystem;

const fs::path beginners = fs::path(HEADWAY_SOURCE_DIR) / "tests/unit/build/beginners";
const NamesForStudent names{"01_single_head", "exercises/01_single_head", "/course/", "/desk/"};

/// What follows each line that begins with "==== ", by what stands on that line.
std::vector<std::pair<std::string, std::string>> sections(const fs::path& file) {
    std::vector<std::pair<std::string, std::string>> found;
    std::istringstream lines(read_file(file));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("==== "))
            found.emplace_back(line.substr(5), "");
        else if (!found.empty())
            found.back().second += line + "\n";
    return found;
}

struct Compiler {
    std::string file;
    bool is_clang;
};

void PrintTo(const Compiler& compiler, std::ostream* out) { *out << compiler.file; }

class Beginners : public testing::TestWithParam<Compiler> {
protected:
    /// HEADWAY_SAID: a folder that record.py wrote with the compilers of this machine.
    std::map<std::string, std::string> said() const {
        const char* fresh = std::getenv("HEADWAY_SAID");
        std::map<std::string, std::string> by_name;
        for (const auto& [name, words] : sections((fresh != nullptr ? fs::path(fresh) : beginners) / GetParam().file))
            by_name[name] = words;
        return by_name;
    }
};

TEST_P(Beginners, AreToldTheirOwnLineAndTheCoursesSentence) {
    const auto words = said();
    const auto programs = sections(beginners / "programs.txt");
    ASSERT_GT(programs.size(), 80U);
    for (const auto& [head, text] : programs) {
        std::istringstream fields(head);
        std::string name, kind, line_of_gcc, line_of_clang, sentence;
        fields >> name >> kind >> line_of_gcc >> line_of_clang >> std::ws;
        std::getline(fields, sentence);
        SCOPED_TRACE(name);
        ASSERT_TRUE(words.contains(name));
        const std::string line = GetParam().is_clang ? line_of_clang : line_of_gcc;
        const auto messages = own_messages(kind == "error" ? Severity::error : Severity::warning, words.at(name),
                                           {{name + ".cpp", text}}, names);
        if (line == "-") continue;
        if (const std::size_t bar = sentence.find(" || "); bar != std::string::npos)
            sentence = GetParam().is_clang ? sentence.substr(bar + 4) : sentence.substr(0, bar);
        ASSERT_FALSE(messages.empty());
        EXPECT_EQ(std::to_string(messages.front().at.line), line);
        EXPECT_THAT(messages.front().advice, testing::StartsWith(sentence));
        EXPECT_THAT(messages.front().marks, testing::HasSubstr("^")) << messages.front().at.text;
        EXPECT_THAT(messages.front().text, testing::Not(testing::HasSubstr("‘")));
        for (const std::string& note : messages.front().notes)
            EXPECT_THAT(note, testing::Not(testing::HasSubstr("/course/")));
    }
}

INSTANTIATE_TEST_SUITE_P(Compilers, Beginners, testing::Values(Compiler{"gcc.txt", false}, Compiler{"clang.txt", true}),
                         [](const auto& one) { return one.param.is_clang ? "Clang" : "Gcc"; });

}  // namespace
}  // namespace headway::build
