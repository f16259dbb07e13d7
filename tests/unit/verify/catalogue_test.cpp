// What the wrong submissions of the course must be, beyond what verify finds out by grading them.
#include "diagnosis/catalogue.hpp"
#include "verify/mutants.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

namespace headway::cli {
namespace {

const std::filesystem::path tests = std::filesystem::path(HEADWAY_SOURCE_DIR) / "tests";

/// The exercises that have mutants.
std::vector<std::string> exercises() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(tests / "mutants"))
        if (entry.is_directory()) names.push_back(entry.path().filename().string());
    return names;
}

TEST(MutantCatalogue, EveryProgramCanBeMade) {
    for (const std::string& exercise : exercises()) {
        const Mutants mutants(HEADWAY_SOURCE_DIR, exercise);
        std::set<std::map<std::string, std::string>> programs;
        for (const Mutant& mutant : mutants.all())
            EXPECT_TRUE(programs.insert(mutants.program(mutant)).second)
                << exercise << " " << mutant.name << " is another's";
    }
}

TEST(MutantCatalogue, RightCodeAroundMistakesIsVaried) {
    for (const std::string& exercise : exercises()) {
        const Mutants mutants(HEADWAY_SOURCE_DIR, exercise);
        std::size_t whole = 0;
        std::map<std::string, std::size_t> on_base;
        for (const Mutant& mutant : mutants.all()) ++(mutant.is_whole() ? whole : on_base[mutant.base]);
        EXPECT_GE(4 * whole, mutants.all().size()) << exercise << ": a quarter must be programs of their own";
        for (const auto& [base, count] : on_base)
            EXPECT_LE(5 * count, mutants.all().size()) << exercise << ": more than a fifth are changes of " << base;
    }
}

/// The names that an accepted.toml gives, one in each line.
std::set<std::string> listed(const std::filesystem::path& file) {
    std::set<std::string> names;
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);)
        if (!line.empty() && line.front() != '#') names.insert(line.substr(0, line.find(' ')));
    return names;
}

TEST(AcceptedVariants, SayWhatIsDifferentInThem) {
    for (const std::string& exercise : exercises()) {
        const std::filesystem::path folder = tests / "accepted" / exercise;
        std::set<std::string> names = listed(folder / "accepted.toml");
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            if (entry.is_directory()) {
                EXPECT_TRUE(names.erase(entry.path().filename().string()) == 1 ||
                            exists(entry.path() / "accepted.toml"))
                    << entry.path() << " is not in accepted.toml";
            }
        EXPECT_TRUE(names.empty()) << folder << " has no " << *names.begin();
    }
}

TEST(MutantCatalogue, MakesEveryMistakeThatHasAName) {
    std::set<std::string> made;
    for (const std::string& exercise : exercises())
        for (const Mutants mutants(HEADWAY_SOURCE_DIR, exercise); const Mutant& mutant : mutants.all())
            made.insert(mutant.diagnosis.begin(), mutant.diagnosis.end());
    for (const diagnosis::Mistake& mistake : diagnosis::mistakes()) {
        if (mistake.equivalent) continue;
        EXPECT_EQ(made.erase(std::string(mistake.id)), 1U) << "no mutant makes " << mistake.id;
    }
    EXPECT_TRUE(made.empty()) << *made.begin() << " is expected of a mutant and not in the catalogue";
}

}  // namespace
}  // namespace headway::cli
