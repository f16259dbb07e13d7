#include "worker/test_report.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace headway::worker {
namespace {

using Report = std::vector<TestSaid>;
using NowIn = void (*)(const std::string& test);
using LastThrow = std::vector<std::int64_t> (*)();

constexpr std::size_t most_bytes = 300;

/// In one line, which is what there is room for.
std::string in_a_line(const std::string& text) {
    std::string line;
    for (const char c : text.substr(0, most_bytes)) {
        const char next = c == '\n' ? ' ' : c;
        if (next != ' ' || !line.ends_with(' ')) line += next;
    }
    if (text.size() <= most_bytes) return line;
    const std::size_t whole_words = line.rfind(' ');
    return line.substr(0, whole_words) + " ...";
}

/// What a failed test said first, and where it was thrown: an exception has no line.
void note_failure(TestSaid& said, const testing::TestResult& result, LastThrow last_throw) {
    said.words = "it failed";
    for (int i = 0; i < result.total_part_count(); ++i) {
        const testing::TestPartResult& part = result.GetTestPartResult(i);
        if (!part.failed()) continue;
        if (in_a_line(part.message()).find("mixing TEST_F and TEST") != std::string::npos) {
            // The line is GoogleTest's own.
            said.words =
                "TEST and TEST_F are mixed in one suite, and GoogleTest gives a suite one fixture: make every "
                "test of it a TEST_F, or give the others another name";
            return;
        }
        const bool has_line = part.line_number() > 0;
        said.words = (has_line ? "line " + std::to_string(part.line_number()) + ": " : "") + in_a_line(part.message());
        if (!has_line) said.thrown_at = last_throw();
        return;
    }
}

std::string name_of(const testing::TestInfo& test) { return std::string(test.test_suite_name()) + "." + test.name(); }

class Silent : public testing::EmptyTestEventListener {
public:
    Silent(Report& report, NowIn now_in, LastThrow last_throw)
        : report_(report), now_in_(now_in), last_throw_(last_throw) {}

    void OnTestStart(const testing::TestInfo& test) override { now_in_(name_of(test)); }
    void OnTestEnd(const testing::TestInfo& test) override {
        const testing::TestResult& result = *test.result();
        TestSaid said{name_of(test), {}};
        if (result.Failed() && !result.Skipped())
            note_failure(said, result, last_throw_);
        else if (!result.Skipped())
            said.words.emplace();
        report_.push_back(std::move(said));
        now_in_("");
    }

private:
    Report& report_;
    NowIn now_in_;
    LastThrow last_throw_;
};

}  // namespace

Report report_of_all_tests(NowIn now_in, LastThrow last_throw) {
    int argc = 1;
    std::string name = "tests";
    char* argv[] = {name.data(), nullptr};
    testing::InitGoogleTest(&argc, argv);
    Report report;
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Silent(report, now_in, last_throw));  // owns it
    [[maybe_unused]] const int failed = RUN_ALL_TESTS();       // which ones, the report says
    return report;
}

}  // namespace headway::worker
