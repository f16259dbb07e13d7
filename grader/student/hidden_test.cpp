#include "student/hidden_test.hpp"

#include "student/time_budget.hpp"

#include <utility>

namespace headway::judge {
namespace {

/// FNV-1a: the same on every platform, unlike std::hash.
std::uint64_t hash(const std::string& text) {
    std::uint64_t value = 14695981039346656037ULL;
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return value;
}

}  // namespace

std::map<std::string, Suite>& suites() {
    static std::map<std::string, Suite> all;
    return all;
}

HiddenTest::HiddenTest(Session& session_of_all, const std::string& name)
    : session(session_of_all), student(session.student), random(session.seed ^ hash(name)) {}

void HiddenTest::TestBody() {
    const Random as_before = random;
    run_test(student, [&] {
        random = as_before;
        body();
    });
}

void run_test(Student& student, const std::function<void()>& body) {
    for (const bool is_last : {false, true}) try {
            body();
            if (student.test_record().let_through.empty()) return;
            throw StopTest{};
        } catch (const OutOfTime&) {
            if (!student.test_record().let_through.empty()) student.test_record().stopped_by({});
            throw;
        } catch (const StopTest& stop) {
            student.test_record().stopped_by(stop);
            if (is_last || !student.test_record().in_doubt) throw;
            student.fresh_worker();
            student.test_record() = {};
        }
}

Registration::Registration(const std::string& suite, const std::string& exercise) {
    suites()[suite].exercise = exercise;
}

Registration::Registration(const std::string& suite, Property property) {
    suites()[suite].properties.push_back(std::move(property));
}

Registration::Registration(const std::string& suite, const std::string& property, std::vector<std::string> states) {
    suites()[suite].states[property] = std::move(states);
}

}  // namespace headway::judge
