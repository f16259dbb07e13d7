// What computes the same must be answered for as the right choices are, on every question that functions are asked.
#include "diagnosis/catalogue.hpp"
#include "diagnosis/search.hpp"
#include "diagnosis/subject.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace headway::diagnosis {
namespace {

/// The largest distance between the answers of an entry and the right ones, in tolerances, over all questions.
double farthest(const Mistake& entry) {
    Choices choices = right();
    entry.make(choices);
    double farthest = 0;
    for (const auto& [exercise, subject] : subjects())
        for (const Function& function : subject.functions) {
            Random random(11);
            for (int round = 0; round < 3; ++round)
                for (const auto& [arguments, name] : function.questions(random)) {
                    const Observation question{arguments, {}, function.model(arguments)};
                    farthest = std::max(farthest, distance(predicted(question, right()), predicted(question, choices)));
                }
        }
    return farthest;
}

TEST(Equivalents, AnswerAsTheRightChoicesDo) {
    int equivalents = 0;
    for (const Mistake& entry : mistakes()) {
        if (!entry.equivalent) continue;
        ++equivalents;
        EXPECT_LE(farthest(entry), 1) << entry.id;
    }
    EXPECT_GE(equivalents, 10);
}

/// The test above can fail: a mistake is far from right.
TEST(Equivalents, AMistakeDoesNot) { EXPECT_GT(farthest(mistake("scale_sqrt_key_count")), 100); }

/// Of one number of heads, a factor that depends on it is a constant.
TEST(Equivalents, ScoresAreAskedOfSeveralNumbersOfHeads) {
    for (const Function& function : subjects().at("03_scaled_scores").functions) {
        if (function.name != "attention_scores") continue;
        Random random(3);
        std::set<Index> heads;
        for (const auto& [arguments, name] : function.questions(random)) heads.insert(tensor(arguments, "q").size(1));
        EXPECT_GE(heads.size(), 3U);
    }
}

}  // namespace
}  // namespace headway::diagnosis
