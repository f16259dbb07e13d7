// What the call shows of why the function failed that was called.
#include "grading/causes_in_callers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway::cli {
namespace {

TEST(CausesInCallers, AStructThatWasHandedOnEmptyIsTold) {
    const auto told = [](const std::string& declared, const std::string& call) {
        verdict::Failure failure;
        failure.message = "your tiled threw std::out_of_range: axis 0 is out of range for rank 0, shape ()";
        failure.at = verdict::SourceLine{"tiled.cpp", 2, "const Index B = running.gathered.size(0);"};
        const std::vector<build::SourceFile> files = {
            {"tiled.cpp", "Running nothing_seen(Index B) {\n    return {};\n}\nTensor tiled(const Tensor& q) {\n" +
                              declared + "\n" + call + "\n}\n"}};
        tell_what_was_handed_on_empty(failure, {{"tiled.cpp", 6, call}}, ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_EQ(told("Running running;", "absorb(running, q);"),
              "running holds nothing when it gets there: line 5 declares it without a value. Write Running running = "
              "nothing_seen(…); there.");
    EXPECT_EQ(told("Running running = nothing_seen(1);", "absorb(running, q);"), "");
    EXPECT_EQ(told("Running running; running.largest = q;", "absorb(running, q);"), "");
    EXPECT_EQ(told("Tensor running;", "absorb(running, q);"), "") << "one may be meant to be empty";
    EXPECT_EQ(told("Running running;", "absorb(q);"), "");
}

TEST(CausesInCallers, ElementsThatWereHandedOnEmptyAreTold) {
    const auto told = [](const std::string& declared, const std::string& before) {
        verdict::Failure failure;
        failure.message = "your tiled threw std::out_of_range: axis 0 is out of range for rank 0, shape ()";
        failure.at = verdict::SourceLine{"tiled.cpp", 2, "const Index B = running.gathered.size(0);"};
        const std::vector<build::SourceFile> files = {
            {"tiled.cpp", "Running nothing_seen(Index B) {\n    return {};\n}\nTensor tiled(const Tensor& q) {\n" +
                              declared + "\n" + before + "\nabsorb(states[i], q);\n" +
                              "for (const Running& state : states) f(state);\n}\n"}};
        tell_what_was_handed_on_empty(failure, {{"tiled.cpp", 7, ""}}, ReadSources(files));
        return failure.advice.value_or("");
    };
    EXPECT_EQ(told("std::vector<Running> states(n);", ""),
              "The elements of states hold nothing when they get there, if there are any: line 5 makes it, and nothing "
              "gives them a value. First states[…] = nothing_seen(…); or states.push_back(nothing_seen(…)); for each.");
    EXPECT_NE(told("std::vector<Running> states;", "states.reserve(n);"), "") << "that makes room alone";
    EXPECT_EQ(told("std::vector<Running> states;", "states.push_back(nothing_seen(2));"), "");
    EXPECT_EQ(told("std::vector<Running> states(n);", "states[0] = nothing_seen(2);"), "");
    EXPECT_EQ(told("std::vector<Running> states(n);", "for (Running& one : states) one = nothing_seen(2);"), "");
    EXPECT_EQ(told("std::vector<Running> states(n);", "begin(states);"), "") << "which may give them values";
    EXPECT_EQ(told("std::vector<Running> states(n, nothing_seen(2));", ""), "");
    EXPECT_EQ(told("std::vector<Tensor> states(n);", ""), "") << "one may be meant to be empty";
    EXPECT_EQ(told("struct Sum { Tensor sum = Tensor::zeros({3}); }; std::vector<Sum> states(n);", ""), "");
    EXPECT_EQ(told("struct Sum { Sum() : sum(3) {} Tensor sum; }; std::vector<Sum> states(n);", ""), "");
    EXPECT_NE(told("struct Sum { Tensor sum; }; std::vector<Sum> states(n);", ""), "");
}

}  // namespace
}  // namespace headway::cli
