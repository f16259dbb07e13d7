#include "judge/run_suite.hpp"

#include "judge/listener.hpp"

#include "student/visible_tests.hpp"

#include <stdexcept>

namespace headway::judge {

const std::pair<const std::string, Suite>& suite_of(const std::string& exercise) {
    for (const auto& named : suites())
        if (named.second.exercise == exercise) return named;
    throw std::runtime_error("there is no suite for " + exercise);
}

namespace {

/// What the visible tests ask. Where a hidden test has failed it would say nothing new, so it comes last, and has no
/// points of its own: see Listener::settled.
class VisibleTests : public HiddenTest {
public:
    VisibleTests(Session& session_of_all, const Listener& so_far, const std::string& exercise)
        : HiddenTest(session_of_all, Listener::visible_tests), so_far_(so_far), exercise_(exercise) {}

private:
    void body() override {
        if (so_far_.all_passed()) ask_visible_tests(student, exercise_);
    }

    const Listener& so_far_;
    const std::string& exercise_;
};

const Listener& run_all(const std::pair<const std::string, Suite>& suite, Session& session, const std::string& only) {
    int argc = 1;
    std::string program = "judge";
    char* argv[] = {program.data(), nullptr};
    testing::InitGoogleTest(&argc, argv);
    GTEST_FLAG_SET(filter, "*");  // whatever the environment says
    GTEST_FLAG_SET(catch_exceptions, true);
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    for (const Property& one : suite.second.properties)
        if (only.empty() || one.name == only)
            testing::RegisterTest(suite.first.c_str(), one.name.c_str(), nullptr, nullptr, one.file, one.line,
                                  [&]() -> HiddenTest* { return one.make(session); });
    auto* listener = new Listener(suite.second, session);
    testing::RegisterTest(suite.first.c_str(), Listener::visible_tests, nullptr, nullptr, __FILE__, __LINE__,
                          [&session, listener, &suite]() -> HiddenTest* {
                              return new VisibleTests(session, *listener, suite.second.exercise);
                          });
    listeners.Append(listener);                           // owns it
    [[maybe_unused]] const int failed = RUN_ALL_TESTS();  // a result, not a failure of the judge
    return *listener;
}

}  // namespace

nlohmann::json run_suite(const std::pair<const std::string, Suite>& suite, Session session, const std::string& only) {
    nlohmann::json document = nlohmann::json::array();
    for (const verdict::Test& test : run_all(suite, session, only).settled())
        document.push_back(verdict::to_json(test));
    return document;
}

nlohmann::json run_comparisons(const std::pair<const std::string, Suite>& suite, Session session) {
    const Listener& run = run_all(suite, session, "");
    nlohmann::json tests = nlohmann::json::array(), sweeps = nlohmann::json::array();
    for (const auto& [test, comparisons] : run.comparisons())
        tests.push_back({{"name", test}, {"all", comparisons.all}, {"blind", comparisons.blind}});
    for (const Sweep& sweep : run.sweeps())
        sweeps.push_back(
            {{"kind", sweep.kind}, {"of", sweep.of}, {"questions", sweep.questions}, {"functions", sweep.functions}});
    nlohmann::json visible = nlohmann::json::array();
    for (const VisibleTest& test : visible_tests()[suite.second.exercise]) visible.push_back(test.name);
    return {{"tests", tests}, {"sweeps", sweeps}, {"visible", visible}};
}

}  // namespace headway::judge
