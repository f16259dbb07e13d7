#include "student/hidden_test.hpp"

namespace headway::judge {
namespace {

/// FNV-1a: the same on every platform, unlike std::hash.
std::uint64_t hash(const std::string& text) {
    std::uint64_t value = 14695981039346656037ULL;
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return value;
}

std::uint64_t seed_of_this_test() {
    return session().seed ^ hash(testing::UnitTest::GetInstance()->current_test_info()->name());
}

}  // namespace

std::map<std::string, Suite>& suites() {
    static std::map<std::string, Suite> all;
    return all;
}

Session& session() {
    static Session session;
    return session;
}

HiddenTest::HiddenTest() : student(*session().student), random(seed_of_this_test()) {}

Registration::Registration(const std::string& suite, const std::string& exercise) {
    suites()[suite].exercise = exercise;
}

Registration::Registration(const std::string& suite, const std::string& test, const Declared& declared) {
    suites()[suite].properties.emplace_back(test, declared);
}

Registration::Registration(const std::string& suite,
                           std::function<void(Student&, Random&, std::vector<double>&)> probe) {
    suites()[suite].probe = std::move(probe);
}

}  // namespace headway::judge
