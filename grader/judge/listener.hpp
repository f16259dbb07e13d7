#pragma once

#include "hidden_test.hpp"

#include <vector>

namespace headway::judge {

/// Turns what GoogleTest and the suites report into the verdict's tests.
class Listener : public testing::EmptyTestEventListener {
public:
    explicit Listener(const Suite& suite) : suite_(suite) {}

    void OnTestStart(const testing::TestInfo& info) override;
    void OnTestEnd(const testing::TestInfo& info) override;

    /// The results, with those on credit settled.
    std::vector<verdict::Test> settled() const;

private:
    struct Result {
        verdict::Test test;
        std::vector<Credit> credits;
    };

    /// The one of these functions that some test finds wrong; empty if none.
    std::string blamed(const std::vector<std::string>& functions) const;

    const Suite& suite_;
    std::vector<Result> results_;
};

}  // namespace headway::judge
