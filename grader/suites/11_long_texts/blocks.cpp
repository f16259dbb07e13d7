#include "suites/11_long_texts/blocks.hpp"

#include "suites/11_long_texts/windows.hpp"

#include "diagnosis/catalogue.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>

namespace headway::diagnosis {
namespace {

/// How many queries are taken, and in words.
struct Taken {
    Windows::Together together;
    std::string words;
};

constexpr Index all_queries = std::numeric_limits<Index>::max();

std::vector<Taken> often_taken() {
    std::vector<Taken> taken;
    for (const Index parts : {8, 4, 2, 1})
        taken.push_back({{.times = 1, .parts = parts}, parts == 1 ? "w" : fmt::format("w / {}", parts)});
    taken.push_back({{.times = 2}, "2 · w"});
    for (const Index count : {2, 4, 8, 16, 32, 64}) taken.push_back({{.count = count}, std::to_string(count)});
    taken.push_back({{.count = all_queries}, "all"});
    return taken;
}

Explanation as_taken(const char* id, const Windows::Together& together, std::string words,
                     Windows::CountsTwice twice = Windows::CountsTwice::nowhere) {
    Choices choices = right();
    choices.change<Windows>().together = together;
    choices.change<Windows>().counts_twice = twice;
    return {&mistake(id), std::move(words),
            [choices = std::move(choices)](const Observation& observation) { return predicted(observation, choices); }};
}

}  // namespace

std::vector<Explanation> blocks_of_queries() {
    std::vector<Explanation> explanations;
    for (const Taken& taken : often_taken())
        for (const bool global_queries_too : {false, true}) {
            const std::string blocks =
                fmt::format("of {} queries{}", taken.words, global_queries_too ? ", the global ones among them" : "");
            const auto add = [&](const char* id, bool later, bool earlier, const std::string& seen) {
                Windows::Together together = taken.together;
                together.see_later_keys = later;
                together.see_earlier_keys = earlier;
                together.global_queries_too = global_queries_too;
                explanations.push_back(as_taken(id, together, seen));
            };
            if (taken.together.count == all_queries)
                add("attention_sees_the_future", true, false, "");
            else
                add("block_sees_its_last_keys", true, false, blocks);
            // A global query sees all before it anyway.
            if (!global_queries_too) add("block_sees_its_first_window", false, true, blocks);
            add("block_without_a_mask", true, true, blocks);
            Windows::Together gathered = taken.together;
            gathered.global_queries_too = global_queries_too;
            explanations.push_back(
                as_taken("block_counts_globals_twice", gathered,
                         fmt::format("of {} queries{}", taken.words,
                                     global_queries_too ? ", and in the rows of global queries" : ""),
                         Windows::CountsTwice::in_blocks));
        }
    return explanations;
}

}  // namespace headway::diagnosis
