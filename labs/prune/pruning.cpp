#include "labs/prune/pruning.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace headway::lab {
Removal measured(LanguageModel& model, const HeadPlace& gone, const Batch& batch) {
    const Tensor logits = model.logits(batch.tokens, batch.B);
    return {.head = gone,
            .loss = cross_entropy(logits, batch.next),
            .copy = accuracy(logits, batch, Relation::copy),
            .agree = accuracy(logits, batch, Relation::agree),
            .refer = accuracy(logits, batch, Relation::refer)};
}

WithoutHeads::WithoutHeads(LanguageModel& model) : model_(model) {
    for (Index block = 0; block < model.sizes().blocks; ++block) whole_.push_back(output_of(block).clone());
}

WithoutHeads::~WithoutHeads() { remove({}); }

Tensor& WithoutHeads::output_of(Index block) {
    const std::string name = "block" + std::to_string(block) + ".out_proj.weight";
    return std::find_if(model_.parameters().begin(), model_.parameters().end(),
                        [&](const auto& one) { return one.first == name; })
        ->second;
}

void WithoutHeads::remove(const std::vector<HeadPlace>& heads) {
    for (Index block = 0; block < model_.sizes().blocks; ++block)
        output_of(block).copy_from(whole_[static_cast<std::size_t>(block)]);
    const Index d = model_.sizes().D / model_.sizes().H;
    for (const auto& [block, head] : heads) output_of(block).slice(1, head * d, (head + 1) * d).fill(0);
}

std::vector<HeadPlace> all_heads(const LanguageModel& model) {
    std::vector<HeadPlace> heads;
    for (Index block = 0; block < model.sizes().blocks; ++block)
        for (Index head = 0; head < model.sizes().H; ++head) heads.push_back({block, head});
    return heads;
}

std::vector<double> losses_without_each(LanguageModel& model, const Batch& batch,
                                        const std::function<void()>& one_more) {
    WithoutHeads without(model);
    std::vector<double> losses;
    for (const HeadPlace& head : all_heads(model)) {
        without.remove({head});
        losses.push_back(model.loss(batch));
        one_more();
    }
    return losses;
}

std::vector<Removal> remove_one_by_one(LanguageModel& model, const Batch& choosing, const Batch& measuring,
                                       const std::function<void()>& one_more) {
    WithoutHeads without(model);
    std::vector<Removal> removals;
    std::vector<HeadPlace> left = all_heads(model);
    std::vector<HeadPlace> gone;
    while (!left.empty()) {
        double least = std::numeric_limits<double>::infinity();
        auto chosen = left.begin();
        for (auto head = left.begin(); head != left.end(); ++head) {
            gone.push_back(*head);
            without.remove(gone);
            gone.pop_back();
            if (const double loss = model.loss(choosing); loss < least) {
                least = loss;
                chosen = head;
            }
            one_more();
        }
        gone.push_back(*chosen);
        left.erase(chosen);
        without.remove(gone);
        removals.push_back(measured(model, gone.back(), measuring));
    }
    return removals;
}

std::vector<Removal> remove_in_order(LanguageModel& model, const std::vector<HeadPlace>& order,
                                     const Batch& measuring) {
    WithoutHeads without(model);
    std::vector<Removal> removals;
    std::vector<HeadPlace> gone;
    for (const HeadPlace& head : order) {
        gone.push_back(head);
        without.remove(gone);
        removals.push_back(measured(model, head, measuring));
    }
    return removals;
}

std::size_t removable(const std::vector<Removal>& removals, double whole, double share) {
    const auto beyond = std::find_if(removals.begin(), removals.end(),
                                     [&](const Removal& removal) { return !(removal.loss <= whole * (1 + share)); });
    return static_cast<std::size_t>(beyond - removals.begin());
}

}  // namespace headway::lab
