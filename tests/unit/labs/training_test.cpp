// Training: it learns, it is the same every time, and going on from a checkpoint is as if nothing had happened.
#include "labs/train/training.hpp"
#include "labs/frame/program.hpp"
#include "labs/train/corpus.hpp"
#include "labs/train/language.hpp"

#include <gmock/gmock.h>

#include <cstring>

namespace headway::lab {
namespace {

using testing::HasSubstr;

const Language language;

TrainingPlan small_plan() {
    return {.steps = 24, .B = 2, .T = 12, .D = 8, .look_every = 10, .validation = 2, .seed = 3};
}

void run_to(Training& training, Index step) {
    while (training.steps_done() < step) training.step();
}

/// The checkpoint holds all that there is: the bytes are the same if and only if everything is.
std::string everything(const Training& training) { return to_safetensors(training.save()); }

TEST(Training, IsTheSameEveryTime) {
    Training once(language, small_plan(), {2}), again(language, small_plan(), {2});
    run_to(once, 12);
    run_to(again, 12);
    EXPECT_EQ(everything(once), everything(again));
}

TEST(Training, GoesOnFromACheckpointAsIfNothingHadHappened) {
    Training undisturbed(language, small_plan(), {2});
    run_to(undisturbed, 24);
    for (const Index killed_at : {1, 10, 17, 23}) {
        Training first(language, small_plan(), {2});
        run_to(first, killed_at);
        Training second(language, small_plan(), {2});
        second.restore(from_safetensors(everything(first), "it"));
        EXPECT_EQ(second.steps_done(), killed_at);
        run_to(second, 24);
        EXPECT_EQ(everything(second), everything(undisturbed)) << killed_at;
    }
}

TEST(Training, RefusesTheCheckpointOfAnotherAndStaysAsItWas) {
    Training two(language, small_plan(), {2});
    const std::string before = everything(two);
    const auto why_not = [&](Checkpoint checkpoint) -> std::string {
        try {
            two.restore(checkpoint);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(why_not(Training(language, small_plan(), {4}).save()), HasSubstr("it holds H = 4, not H = 2"));
    Checkpoint damaged = two.save();
    damaged.metadata["looks"] = "[{}]";
    EXPECT_THAT(why_not(damaged), HasSubstr("metadata cannot be read"));
    damaged = two.save();
    damaged.metadata["step"] = "25";
    EXPECT_THAT(why_not(damaged), HasSubstr("at step 25 of 24"));
    damaged = two.save();
    damaged.tensors.pop_back();
    EXPECT_THAT(why_not(damaged), HasSubstr("there is no second.head.bias"));
    EXPECT_EQ(everything(two), before);
}

TEST(Training, LearnsSomething) {
    Training training(language, {.steps = 60, .B = 8, .T = 16, .D = 16, .look_every = 60, .validation = 8}, {2});
    run_to(training, 60);
    EXPECT_LT(training.looks().back().loss, 0.85 * training.looks().front().loss);
}

TEST(Training, SaysWhenTheLossIsNoNumber) {
    TrainingPlan plan = small_plan();
    plan.rate = 1e30;
    Training training(language, plan, {2});
    EXPECT_THAT([&] { run_to(training, 24); }, testing::ThrowsMessage<NotDone>(HasSubstr("./headway grade 07")));
}

TEST(Corpus, LearnsFromAnyTextAndKeepsTheEndForValidation) {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "abcabd ";
    text += std::string(40, 'z');
    const Corpus corpus(text, "it.txt", 12);
    const Batch training = corpus.batch(Part::training, 1, 8, 12),
                validation = corpus.batch(Part::validation, 1, 8, 12);
    const Index z = corpus.sentence("z")[0];
    EXPECT_EQ(std::count(training.tokens.begin(), training.tokens.end(), z), 0);
    EXPECT_GT(std::count(validation.tokens.begin(), validation.tokens.end(), z), 0);
    EXPECT_THAT([&] { corpus.sentence("?"); }, testing::ThrowsMessage<WrongUsage>(HasSubstr("does not hold")));
    EXPECT_THROW(Corpus("too short", "it.txt", 12), WrongUsage);
}

}  // namespace
}  // namespace headway::lab
