// Every entry of the catalogue can be shown to a student: its texts are there, and the lesson that it sends to exists.
#include "diagnosis/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

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

TEST(Catalogue, EveryDecisionIsSettledByASectionThatExists) {
    for (const Mistake& mistake : mistakes()) {
        const Decision& decided = decision(mistake.decision);
        EXPECT_FALSE(decided.lesson.empty()) << decided.id;
        EXPECT_TRUE(std::ranges::is_sorted(decided.lesson, {}, &Section::exercise)) << decided.id;
        for (const auto& [number, section] : decided.lesson)
            EXPECT_TRUE(headings(std::string(number)).contains(std::string(section)))
                << decided.id << ": lesson " << number << " has no section \"" << section << '"';
    }
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
