#pragma once

#include "student/behaviour.hpp"
#include "student/evidence.hpp"
#include "student/expect.hpp"
#include "student/inputs.hpp"
#include "student/student.hpp"
#include "student/sweep.hpp"
#include "student/test_record.hpp"

#include <headway/random.hpp>

#include <gtest/gtest.h>

#include <any>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace headway::judge {

/// What the hidden tests of one run share. The judge makes it, and hands it to each test.
struct Session {
    Student& student;
    std::uint64_t seed = 0;
    bool sanitized = false;
    std::any kept = {};  ///< what one test of the suite has worked out and the others need, too
};

/// A hidden test: talks to the submission, knows what must come back.
class HiddenTest : public testing::Test {
public:
    /// @param name  of the test: decides, with the seed, what `random` draws
    HiddenTest(Session& session_of_all, const std::string& name);

protected:
    Session& session;
    Student& student;
    /// A stream of this test's own: it does not change when another test draws more.
    Random random;

private:
    /// The test itself: the block that follows PROPERTY(...).
    virtual void body() = 0;
    void TestBody() final;
};

/// Runs the body of a test, and completes the record if it fails. Where a worker may have been ended by something
/// outside it runs once more, from its beginning: a submission that ends itself does so again.
void run_test(Student& student, const std::function<void()>& body);

/// A hidden test before it runs: declared by PROPERTY.
struct Property {
    std::string name;  ///< "ScoresAreDividedBySqrtHeadDim"
    int points = 0;
    std::string sentence;  ///< "scores are divided by √head_dim"
    const char* file = "";
    int line = 0;
    std::function<HiddenTest*(Session&)> make;
};

/// What the judge knows of one exercise's suite.
struct Suite {
    std::string exercise;              ///< "03_scaled_scores"
    std::vector<Property> properties;  ///< in the order of the source
    /// By the names of properties; see STATES.
    std::map<std::string, std::vector<std::string>> states = {};
};

/// All suites by their GoogleTest name: "ScaledScores". Filled before main begins, and not changed later.
std::map<std::string, Suite>& suites();

/// Adds to suites() before main.
struct Registration {
    Registration(const std::string& suite, const std::string& exercise);
    Registration(const std::string& suite, Property property);
    Registration(const std::string& suite, const std::string& property, std::vector<std::string> states);
};

}  // namespace headway::judge

/// Opens the suite of an exercise; HEADWAY_EXERCISE comes from the build.
#define HIDDEN_SUITE(Name) static const headway::judge::Registration register_suite_##Name(#Name, HEADWAY_EXERCISE)

/// A hidden test named as a property, with its points and the sentence that students read. What follows is its body,
/// in which `session`, `student` and `random` are at hand.
#define PROPERTY(SuiteName, Name, points, sentence)                                                                    \
    class SuiteName##_##Name : public headway::judge::HiddenTest {                                                     \
        using HiddenTest::HiddenTest;                                                                                  \
        void body() override;                                                                                          \
                                                                                                                       \
    public:                                                                                                            \
        static HiddenTest* make(headway::judge::Session& session) { return new SuiteName##_##Name(session, #Name); }   \
    };                                                                                                                 \
    static const headway::judge::Registration register_##SuiteName##_##Name(                                           \
        #SuiteName, headway::judge::Property{#Name, points, sentence, __FILE__, __LINE__, &SuiteName##_##Name::make}); \
    void SuiteName##_##Name::body()

/// Which decisions of the catalogue, or stages of them, a property states whose test may pass on credit. No such test
/// passes beside a mistake in one of them.
#define STATES(SuiteName, Name, ...)                                                   \
    static const headway::judge::Registration register_states_of_##SuiteName##_##Name( \
        #SuiteName, #Name, std::vector<std::string>{__VA_ARGS__})
