#pragma once

#include "labs/checkpoint/safetensors.hpp"
#include "labs/train/adamw.hpp"
#include "labs/train/model.hpp"
#include "labs/train/scores.hpp"
#include "labs/train/text.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace headway::lab {

/// How long and on what a model trains: one plan for all models that are compared.
struct TrainingPlan {
    Index steps = 2000;
    Index B = 16;
    Index T = 48;
    Index D = 64;
    double rate = 5e-3;     ///< after 50 steps, and until 6 in 10 of the steps; then down to a tenth of it
    Index look_every = 50;  ///< steps between two looks at the validation text
    Index validation = 32;  ///< sequences of it
    std::uint64_t seed = 1;
};

struct Variant {
    Index H = 1;
    TrainedMistake mistake = TrainedMistake::none;
    Positions positions = Positions::learned;
    Turn turn = {};          ///< for rotary positions
    WholeBlocks whole = {};  ///< with MLPs
    Index window = 0;        ///< how many tokens each token sees; 0: all before it
    Sight sight = {};        ///< through that window

    /// "H = 4", "H = 4, sqrt_d", "H = 4, rotary positions", "H = 4, window of 8"
    std::string name() const;
};

/// What is seen at one look.
struct Look {
    Index step = 0;
    double training_loss = 0;               ///< mean since the last look
    double loss = 0;                        ///< on the validation text
    double copy = 0, agree = 0, refer = 0;  ///< accuracy where that relation decides
    double previous = 0, induction = 0;     ///< the best head's score
};
nlohmann::json to_json(const Look& look);

/// One model on its way. What the next step does depends on what save() tells and on nothing else.
class Training {
public:
    Training(const Text& text, const TrainingPlan& plan, const Variant& variant);

    bool done() const { return step_ == plan_.steps; }
    Index steps_done() const { return step_; }
    /// @throws NotDone if the loss is no longer a number
    void step();

    Checkpoint save() const;
    /// @throws std::runtime_error if it is no checkpoint of such a training; then nothing has changed
    void restore(const Checkpoint& checkpoint);

    const Variant& variant() const { return variant_; }
    const std::vector<Look>& looks() const { return looks_; }
    LanguageModel& model() { return model_; }
    const Batch& validation() const { return validation_; }

private:
    void look();

    const Text& text_;
    TrainingPlan plan_;
    Variant variant_;
    LanguageModel model_;
    AdamW optimiser_;
    Batch validation_;
    Index step_ = 0;
    double loss_since_look_ = 0;
    std::vector<Look> looks_;
};

}  // namespace headway::lab
