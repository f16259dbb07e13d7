#include "suites/06_catch_the_bug/attentions/attend.hpp"

#include "suites/06_catch_the_bug/attentions/habits.hpp"
#include "suites/06_catch_the_bug/attentions/right/right.hpp"
#include "suites/06_catch_the_bug/attentions/roster.hpp"
#include "suites/06_catch_the_bug/attentions/wrong.hpp"

#include <stdexcept>

namespace headway::attentions {
namespace {

Attended answer(const std::string& id, const Inputs& in, const Habits& habits) {
    static const std::map<std::string, Attended (*)(const Inputs&)> right_ones{
        {"nested_loops", &nested_loops},           {"sum_of_heads", &sum_of_heads},
        {"online_softmax", &online_softmax},       {"log_sum_exp", &log_sum_exp},
        {"both_sides_scaled", &both_sides_scaled}, {"double_precision", &double_precision}};
    static const auto staged = staged_ones();
    if (const auto found = right_ones.find(id); found != right_ones.end()) {
        checked(in);
        return found->second(habits.restated(in));
    }
    return staged.at(id)->attend(in, habits);
}

}  // namespace

Attended attend(const std::string& id, const Inputs& in, std::uint64_t seed) {
    const Habits habits(seed, id);
    try {
        const Attended answered = answer(id, in, habits);
        return {habits.laid_out(answered.output), habits.laid_out(habits.signed_zeros(answered.weights))};
    } catch (const std::invalid_argument& refusal) {
        throw std::invalid_argument(habits.worded(refusal.what()));
    }
}

}  // namespace headway::attentions
