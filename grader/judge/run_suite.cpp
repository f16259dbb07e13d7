#include "judge/run_suite.hpp"

#include "judge/listener.hpp"

#include <stdexcept>

namespace headway::judge {

const std::pair<const std::string, Suite>& suite_of(const std::string& exercise) {
    for (const auto& named : suites())
        if (named.second.exercise == exercise) return named;
    throw std::runtime_error("there is no suite for " + exercise);
}

nlohmann::json run_suite(const std::pair<const std::string, Suite>& suite, const Session& with,
                         const std::string& which) {
    session() = with;
    int argc = 1;
    std::string program = "judge";
    char* argv[] = {program.data(), nullptr};
    testing::InitGoogleTest(&argc, argv);
    GTEST_FLAG_SET(filter, suite.first + "." + which);
    GTEST_FLAG_SET(catch_exceptions, true);
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    auto* listener = new Listener(suite.second);
    listeners.Append(listener);                           // owns it
    [[maybe_unused]] const int failed = RUN_ALL_TESTS();  // a result, not a failure of the judge
    nlohmann::json document = nlohmann::json::array();
    for (const verdict::Test& test : listener->settled()) document.push_back(verdict::to_json(test));
    return document;
}

}  // namespace headway::judge
