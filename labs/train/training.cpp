#include "labs/train/training.hpp"

#include "labs/frame/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway::lab {
namespace {

using nlohmann::json;

constexpr Index warm_up = 50;

double rate_at(const TrainingPlan& plan, Index step) {
    const double warm = std::min(1.0, static_cast<double>(step) / warm_up);
    const double rest = std::max(0.0, static_cast<double>(step) / static_cast<double>(plan.steps) - 0.6) / 0.4;
    return plan.rate * warm * (1 - 0.9 * rest);
}

/// JSON knows no NaN, which an accuracy is where there is nothing to predict.
double number_or_nan(const json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

Look look_from(const json& value) {
    return {.step = value.at("step"),
            .training_loss = number_or_nan(value.at("training_loss")),
            .loss = number_or_nan(value.at("loss")),
            .copy = number_or_nan(value.at("copy")),
            .agree = number_or_nan(value.at("agree")),
            .refer = number_or_nan(value.at("refer")),
            .previous = number_or_nan(value.at("previous")),
            .induction = number_or_nan(value.at("induction"))};
}

void save_all(Checkpoint& checkpoint, const std::string& prefix, const nn::StateDict& table) {
    for (const auto& [name, tensor] : table) checkpoint.tensors.emplace_back(prefix + name, tensor);
}

nn::StateDict read_all(const Checkpoint& checkpoint, const std::string& prefix, const nn::StateDict& like) {
    nn::StateDict table;
    for (const auto& [name, tensor] : like)
        table.emplace_back(name, checkpoint.at(prefix + name, tensor.shape()).clone());
    return table;
}

}  // namespace

std::string Variant::name() const {
    const std::string wrong = mistake == TrainedMistake::none ? "" : ", " + to_string(mistake);
    const std::string blocks = whole ? ", whole blocks" : "";
    const std::string sees = window == 0 ? "" : fmt::format(", window of {}", window);
    if (positions == Positions::learned) return fmt::format("H = {}{}{}{}", H, wrong, blocks, sees);
    return fmt::format("H = {}{}{}{}, {} positions", H, wrong, blocks, sees,
                       positions == Positions::none ? "no" : to_string(positions));
}

json to_json(const Look& look) {
    return {{"step", look.step},         {"training_loss", look.training_loss},
            {"loss", look.loss},         {"copy", look.copy},
            {"agree", look.agree},       {"refer", look.refer},
            {"previous", look.previous}, {"induction", look.induction}};
}

Training::Training(const Text& text, const TrainingPlan& plan, const Variant& variant)
    : text_(text),
      plan_(plan),
      variant_(variant),
      model_({.vocabulary = static_cast<Index>(text.vocabulary().size()),
              .T = plan.T,
              .D = plan.D,
              .H = variant.H,
              .positions = variant.positions,
              .turn = variant.turn,
              .sight = variant.sight,
              .whole = variant.whole},
             plan.seed, variant.mistake),
      optimiser_(model_.parameters()),
      validation_(text.batch(Part::validation, plan.seed, plan.validation, plan.T)) {
    look();
}

void Training::look() {
    const Tensor logits = model_.logits(validation_.tokens, validation_.B);
    Look look{.step = step_, .loss = cross_entropy(logits, validation_.next)};
    look.training_loss = step_ == 0 ? look.loss : loss_since_look_ / static_cast<double>(step_ - looks_.back().step);
    look.copy = accuracy(logits, validation_, Relation::copy);
    look.agree = accuracy(logits, validation_, Relation::agree);
    look.refer = accuracy(logits, validation_, Relation::refer);
    for (const HeadScore& score : score_heads(model_, validation_)) {
        look.previous = std::max(look.previous, score.previous);
        look.induction = std::max(look.induction, score.induction);
    }
    looks_.push_back(look);
    loss_since_look_ = 0;
}

void Training::step() {
    ++step_;
    const auto number = static_cast<std::uint64_t>(step_);
    const double loss = model_.learn(text_.batch(Part::training, plan_.seed * 1'000'003 + number, plan_.B, plan_.T));
    if (!std::isfinite(loss))
        throw NotDone(
            fmt::format("{}: at step {} the loss is no number any more.\nIs a gradient wrong? ./headway grade {}",
                        variant_.name(), step_, variant_.whole ? "07 14" : "07"));
    optimiser_.update(model_.parameters(), model_.gradients(), rate_at(plan_, step_), step_);
    loss_since_look_ += loss;
    if (step_ % plan_.look_every == 0 || done()) look();
}

Checkpoint Training::save() const {
    Checkpoint checkpoint;
    save_all(checkpoint, "model.", model_.parameters());
    save_all(checkpoint, "first.", optimiser_.first);
    save_all(checkpoint, "second.", optimiser_.second);
    json looks = json::array();
    for (const Look& look : looks_) looks.push_back(to_json(look));
    checkpoint.metadata = {{"step", std::to_string(step_)},
                           {"loss_since_look", json(loss_since_look_).dump()},
                           {"looks", looks.dump()},
                           {"variant", variant_.name()}};
    return checkpoint;
}

void Training::restore(const Checkpoint& checkpoint) {
    if (checkpoint.note("variant") != variant_.name())
        throw std::runtime_error(fmt::format("it holds {}, not {}", checkpoint.note("variant"), variant_.name()));
    const nn::StateDict parameters = read_all(checkpoint, "model.", model_.parameters());
    nn::StateDict first = read_all(checkpoint, "first.", optimiser_.first);
    nn::StateDict second = read_all(checkpoint, "second.", optimiser_.second);
    std::vector<Look> looks;
    Index step = 0;
    double since = 0;
    try {
        step = json::parse(checkpoint.note("step")).get<Index>();
        since = json::parse(checkpoint.note("loss_since_look")).get<double>();
        for (const json& look : json::parse(checkpoint.note("looks"))) looks.push_back(look_from(look));
    } catch (const json::exception&) {
        throw std::runtime_error("its metadata cannot be read");
    }
    if (step < 0 || step > plan_.steps || looks.empty())
        throw std::runtime_error(fmt::format("it is at step {} of {}", step, plan_.steps));
    for (std::size_t i = 0; i < parameters.size(); ++i) model_.parameters()[i].second.copy_from(parameters[i].second);
    optimiser_.first = std::move(first);
    optimiser_.second = std::move(second);
    step_ = step;
    loss_since_look_ = since;
    looks_ = std::move(looks);
}

}  // namespace headway::lab
