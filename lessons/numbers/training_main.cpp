// lesson_training --write FILE   trains the model of lesson 00 and stores where one of its heads looks
// lesson_training --check FILE   1 if a training here does not find what is stored
#include "files.hpp"
#include "trained_head.hpp"

#include "labs/train/language.hpp"
#include "labs/train/scores.hpp"
#include "labs/train/training.hpp"

#include <single_head.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iostream>

namespace {

using namespace headway;
using headway::lessons::TrainedHead;

constexpr const char* words = ". the queen saw the boy ,";
/// Other processors add in another order, and two thousand steps make that larger.
constexpr double tolerance = 0.05;

TrainedHead train() {
    const lab::Language language;
    lab::Training training(language, lab::TrainingPlan{}, {.H = 4});
    while (!training.done()) training.step();
    lab::LanguageModel& model = training.model();
    const auto scores = lab::score_heads(model, training.validation());
    const auto best = std::ranges::max_element(scores, {}, &lab::HeadScore::refer);

    const std::vector<Index> tokens = language.sentence(words);
    const auto T = static_cast<Index>(tokens.size());
    TrainedHead trained{
        .words = {},
        .block = best->block,
        .head = best->head,
        .refer = best->refer,
        .next = "",
        .certainty = 0,
        .weights = model.weights(tokens, 1)[static_cast<std::size_t>(best->block)][0][best->head].clone()};
    for (const Index token : tokens) trained.words.push_back(language.vocabulary()[static_cast<std::size_t>(token)]);
    const Tensor odds = ex01::softmax_rows(model.logits(tokens, 1)[0].slice(0, T - 1, T))[0];
    Index likely = 0;
    for (Index word = 0; word < odds.size(0); ++word)
        if (odds(word) > odds(likely)) likely = word;
    trained.next = language.vocabulary()[static_cast<std::size_t>(likely)];
    trained.certainty = odds(likely);
    return trained;
}

int check(const TrainedHead& stored, const TrainedHead& now) {
    double apart = std::max(std::abs(stored.refer - now.refer), std::abs(stored.certainty - now.certainty));
    for (Index t = 0; t < now.weights.size(0); ++t)
        for (Index s = 0; s < now.weights.size(1); ++s)
            apart = std::max(apart, static_cast<double>(std::abs(stored.weights(t, s) - now.weights(t, s))));
    std::cout << "the largest difference to the stored numbers is " << apart << '\n';
    const bool same_head = stored.words == now.words && stored.block == now.block && stored.head == now.head;
    if (!same_head || stored.next != now.next) std::cout << "another head, or another word:\n" << to_text(now);
    return same_head && stored.next == now.next && apart <= tolerance ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string task = argc == 3 ? argv[1] : "";
    if (task != "--check" && task != "--write") {
        std::cerr << "usage: lesson_training --check|--write FILE\n";
        return 2;
    }
    try {
        if (task == "--check") return check(lessons::read_trained_head(argv[2]), train());
        lessons::write(argv[2], to_text(train()));
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "lesson_training: " << error.what() << '\n';
        return 3;
    }
}
