#pragma once

#include "student/behaviour.hpp"
#include "student/evidence.hpp"
#include "student/expect.hpp"
#include "student/inputs.hpp"
#include "student/student.hpp"
#include "student/test_record.hpp"

#include <headway/random.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace headway::judge {

/// What the judge knows of one exercise's suite.
struct Suite {
    std::string exercise;                                      ///< "03_scaled_scores"
    std::vector<std::pair<std::string, Declared>> properties;  ///< by test name, in the order of the source
    /// One question to the submission about random inputs; see PROBE.
    std::function<void(Student&, Random&, std::vector<double>& answers)> probe;
};

/// All suites by their GoogleTest name: "ScaledScores".
std::map<std::string, Suite>& suites();

/// Set by the judge before the tests run.
struct Session {
    Student* student = nullptr;
    std::uint64_t seed = 0;
    bool sanitized = false;
};
Session& session();

/// A hidden test: talks to the submission, knows what must come back.
class HiddenTest : public testing::Test {
protected:
    HiddenTest();

    Student& student;
    /// A stream of this test's own: it does not change when another test draws more.
    Random random;
    bool sanitized() const { return session().sanitized; }
};

/// Adds to suites() before main.
struct Registration {
    Registration(const std::string& suite, const std::string& exercise);
    Registration(const std::string& suite, const std::string& test, const Declared& declared);
    Registration(const std::string& suite, std::function<void(Student&, Random&, std::vector<double>&)> probe);
};

}  // namespace headway::judge

/// Opens the suite of an exercise; HEADWAY_EXERCISE comes from the build.
#define HIDDEN_SUITE(Name)                             \
    class Name : public headway::judge::HiddenTest {}; \
    static const headway::judge::Registration register_suite_##Name(#Name, HEADWAY_EXERCISE)

/// A hidden test named as a property, with its points and the sentence that students read.
#define PROPERTY(SuiteName, Name, points, sentence)                          \
    static const headway::judge::Registration register_##SuiteName##_##Name( \
        #SuiteName, #Name, headway::judge::Declared{points, sentence});      \
    TEST_F(SuiteName, Name)

/// One question with random inputs whose answers tell wrong submissions apart: `verify` asks it 50 times and demands
/// that no two mutants answer alike.
#define PROBE(SuiteName)                                                                                      \
    static void probe_##SuiteName(headway::judge::Student&, headway::Random&, std::vector<double>&);          \
    static const headway::judge::Registration register_probe_##SuiteName(#SuiteName, &probe_##SuiteName);     \
    static void probe_##SuiteName([[maybe_unused]] headway::judge::Student& student, headway::Random& random, \
                                  std::vector<double>& answers)
