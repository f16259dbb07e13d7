// The lab's language: what decides a token stands where the batch says.
#include "labs/train/language.hpp"
#include "labs/frame/program.hpp"
#include "labs/train/scores.hpp"

#include <gmock/gmock.h>

#include <map>

namespace headway::lab {
namespace {

const Language language;
const Batch batch = language.batch(Part::training, 11, 64, 48);

const std::string& word(Index token) { return language.vocabulary()[static_cast<std::size_t>(token)]; }

TEST(Language, IsTheSameForTheSameSeedAndAnotherForAnother) {
    EXPECT_EQ(language.batch(Part::training, 11, 64, 48).tokens, batch.tokens);
    EXPECT_NE(language.batch(Part::training, 12, 64, 48).tokens, batch.tokens);
    EXPECT_NE(language.batch(Part::validation, 11, 64, 48).tokens, batch.tokens);
}

TEST(Language, EachNextIsTheFollowingToken) {
    for (Index b = 0; b < batch.B; ++b)
        for (Index t = 0; t + 1 < batch.T; ++t) ASSERT_EQ(batch.next[batch.at(b, t)], batch.tokens[batch.at(b, t + 1)]);
}

TEST(Language, CopiesStandWhereTheSameNameStoodBefore) {
    Index copies = 0;
    for (Index b = 0; b < batch.B; ++b)
        for (Index t = 0; t < batch.T; ++t) {
            if (batch.relation[batch.at(b, t)] != Relation::copy) continue;
            ++copies;
            const Index s = batch.source[batch.at(b, t)];
            ASSERT_LT(s, t);
            ASSERT_EQ(batch.tokens[batch.at(b, s)], batch.next[batch.at(b, t)]);
            ASSERT_EQ(batch.tokens[batch.at(b, s - 1)], batch.tokens[batch.at(b, t)]);
        }
    EXPECT_GT(copies, 100);
}

TEST(Language, VerbAndPronounFollowTheFirstNotTheSecond) {
    std::map<std::string, std::string> decided_by;  // "dogs" -> "run"
    for (std::size_t i = 0; i < batch.next.size(); ++i) {
        if (batch.relation[i] != Relation::agree && batch.relation[i] != Relation::refer) continue;
        const auto b = static_cast<Index>(i) / batch.T;
        const std::string& source = word(batch.tokens[batch.at(b, batch.source[i])]);
        const auto [entry, is_new] = decided_by.emplace(source, word(batch.next[i]));
        EXPECT_EQ(entry->second, word(batch.next[i])) << source;
    }
    EXPECT_EQ(decided_by["dogs"], "run");
    EXPECT_EQ(decided_by["queen"], "she");
    EXPECT_EQ(decided_by["uncle"], "he");
    EXPECT_EQ(decided_by.size(), 14U);
}

TEST(Language, SaysWhichWordItDoesNotKnow) {
    EXPECT_THAT([] { language.sentence("the elephant runs"); },
                testing::ThrowsMessage<WrongUsage>(testing::HasSubstr("elephant")));
}

TEST(Scores, CountOnlyPlacesWhereTheRelationDecides) {
    const Batch two{.B = 1,
                    .T = 2,
                    .tokens = {0, 1},
                    .next = {1, 2},
                    .relation = {Relation::none, Relation::copy},
                    .source = {-1, 1}};
    const Tensor logits = Tensor::of({1, 2, 3}, {9, 0, 0, 0, 0, 9});  // wrong where nothing decides, right where copied
    EXPECT_EQ(accuracy(logits, two, Relation::copy), 1.0);
    EXPECT_TRUE(std::isnan(accuracy(logits, two, Relation::agree)));
}

}  // namespace
}  // namespace headway::lab
