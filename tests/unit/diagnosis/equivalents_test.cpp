// What computes the same must be answered for as the right choices are, on every question that functions are asked.
#include "diagnosis/catalogue.hpp"
#include "diagnosis/search.hpp"
#include "diagnosis/subject.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace headway::diagnosis
