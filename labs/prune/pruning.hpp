#pragma once

#include "labs/train/scores.hpp"

#include <functional>
#include <vector>

namespace headway::lab {

/// One head of one block.
struct HeadPlace {
    Index block = 0, head = 0;

    bool operator==(const HeadPlace&) const = default;
};

/// Takes heads out of a model for as long as it lives. A head is out when its columns of out_proj.weight are 0: its
/// d features of the merged heads, [h·d, (h+1)·d), then reach no output. The bias stays.
class WithoutHeads {
public:
    explicit WithoutHeads(LanguageModel& model);
    ~WithoutHeads();
    WithoutHeads(const WithoutHeads&) = delete;
    WithoutHeads& operator=(const WithoutHeads&) = delete;

    /// Those are out, and all others in.
    void remove(const std::vector<HeadPlace>& heads);

private:
    Tensor& output_of(Index block);

    LanguageModel& model_;
    std::vector<Tensor> whole_;  ///< out_proj.weight of each block
};

std::vector<HeadPlace> all_heads(const LanguageModel& model);

/// What is left when a head has gone.
struct Removal {
    HeadPlace head;
    double loss = 0;                        ///< of what is left, on the text that measures
    double copy = 0, agree = 0, refer = 0;  ///< accuracy where that relation decides; NaN where it never does
};

/// How the model does on `batch` as it is, now that `gone` has gone.
Removal measured(LanguageModel& model, const HeadPlace& gone, const Batch& batch);

/// Loss of the model without one head each, in the order of all_heads.
std::vector<double> losses_without_each(
    LanguageModel& model, const Batch& batch, const std::function<void()>& one_more = [] {});

/// Takes out one head after another, each time the one without which the loss on `choosing` is least, until none is
/// left; looks at `measuring` after each.     [greedy, as in Michel, Levy, Neubig 2019, §4, with measured losses]
std::vector<Removal> remove_one_by_one(
    LanguageModel& model, const Batch& choosing, const Batch& measuring, const std::function<void()>& one_more = [] {});

/// Takes out heads in this order.
std::vector<Removal> remove_in_order(LanguageModel& model, const std::vector<HeadPlace>& order, const Batch& measuring);

/// How many of the first removals leave the loss within (1 + share) times `whole`.
std::size_t removable(const std::vector<Removal>& removals, double whole, double share);

/// How many losses remove_one_by_one measures on `choosing` for that many heads: n + (n-1) + … + 1
constexpr Index losses_to_choose(Index heads) { return heads * (heads + 1) / 2; }

}  // namespace headway::lab
