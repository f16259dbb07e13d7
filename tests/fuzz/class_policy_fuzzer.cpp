// class.toml, whatever it says, is a policy within bounds or refused in a sentence.
#include "text_in.hpp"

#include "gradebook/marking_policy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace headway;
    static const std::vector<std::string> exercises{"01_single_head", "02_head_splitting", "03_scaled_scores"};
    try {
        const auto policy = gradebook::MarkingPolicy::parse(std::string(fuzz::as_text(data, size)), exercises);
        fuzz::require(policy.exercises.size() == exercises.size());
        fuzz::require(policy.late_percent_a_day >= 0 && policy.late_percent_a_day <= 100);
        for (const auto& [name, one] : policy.exercises) fuzz::require(one.points >= 0 && one.points <= 1e6);
        fuzz::require(policy.extension("a", "01_single_head") >= 0);
        for (const auto& [group, members] : policy.groups)
            for (const std::string& member : members) policy.members(member);
    } catch (const gradebook::MarkingPolicyError&) {
    }
    return 0;
}
