// Every block of code of every lesson is compiled, fits a terminal, and comes with the headers that it needs.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace headway {
namespace {

namespace fs = std::filesystem;

const fs::path root{HEADWAY_SOURCE_DIR};

std::string contents(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// One block of a lesson, and the paragraph before it.
struct Block {
    fs::path lesson;
    std::string language, code, paragraph;
};

std::vector<Block> blocks_of_lessons() {
    std::vector<Block> blocks;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / "lessons")) {
        if (entry.path().extension() != ".md") continue;
        std::istringstream lines(contents(entry.path()));
        Block block{entry.path(), {}, {}, {}};
        bool inside = false;
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("```")) {
                if (inside) blocks.push_back(block);
                inside = !inside;
                block.language = line.substr(3);
                block.code.clear();
            } else if (inside) {
                block.code += line + '\n';
            } else if (!line.empty()) {
                block.paragraph = line;
            }
        }
    }
    return blocks;
}

/// Lines are broken elsewhere in a test than in a lesson.
std::string without_blanks(std::string text) {
    std::erase_if(text, [](unsigned char c) { return c == ' ' || c == '\n'; });
    return text;
}

TEST(BlocksOfCode, AreCompiled) {
    const std::string compiled = without_blanks(contents(root / "tests/lessons/code_in_lessons_test.cpp") +
                                                contents(root / "tests/lessons/last_runs.cpp"));
    int blocks = 0;
    for (const Block& block : blocks_of_lessons()) {
        if (block.language != "cpp" || block.lesson.parent_path() != root / "lessons") continue;
        EXPECT_TRUE(contains(compiled, without_blanks(block.code))) << block.lesson << "\n" << block.code;
        ++blocks;
    }
    EXPECT_GT(blocks, 20);
}

TEST(BlocksOfCode, FitATerminal) {
    const auto columns = [](const std::string& line) {
        return std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
    };
    for (const Block& block : blocks_of_lessons()) {
        if (block.language == "mermaid" || block.language == "math") continue;
        std::istringstream lines(block.code);
        for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), 80) << block.lesson << "\n" << line;
    }
}

/// What an exercise's visible test can use as it is.
std::string headers_of(const std::string& number) {
    std::string all;
    for (const fs::directory_entry& folder : fs::directory_iterator(root / "exercises"))
        if (folder.path().filename().string().starts_with(number + "_"))
            for (const fs::directory_entry& file : fs::directory_iterator(folder.path()))
                if (file.path().extension() == ".hpp" || file.path().filename() == "visible_test.cpp")
                    all += contents(file.path());
    return all;
}

TEST(BlocksOfCode, LastRunsNameTheHeadersThatTheyNeed) {
    int runs = 0;
    for (const Block& block : blocks_of_lessons()) {
        if (block.language != "cpp" || !block.code.starts_with("TEST(") || contains(block.code, "EXPECT_")) continue;
        const std::string at_hand = headers_of(block.lesson.filename().string().substr(0, 2)) + block.paragraph;
        const bool prints = contains(block.code, "std::cout"), draws = contains(block.code, "Random");
        EXPECT_TRUE(!prints || contains(at_hand, "<iostream>")) << block.lesson;
        EXPECT_TRUE(!draws || contains(at_hand, "<headway/random.hpp>") || contains(at_hand, "<headway/nn.hpp>"))
            << block.lesson;
        ++runs;
    }
    EXPECT_GT(runs, 10);
}

}  // namespace
}  // namespace headway
