#include "worker/test_report.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace headway::worker {
namespace {

using Report = std::vector<std::pair<std::string, std::optional<std::string>>>;

constexpr std::size_t most_bytes = 300;

/// In one line, which is what there is room for.
std::string in_a_line(const std::string& text) {
    std::string line;
    for (const char c : text.substr(0, most_bytes)) {
        const char next = c == '\n' ? ' ' : c;
        if (next != ' ' || !line.ends_with(' ')) line += next;
    }
    return line;
}

/// What a failed test said first.
std::string first_words(const testing::TestResult& result) {
    for (int i = 0; i < result.total_part_count(); ++i) {
        const testing::TestPartResult& part = result.GetTestPartResult(i);
        if (!part.failed()) continue;
        const std::string line = part.line_number() > 0 ? "line " + std::to_string(part.line_number()) + ": " : "";
        return line + in_a_line(part.message());
    }
    return "it failed";
}

class Silent : public testing::EmptyTestEventListener {
public:
    explicit Silent(Report& report) : report_(report) {}

    void OnTestEnd(const testing::TestInfo& test) override {
        const testing::TestResult& result = *test.result();
        std::optional<std::string> said;  // nothing, neither for nor against
        if (!result.Skipped()) said = result.Failed() ? first_words(result) : std::string();
        report_.emplace_back(std::string(test.test_suite_name()) + "." + test.name(), std::move(said));
    }

private:
    Report& report_;
};

}  // namespace

Report report_of_all_tests() {
    int argc = 1;
    std::string name = "tests";
    char* argv[] = {name.data(), nullptr};
    testing::InitGoogleTest(&argc, argv);
    Report report;
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Silent(report));                 // owns it
    [[maybe_unused]] const int failed = RUN_ALL_TESTS();  // which ones, the report says
    return report;
}

}  // namespace headway::worker
