#include "attend.hpp"

#include "right/right.hpp"
#include "roster.hpp"
#include "wrong.hpp"

namespace headway::attentions {

Attended attend(const std::string& id, const Inputs& in) {
    static const std::map<std::string, Attended (*)(const Inputs&)> right_ones{
        {"nested_loops", &nested_loops},           {"sum_of_heads", &sum_of_heads},
        {"online_softmax", &online_softmax},       {"log_sum_exp", &log_sum_exp},
        {"both_sides_scaled", &both_sides_scaled}, {"double_precision", &double_precision}};
    static const auto wrong = wrong_ones();
    if (id == roster::reference) return Staged().attend(in);
    if (const auto found = right_ones.find(id); found != right_ones.end()) return found->second(in);
    return wrong.at(id)->attend(in);
}

}  // namespace headway::attentions
