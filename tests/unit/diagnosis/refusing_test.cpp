// A mistake that refuses some of what fits must be asked for what it does not refuse: else a function that fails
// wherever it should answer looks like it. And mistakes that differ in few sizes must be asked for these.
#include "diagnosis/catalogue.hpp"
#include "diagnosis/search.hpp"
#include "diagnosis/subject.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace headway::diagnosis {
namespace {

bool is_empty(const Answer& answer) {
    return std::ranges::all_of(answer.parts, [](const auto& part) { return part.second.value.empty(); });
}

/// Of what a function should answer with numbers: how often a mistake does, and how often it refuses.
struct Count {
    int answers = 0;
    int refuses = 0;
};

Count count(const std::vector<Observation>& questions, const Mistake& mistake) {
    const Choices choices = with({&mistake});
    Count count;
    for (const Observation& one : questions) {
        const Answer due = predicted(one, right());
        if (!due.is_value() || is_empty(due)) continue;
        const Answer::Kind kind = predicted(one, choices).kind;
        count.answers += kind == Answer::Kind::value ? 1 : 0;
        count.refuses += kind == Answer::Kind::refused || kind == Answer::Kind::threw ? 1 : 0;
    }
    return count;
}

/// Known not to be asked so: grouped_query_attention, whose values are wider than its keys each time.
bool is_known(const Mistake& mistake) { return mistake.id == "values_gathered_up_to_width_of_keys"; }

TEST(Refusing, IsAskedWhereItDoesNot) {
    int refusing = 0;
    for (const auto& [exercise, subject] : subjects())
        for (const Function& function : subject.functions) {
            Random random(12);
            std::vector<Observation> questions;
            for (const auto& [arguments, name] : function.questions(random))
                questions.push_back({arguments, {}, function.model(arguments)});
            for (const Mistake& mistake : mistakes()) {
                if (mistake.make == nullptr || mistake.equivalent) continue;
                const auto [answers, refuses] = count(questions, mistake);
                refusing += refuses > 0 ? 1 : 0;
                EXPECT_TRUE(refuses == 0 || answers > 0 || is_known(mistake))
                    << exercise << ", " << function.name << ": " << mistake.id << " refuses all that it is asked";
            }
        }
    EXPECT_GE(refusing, 10);
}

/// Whether some question of decode is answered otherwise with one of them than with the other.
bool decode_tells_apart(const char* one, const char* other) {
    Random random(11);
    for (const Function& function : subjects().at("08_kv_cache").functions) {
        if (function.name != "decode") continue;
        for (const auto& [arguments, name] : function.questions(random)) {
            const Observation question{arguments, {}, function.model(arguments)};
            if (distance(predicted(question, with({&mistake(one)})), predicted(question, with({&mistake(other)}))) > 1)
                return true;
        }
    }
    return false;
}

TEST(Questions, TellTheWidthOfATokenFromItsShareOfAHead) {
    EXPECT_TRUE(decode_tells_apart("scale_sqrt_model_width", "scale_from_default_head_dim"));
    EXPECT_TRUE(decode_tells_apart("scale_sqrt_model_width", "scale_sqrt_inner_width"));
}

}  // namespace
}  // namespace headway::diagnosis
