#include "mistakes.hpp"
#include "probes.hpp"

#include <headway/random.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Each mistake does something, and none does what another one does.
namespace headway::combinations {
namespace {

class Mistakes : public testing::Test {
protected:
    void TearDown() override { choose({}); }
};

using Effect = Mistakes;

std::string title(const Place& place) { return place.exercise + " " + place.function; }

std::vector<Outcome> outcomes(const Place& place, const std::vector<std::string>& names) {
    choose(names);
    return probe(place);
}

TEST_F(Mistakes, StandInTheTableInTheOrderOfTheEnumeration) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < mistakes().size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(mistakes()[i].mistake), i) << mistakes()[i].name;
        EXPECT_TRUE(names.insert(mistakes()[i].name).second) << mistakes()[i].name;
        EXPECT_FALSE(mistakes()[i].places.empty()) << mistakes()[i].name;
    }
    EXPECT_EQ(mistakes().back().mistake, Mistake::widths_unchecked);
}

TEST_F(Mistakes, AreMadeOnceChosenAndUntilOthersAre) {
    EXPECT_FALSE(made(Mistake::mask_inverted));
    choose_listed("mask_inverted,scale_missing");
    EXPECT_TRUE(made(Mistake::mask_inverted));
    EXPECT_TRUE(made(Mistake::scale_missing));
    choose_listed("");
    EXPECT_FALSE(made(Mistake::mask_inverted));
}

TEST_F(Mistakes, AreRefusedWhenUnknownOrOfOneGroup) {
    choose({"mask_inverted"});
    EXPECT_THROW(choose({"scale_by_luck"}), std::invalid_argument);
    EXPECT_THROW(choose({"scale_missing", "scale_inverted"}), std::invalid_argument);
    EXPECT_TRUE(made(Mistake::mask_inverted));
}

TEST_F(Effect, EachMistakeChangesAnAnswerOfItsFunction) {
    for (const Entry& entry : mistakes())
        for (const Place& place : entry.places)
            EXPECT_TRUE(answers_differently(outcomes(place, {}), outcomes(place, {entry.name})))
                << entry.name << " in " << title(place);
}

TEST_F(Effect, NoMistakeIsAnotherOneByADifferentName) {
    struct Seen {
        std::string name, where;
        std::vector<Outcome> outcomes;
    };
    std::vector<Seen> all;
    for (const Entry& entry : mistakes())
        for (const Place& place : entry.places) {
            Seen seen{entry.name, title(place), outcomes(place, {entry.name})};
            for (const Seen& other : all) {
                if (other.where != seen.where) continue;
                EXPECT_TRUE(answers_differently(other.outcomes, seen.outcomes) ||
                            answers_differently(seen.outcomes, other.outcomes))
                    << entry.name << " is " << other.name << " in " << seen.where;
            }
            all.push_back(std::move(seen));
        }
}

/// Mistakes of an exercise, no two of one group.
std::vector<std::string> random_combination(Random& random, const std::string& exercise) {
    std::vector<std::string> names;
    std::set<std::string> groups;
    for (Index left = random.integer(2, 6); left > 0;) {
        const auto last = static_cast<Index>(mistakes().size()) - 1;
        const Entry& entry = mistakes()[static_cast<std::size_t>(random.integer(0, last))];
        bool fits = false;
        for (const Place& place : entry.places) fits = fits || place.exercise == exercise;
        if (!fits || !groups.insert(entry.group).second) continue;
        names.push_back(entry.name);
        --left;
    }
    return names;
}

TEST_F(Effect, AnyCombinationAnswersOrThrows) {
    const std::vector<Place> whole = {
        {"01", "single_head_attention"}, {"03", "scaled_dot_product_attention"}, {"04", "multi_head_attention"}};
    Random random(2);
    for (const Place& place : whole)
        for (int i = 0; i < 100; ++i) EXPECT_FALSE(outcomes(place, random_combination(random, place.exercise)).empty());
}

}  // namespace
}  // namespace headway::combinations
