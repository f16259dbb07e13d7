#pragma once

#include "labs/train/training.hpp"

#include "labs/frame/arguments.hpp"

#include <memory>
#include <string>

/// What labs that train share: their options, and trainings that a stop or a kill does not lose.
namespace headway::lab {

struct TrainingArguments : CommonArguments {
    std::string corpus;  ///< a file; empty: the lab's own language
    std::uint64_t seed = 1;
    Index steps = 0;  ///< 0: as planned
    bool fresh = false;
};
void declare_training(CLI::App& app, TrainingArguments& arguments, const std::string& lab);

TrainingPlan plan_of(const TrainingArguments& arguments);

/// @throws WrongUsage if the file cannot be read or is too short
std::unique_ptr<Text> text_of(const TrainingArguments& arguments, const TrainingPlan& plan);

/// @throws WrongUsage if H does not divide the width
void require_divides(Index H, const TrainingPlan& plan);

/// Calls exercises 05 and 07 once.   @throws NotDone
void require_training_exercises(const std::string& lab);

/// A training that is over: gone on from a checkpoint of the same training by the same code if there is one. Keeps
/// checkpoints below the output folder.
/// @throws Stopped at Ctrl-C, when a checkpoint is kept   @throws NotDone   @throws WrongUsage
std::unique_ptr<Training> trained(const Text& text, const TrainingPlan& plan, const Variant& variant,
                                  const TrainingArguments& arguments);

}  // namespace headway::lab
