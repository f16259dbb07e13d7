// Every entry of the catalogue can be shown to a student: its texts are there, and the lesson that it sends to exists.
#include "diagnosis/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headway::diagnosis {
namespace {

/// The headings of the lesson of an exercise, without their marks.
std::set<std::string> headings(const std::string& number) {
    std::set<std::string> headings;
    for (const auto& entry : std::filesystem::directory_iterator(LESSONS)) {
        if (!entry.path().filename().string().starts_with(number + "-")) continue;
        std::ifstream lesson(entry.path());
        for (std::string line; std::getline(lesson, line);)
            if (line.starts_with("#")) headings.insert(line.substr(line.find_first_not_of("# ")));
    }
    return headings;
}

TEST(Catalogue, HoldsAtLeastNinetyMistakes) { EXPECT_GE(mistakes().size(), 90U); }

TEST(Catalogue, EveryMistakeHasItsTexts) {
    for (const Mistake& mistake : mistakes()) {
        EXPECT_FALSE(mistake.title.empty()) << mistake.id;
        if (mistake.equivalent) continue;  // never shown
        EXPECT_FALSE(mistake.right.empty()) << mistake.id;
        EXPECT_FALSE(mistake.symptom.empty()) << mistake.id;
        EXPECT_TRUE(mistake.question.ends_with('?') || mistake.question.ends_with('.')) << mistake.id;
        EXPECT_FALSE(decision(mistake.decision).pseudocode.empty()) << mistake.id;
    }
}

/// They are told of functions of many exercises, of which few have arguments of these names and few project anything.
TEST(Catalogue, WhichTensorIsTakenForAnotherIsSaidWithoutNamesOfArguments) {
    for (const char* id :
         {"key_taken_from_query", "key_taken_from_value", "value_taken_from_key", "self_attention_always"})
        for (const std::string_view text : {mistake(id).title, mistake(id).right, mistake(id).question})
            for (const char* word : {"argument", "forward", "projected"})
                EXPECT_EQ(text.find(word), std::string_view::npos) << id << ": " << text;
}

TEST(Catalogue, EveryDecisionIsSettledByASectionThatExists) {
    for (const Mistake& mistake : mistakes()) {
        const Decision& decided = decision(mistake.decision);
        EXPECT_TRUE(!decided.lesson.empty() || mistake.make == nullptr) << decided.id << " is of C++ alone";
        EXPECT_TRUE(std::ranges::is_sorted(decided.lesson, {}, &Section::exercise)) << decided.id;
        for (const auto& [number, section] : decided.lesson)
            EXPECT_TRUE(section == in_the_header || headings(std::string(number)).contains(std::string(section)))
                << decided.id << ": lesson " << number << " has no section \"" << section << '"';
    }
}

/// The beginnings of its words: "keys" and "key's" have one. Shorter words, and what joins others, say nothing.
std::set<std::string> stems(std::string_view text) {
    static const std::set<std::string> joining{"with", "that", "from", "than", "what", "when", "wher", "them", "they",
                                               "this", "thes", "only", "inst", "all",  "othe", "each", "ever", "the",
                                               "and",  "are",  "not",  "for",  "its",  "into", "one",  "two"};
    std::set<std::string> found;
    std::string word;
    const auto take = [&] {
        if (word.size() > 2 && !joining.contains(word.substr(0, 4))) found.insert(word.substr(0, 4));
        word.clear();
    };
    for (const char c : text) {
        if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_')
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else
            take();
    }
    take();
    return found;
}

/// The text under a heading, and under those below it.
std::string text_of(std::string_view number, std::string_view heading) {
    std::string text;
    for (const auto& entry : std::filesystem::directory_iterator(LESSONS)) {
        if (!entry.path().filename().string().starts_with(std::string(number) + "-")) continue;
        std::ifstream lesson(entry.path());
        std::size_t level = 0;  // of the heading, once it is found
        bool is_code = false;
        for (std::string line; std::getline(lesson, line);) {
            if (line.starts_with("```")) is_code = !is_code;
            const std::size_t marks = is_code ? 0 : std::min(line.find_first_not_of('#'), line.size());
            if (level != 0 && marks > 0 && marks <= level) return text;
            if (level == 0 && marks > 0 && line.substr(line.find_first_not_of("# ")) == heading) level = marks;
            if (level != 0) text += line + '\n';
        }
    }
    return text;
}

TEST(Catalogue, TheSectionSpeaksOfTheMistake) {
    for (const Mistake& mistake : mistakes()) {
        if (mistake.equivalent) continue;
        for (const auto& [number, heading] : decision(mistake.decision).lesson) {
            if (heading == in_the_header) continue;
            const std::string section = text_of(number, heading);
            if (section.find("$$") != std::string::npos) continue;  // a formula settles it without words
            const std::set<std::string> said = stems(section);
            const std::set<std::string> words = stems(std::string(mistake.title) + ' ' + std::string(mistake.right));
            EXPECT_TRUE(std::ranges::any_of(words, [&](const std::string& word) { return said.contains(word); }))
                << mistake.id << ": lesson " << number << ", \"" << heading << "\" has no word of: " << mistake.title;
            EXPECT_NE(heading, "What you will build") << mistake.id << ": it only lists what there is to write";
        }
    }
}

/// Words, and the exercise that introduces what they mean.
TEST(Catalogue, NoWordComesBeforeTheLessonThatIntroducesIt) {
    const std::vector<std::pair<std::string, std::string>> introduced{
        {"mask", "03"}, {"cache", "03"}, {"dropout", "05"}, {"checkpoint", "05"}, {"gradient", "07"}};
    for (const Mistake& mistake : mistakes()) {
        const auto& lessons = decision(mistake.decision).lesson;
        if (mistake.equivalent || lessons.empty()) continue;
        // What is checked is told where the header has it, and gradients are arguments of 07 alone.
        if (mistake.decision.starts_with("check_") || mistake.id == "gradient_strides_ignored") continue;
        const std::string text = std::string(mistake.title) + ' ' + std::string(mistake.right) + ' ' +
                                 std::string(mistake.symptom) + ' ' + std::string(mistake.question);
        for (const auto& [word, exercise] : introduced)
            EXPECT_TRUE(lessons.begin()->exercise >= exercise || text.find(word) == std::string::npos)
                << mistake.id << ", told from " << lessons.begin()->exercise << " on, speaks of \"" << word << '"';
    }
}

/// 05 writes x · w, and 07, which has these mistakes too, x · weightᵀ.
TEST(Catalogue, WhatSeveralExercisesHaveIsSaidInTheFormulaOfNone) {
    for (const char* id : {"projection_bias_missing", "query_bias_missing", "value_bias_missing"})
        EXPECT_EQ(mistake(id).right.find("w_"), std::string_view::npos) << id;
    EXPECT_EQ(mistake("part_in_anothers_place").symptom.find("are right"), std::string_view::npos);
}

/// A product that begins with 0 is 0 for all shapes, and an x that is contiguous is not copied.
TEST(Catalogue, WhatAProgramMayHaveIsNotDenied) {
    EXPECT_NE(mistake("view_without_count_check").title.find("or what is compared is always equal"),
              std::string_view::npos);
    EXPECT_NE(mistake("contiguous_counts_the_first_axis_fastest").symptom.find("an x that is copied"),
              std::string_view::npos);
}

TEST(Catalogue, SourcesAreAddresses) {
    int with_sources = 0;
    for (const Mistake& mistake : mistakes()) {
        with_sources += mistake.shipped.empty() ? 0 : 1;
        for (const std::string_view source : mistake.shipped)
            EXPECT_NE(source.find(": https://"), std::string_view::npos) << mistake.id << ": " << source;
    }
    EXPECT_GE(with_sources, 50);
}

TEST(Catalogue, WhatAnExerciseSaysMoreCloselyComesBeforeTheModel) {
    const auto at = [](const char* id) { return position_in_catalogue(mistake(id)); };
    EXPECT_LT(at("mask_forgotten_on_the_way_back"), at("mask_ignored"));
    EXPECT_LT(at("mask_ignored"), at("written_at_the_start"));
}

TEST(Catalogue, AnUnknownMistakeIsRefused) { EXPECT_THROW(mistake("no_such_mistake"), std::out_of_range); }

}  // namespace
}  // namespace headway::diagnosis
