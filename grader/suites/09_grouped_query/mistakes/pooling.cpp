// What is counted or made for groups of heads: the numbers of a cache, and one projection out of several.
#include "suites/09_grouped_query/grouped_layer.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/elements.hpp"

#include <cmath>
#include <cstdint>

namespace headway::diagnosis {
namespace {

/// Which column of w is the i-th that column j of the pooled matrix is made of.
using Column = Index (*)(Index j, Index i, Index d, Index H_kv, Index group);

/// Feature j % d of head i of group j / d.
Index of_the_group(Index j, Index i, Index d, Index, Index group) { return (j / d * group + i) * d + j % d; }

/// Column j is the sum of its first `count` columns of w, times `factor`.
Array pooled_by(const Array& w, Index H, Index H_kv, Column column, Index count, double factor) {
    const Index d = w.size(1) / H;
    Array pooled = zeros({w.size(0), H_kv * d});
    each(pooled.shape, [&](Coordinate at, std::size_t to) {
        for (Index i = 0; i < count; ++i) {
            const Index from[] = {at[0], column(at[1], i, d, H_kv, H / H_kv)};
            const std::size_t source = position(w.shape, from);
            pooled.value[to] += factor * w.value.at(source);
            pooled.error[to] += factor * (w.error[source] + static_cast<double>(count + 2) * reference::unit_roundoff *
                                                                std::abs(w.value[source]));
        }
    });
    return pooled;
}

Array mean_by(const Array& w, Index H, Index H_kv, Column column) {
    return pooled_by(w, H, H_kv, column, H / H_kv, static_cast<double>(H_kv) / static_cast<double>(H));
}

Array largest_of_each_group(const Array& w, Index H, Index H_kv) {
    const Index d = w.size(1) / H, group = H / H_kv;
    return gathered(w, {w.size(0), H_kv * d}, [&](Coordinate to) {
        const auto of_head = [&](Index place) {
            const Index from[] = {to[0], (to[1] / d * group + place) * d + to[1] % d};
            return position(w.shape, from);
        };
        std::size_t largest = of_head(0);
        for (Index place = 1; place < group; ++place)
            if (w.value[of_head(place)] > w.value[largest]) largest = of_head(place);
        return largest;
    });
}

void counts(Choices& c, double (*cached)(Index B, Index S, Index H, Index H_kv, Index d)) {
    c.change<GroupedLayer>().cached = cached;
}

double real(Index count) { return static_cast<double>(count); }

}  // namespace

namespace chapters {

Chapter pooling() {
    static constexpr Decision decisions[] = {
        {.id = "cache_size",
         .stage = Stage::none,
         .lesson = {{"09", "The problem"}},
         .pseudocode = "keys and values of B sequences of S tokens: 2 · B · S · H_kv · d, in 64 bits"},
        {.id = "pooling",
         .stage = Stage::project,
         .lesson = {{"09", "Making groups out of heads"}},
         .pseudocode = "w (D,H·d) view→ (D,H_kv,group,d), mean over the group → (D,H_kv,d) view→ (D,H_kv·d)"},
    };
    static constexpr Mistake mistakes[] = {
        // ---- what a cache holds ----
        {.id = "cache_counts_query_heads",
         .decision = "cache_size",
         .title = "the cache is counted with H heads, as if each query head had keys of its own",
         .right = "it holds H_kv heads: repeat when you compute, never when you store",
         .symptom = "the memory that groups should save is not saved",
         .question = "How many heads of keys does a layer with H_kv = 1 store?",
         .make =
             [](Choices& c) {
                 counts(c, [](Index B, Index S, Index H, Index, Index d) { return real(2 * B * S * H * d); });
             }},
        {.id = "cache_counts_query_heads_once",
         .decision = "cache_size",
         .title = "one of keys and values is counted with H heads, the other with H_kv",
         .right = "both hold H_kv heads: 2 · B · S · H_kv · d",
         .symptom = "right for H_kv = H; else half of the memory that groups save is counted",
         .question = "How many heads of keys does a layer store, and how many heads of values?",
         .make =
             [](Choices& c) {
                 counts(c, [](Index B, Index S, Index H, Index H_kv, Index d) { return real(B * S * (H + H_kv) * d); });
             }},
        {.id = "cache_counts_keys_alone",
         .decision = "cache_size",
         .title = "only keys are counted, or only values",
         .right = "a cache holds both: 2 · B · S · H_kv · d",
         .symptom = "half of the memory is unaccounted for",
         .question = "What does attention need of a token that it has seen?",
         .make =
             [](Choices& c) {
                 counts(c, [](Index B, Index S, Index, Index H_kv, Index d) { return real(B * S * H_kv * d); });
             }},
        {.id = "cache_counts_heads_of_a_group",
         .decision = "cache_size",
         .title = "the cache is counted with H / H_kv heads, the size of a group, instead of the number of groups",
         .right = "it holds H_kv heads, one for each group",
         .symptom = "right where there are as many groups as heads in a group; else too much or too little",
         .question = "With 6 query heads and 2 heads of keys: how many heads of keys does a layer store?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().cached = [](Index B, Index S, Index H, Index H_kv, Index d) {
                     const Index heads = H / H_kv;
                     return static_cast<double>(2 * B * S * heads * d);
                 };
             }},
        {.id = "cache_counts_one_head",
         .decision = "cache_size",
         .title = "the cache is counted as if it held one head of keys and values",
         .right = "it holds H_kv heads, one for each group",
         .symptom = "right for H_kv = 1 alone",
         .question = "Which size of the layer does your number not depend on?",
         .make =
             [](Choices& c) {
                 counts(c, [](Index B, Index S, Index, Index, Index d) { return real(2 * B * S * d); });
             }},
        {.id = "cache_counts_one_sequence",
         .decision = "cache_size",
         .title = "the cache of one sequence is counted, not of all B",
         .right = "every sequence has keys and values of its own: 2 · B · S · H_kv · d",
         .symptom = "right for a batch of 1",
         .question = "Which size of the batch does your number not depend on?",
         .make =
             [](Choices& c) {
                 counts(c, [](Index, Index S, Index, Index H_kv, Index d) { return real(2 * S * H_kv * d); });
             }},
        {.id = "cache_share_divided_in_integers",
         .decision = "cache_size",
         .title = "the share H_kv / H is divided in integers: it is 0 unless H_kv = H",
         .right = "multiply by H_kv alone, or multiply before you divide",
         .symptom = "a cache of groups seems to need no memory at all",
         .question = "What is 2 / 6 in C++?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().cached = [](Index B, Index S, Index H, Index H_kv, Index d) {
                     const Index share = H_kv / H;
                     return static_cast<double>(2 * B * S * H * d * share);
                 };
             }},
        {.id = "cache_counted_in_32_bits",
         .decision = "cache_size",
         .title = "the size of the cache passes through an int, which overflows",
         .right = "count in Index, 64 bits wide",
         .symptom = "right for short texts; for long ones the number is small or negative",
         .question = "What is the largest int, and how many numbers do 100,000 tokens take?",
         .make =
             [](Choices& c) {
                 counts(c, [](Index B, Index S, Index, Index H_kv, Index d) {
                     return real(static_cast<std::int32_t>(2 * B * S * H_kv * d));
                 });
             }},
        // ---- pooling ----
        {.id = "pooling_sums",
         .decision = "pooling",
         .title = "the heads of a group are summed, not averaged",
         .right = "take the mean: divide by H / H_kv",
         .symptom = "keys grow with the group: softmax saturates",
         .question = "What should pooling two equal heads give?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().pool = [](const Array& w, Index H, Index H_kv) {
                     return pooled_by(w, H, H_kv, &of_the_group, H / H_kv, 1);
                 };
             }},
        {.id = "pooling_divides_by_group_count",
         .decision = "pooling",
         .title = "the sum over a group is divided by H_kv, the number of groups",
         .right = "take the mean: divide by H / H_kv, the heads of one group",
         .symptom = "right where there are as many groups as heads in a group; else keys are too large or too small",
         .question = "How many heads did you add up?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().pool = [](const Array& w, Index H, Index H_kv) {
                     return pooled_by(w, H, H_kv, &of_the_group, H / H_kv, 1 / static_cast<double>(H_kv));
                 };
             }},
        {.id = "pooling_divides_by_head_count",
         .decision = "pooling",
         .title = "the sum over a group is divided by H, the number of all heads",
         .right = "take the mean: divide by H / H_kv, the heads of one group",
         .symptom = "right for H_kv = 1 alone; else keys are too small",
         .question = "How many heads did you add up?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().pool = [](const Array& w, Index H, Index H_kv) {
                     return pooled_by(w, H, H_kv, &of_the_group, H / H_kv, 1 / static_cast<double>(H));
                 };
             }},
        {.id = "pooling_divides_by_head_dim",
         .decision = "pooling",
         .title = "the sum over a group is divided by head_dim",
         .right = "take the mean: divide by H / H_kv, the heads of one group",
         .symptom = "keys are too large or too small, as head_dim differs from the heads of a group",
         .question = "How many numbers did you add up for one number of the result?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().pool = [](const Array& w, Index H, Index H_kv) {
                     const Index d = w.size(1) / H;
                     return pooled_by(w, H, H_kv, &of_the_group, H / H_kv, 1 / static_cast<double>(d));
                 };
             }},
        {.id = "pooling_share_divided_in_integers",
         .decision = "pooling",
         .title = "every number is 0 unless H_kv = H, as if 1 / (H / H_kv) were divided in integers",
         .right = "take the mean: divide the sum by the heads of one group, as floats",
         .symptom = "right where every group is one head; else zeros",
         .question = "What is 1 / 3 in C++, if both are integers?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().pool = [](const Array& w, Index H, Index H_kv) {
                     return pooled_by(w, H, H_kv, &of_the_group, 1, H == H_kv ? 1 : 0);
                 };
             }},
        {.id = "pooling_sum_goes_on",
         .decision = "pooling",
         .title = "the sum does not begin anew for the next group: later groups hold those before them",
         .right = "each group has a sum of its own, which begins at 0",
         .symptom = "the first group is right; the later, the larger",
         .question = "What does your sum hold when the second group begins?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().pool = [](const Array& w, Index H, Index H_kv) {
                     Array pooled = mean_by(w, H, H_kv, &of_the_group);
                     const Index d = w.size(1) / H;
                     each(pooled.shape, [&](Coordinate at, std::size_t to) {
                         if (at[1] < d) return;
                         pooled.value[to] += pooled.value[to - static_cast<std::size_t>(d)];
                         pooled.error[to] += pooled.error[to - static_cast<std::size_t>(d)] +
                                             reference::unit_roundoff * std::abs(pooled.value[to]);
                     });
                     return pooled;
                 };
             }},
        {.id = "pooling_halves_each_time",
         .decision = "pooling",
         .title = "the mean is taken of two at a time, (so far + next) / 2: later heads of a group count more",
         .right = "add up all heads of a group, then divide once by H / H_kv",
         .symptom = "right for groups of one or two heads",
         .question = "What does your loop make of three heads whose numbers are 0, 0 and 3?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().pool = [](const Array& w, Index H, Index H_kv) {
                     Array pooled = pooled_by(w, H, H_kv, &of_the_group, 1, 1);
                     const Index d = w.size(1) / H, group = H / H_kv;
                     each(pooled.shape, [&](Coordinate at, std::size_t to) {
                         for (Index i = 1; i < group; ++i) {
                             const Index from[] = {at[0], of_the_group(at[1], i, d, H_kv, group)};
                             const double next = w.value[position(w.shape, from)];
                             pooled.value[to] = (pooled.value[to] + next) / 2;
                             pooled.error[to] +=
                                 2 * reference::unit_roundoff * (std::abs(pooled.value[to]) + std::abs(next));
                         }
                     });
                     return pooled;
                 };
             }},
        {.id = "pooling_keeps_first_head",
         .decision = "pooling",
         .title = "the first head of each group is kept, the others are thrown away",
         .right = "take the mean over the heads of the group",
         .symptom = "works, but worse than the mean after training",
         .question = "Does the second head of a group change your result?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().pool = [](const Array& w, Index H, Index H_kv) {
                     return pooled_by(w, H, H_kv, &of_the_group, 1, 1);
                 };
             }},
        {.id = "pooling_overwrites",
         .decision = "pooling",
         .title = "the sum over a group is overwritten, not added up: only its last head remains, divided by H / H_kv",
         .right = "add up all heads of a group, then divide once by H / H_kv",
         .symptom = "right where every group is one head; else keys are too small, and only the last head of a group "
                    "counts",
         .question = "What does your sum hold after the second head of a group: both, or the second alone?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().pool = [](const Array& w, Index H, Index H_kv) {
                     const auto last = [](Index j, Index, Index d, Index groups, Index group) {
                         return of_the_group(j, group - 1, d, groups, group);
                     };
                     return pooled_by(w, H, H_kv, last, 1, static_cast<double>(H_kv) / static_cast<double>(H));
                 };
             }},
        {.id = "pooling_takes_the_largest",
         .decision = "pooling",
         .title = "the largest number of each group is taken instead of the mean",
         .right = "take the mean over the heads of the group",
         .symptom = "a projection of large numbers, whatever most heads hold",
         .question = "What becomes of 1, 2 and 9 in your result?",
         .make = [](Choices& c) { c.change<GroupedLayer>().pool = &largest_of_each_group; }},
        {.id = "pooling_takes_every_nth_head",
         .decision = "pooling",
         .title = "heads h, h + H_kv, h + 2·H_kv, … are averaged instead of neighbours",
         .right = "a group is H / H_kv neighbours",
         .symptom = "query heads get keys of other groups mixed in",
         .question = "Which heads form the first group?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().pool = [](const Array& w, Index H, Index H_kv) {
                     return mean_by(w, H, H_kv, [](Index j, Index i, Index d, Index groups, Index) {
                         return (j / d + i * groups) * d + j % d;
                     });
                 };
             }},
        {.id = "pooling_interleaves_features",
         .decision = "pooling",
         .title = "pooled heads are put feature by feature: column i·H_kv + g holds feature i of group g",
         .right = "the columns of a head stand together: feature i of group g belongs in column g·d + i",
         .symptom = "right with one head of keys; else heads are made of each other's features",
         .question = "Which column of your result holds the last feature of the first group?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().pool = [](const Array& w, Index H, Index H_kv) {
                     return mean_by(w, H, H_kv, [](Index j, Index i, Index d, Index groups, Index group) {
                         return (j % groups * group + i) * d + j / groups;
                     });
                 };
             }},
        {.id = "pooling_averages_features",
         .decision = "pooling",
         .title = "neighbouring features are averaged instead of one feature of neighbouring heads",
         .right = "the mean is over heads, feature by feature",
         .symptom = "heads lose what tells their features apart",
         .question = "Which columns of w go into column 0 of the result?",
         .make =
             [](Choices& c) {
                 c.change<GroupedLayer>().pool = [](const Array& w, Index H, Index H_kv) {
                     return mean_by(w, H, H_kv,
                                    [](Index j, Index i, Index, Index, Index group) { return j * group + i; });
                 };
             }},
    };
    return {decisions, mistakes};
}

}  // namespace chapters
}  // namespace headway::diagnosis
