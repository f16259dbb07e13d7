// Each protection holds where the jail is built, and is reported missing where it is switched off: so the inspection
// that verdicts are stamped with sees the difference.
#include "sandbox/survey.hpp"

#include "sandbox/jail.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace headway::sandbox {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Survey survey_without(const std::string& name) {
    Policy policy;
    if (!name.empty()) policy.switched_off.insert(name);
    return survey({HEADWAY_PROGRAMS, HEADWAY_SOURCE_DIR}, policy);
}

/// Where no jail can be built, there is nothing to test.
class Protections : public testing::Test {
protected:
    void SetUp() override {
        if (!whole().jail.exists()) GTEST_SKIP() << whole().protections.at("no_network");
    }
    static const Survey& whole() {
        static const Survey survey = survey_without("");
        return survey;
    }
    /// It stops what the inspection tries; without it the inspection gets through, and says how.
    static void holds(const std::string& name) {
        EXPECT_EQ(whole().protections.at(name), "enforced");
        EXPECT_THAT(survey_without(name).protections.at(name), StartsWith("absent: switched off in the policy; "));
    }
    /// The inspection cannot try it, or not here; the hostile corpus does.
    static void is_reported(const std::string& name) {
        EXPECT_EQ(whole().protections.at(name), "enforced");
        EXPECT_THAT(survey_without(name).protections.at(name), StartsWith("absent: switched off in the policy"));
    }
};

#define HOLDS(name) \
    TEST_F(Protections, name) { holds(#name); }

#define IS_REPORTED(name) \
    TEST_F(Protections, name) { is_reported(#name); }

HOLDS(no_host_files)
IS_REPORTED(no_hidden_suites)
HOLDS(own_processes)
HOLDS(bounded_folder)
HOLDS(read_only_files)
HOLDS(bounded_files)
IS_REPORTED(dies_with_grader)
HOLDS(bounded_processes)
HOLDS(bounded_addresses)
HOLDS(bounded_time)
HOLDS(no_core_dumps)
HOLDS(no_tracing)
HOLDS(no_hidden_memory)
HOLDS(no_privileges)
HOLDS(no_new_namespaces)
HOLDS(no_kernel_doors)
HOLDS(no_network)
HOLDS(no_sockets)
HOLDS(own_letter_boxes)

TEST_F(Protections, EveryOneHasATest) {
    // A protection without a HOLDS above would be one that nobody has seen failing.
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    const auto* suite = testing::UnitTest::GetInstance()->current_test_suite();
    ASSERT_NE(info, nullptr);
    for (const Protection& protection : protections()) {
        bool found = false;
        for (int i = 0; i < suite->total_test_count(); ++i)
            found |= suite->GetTestInfo(i)->name() == std::string(protection.name);
        EXPECT_TRUE(found) << protection.name;
    }
}

TEST_F(Protections, StrangersCodeRunsInAWholeJail) { EXPECT_NO_THROW(require_jail(whole(), Unsafe::no)); }

TEST_F(Protections, StrangersCodeDoesNotRunInAJailWithAHole) {
    const Survey survey = survey_without("no_sockets");
    EXPECT_THROW(require_jail(survey, Unsafe::no), std::runtime_error);
    EXPECT_NO_THROW(require_jail(survey, Unsafe::yes));
}

// ---- bubblewrap before 0.8, as hosted graders have it --------------------------------------------------------------

TEST(OldBubblewrap, IsKnownByTheOptionsInIt) {
    const auto program_with = [](const std::string& bytes) {
        const auto path = std::filesystem::path(testing::TempDir()) / "bubblewrap";
        std::ofstream(path, std::ios::binary) << bytes;
        return late_options(path);
    };
    const std::string nul(1, '\0');
    EXPECT_FALSE(program_with("--tmpfs" + nul + "--sizeable" + nul).knows_size);
    EXPECT_FALSE(program_with("--size" + nul).knows_perms);
    EXPECT_TRUE(program_with("--size" + nul).knows_size);
    EXPECT_TRUE(program_with("--perms" + nul).knows_perms);
    EXPECT_FALSE(late_options("/no/such/program").knows_size);
}

/// What bubblewrap is told of /tmp, as words with spaces between.
std::string told_of_folder(const Command& command, const JailContents& contents, Bubblewrap known,
                           std::vector<std::string>* instructions = nullptr) {
    Plan plan{
        .command = command, .contents = contents, .inmate = Inmate::pool_user, .entry = "/enter", .bubblewrap = known};
    for (const Protection& protection : protections())
        if (protection.name == "bounded_folder") protection.apply(plan);
    if (instructions != nullptr) *instructions = plan.instructions;
    std::string words;
    for (const std::string& word : plan.jail) words += " " + word;
    return words;
}

TEST(OldBubblewrap, ProgramsWriteNowhereAndCompilersFileByFile) {
    const JailContents program{.program = "/worker", .readable = {}, .folder = 4096};
    JailContents tools = program;
    tools.tools = true;
    Command parcel;
    parcel.delivery_is_parcel = true;
    const Bubblewrap old{.knows_size = false, .knows_perms = false};
    EXPECT_EQ(told_of_folder({}, program, {}), " --size 4096 --perms 1777 --tmpfs /tmp");
    EXPECT_EQ(told_of_folder({}, program, old), " --tmpfs /tmp --remount-ro /tmp");
    EXPECT_EQ(told_of_folder({}, tools, old), " --tmpfs /tmp");
    EXPECT_EQ(told_of_folder(parcel, program, old), " --tmpfs /tmp");
}

TEST(OldBubblewrap, TheEntryOpensTheFolderToItsUser) {
    std::vector<std::string> instructions;
    told_of_folder({}, {}, {.knows_size = false, .knows_perms = false}, &instructions);
    EXPECT_THAT(instructions, testing::Contains("open=/tmp"));
    told_of_folder({}, {}, {.knows_size = false, .knows_perms = true}, &instructions);
    EXPECT_THAT(instructions, testing::Not(testing::Contains("open=/tmp")));
}

TEST(Survey, WithoutAJailSaysWhyAndWhatHoldsAllTheSame) {
    const Survey survey = without_jail({}, "bubblewrap is not installed");
    EXPECT_FALSE(survey.jail.exists());
    EXPECT_EQ(survey.protections.at("no_network"), "absent: bubblewrap is not installed");
    EXPECT_EQ(survey.protections.at("own_memory"), "enforced");
    try {
        require_jail(survey, Unsafe::no);
        FAIL() << "strangers' code would run without a jail";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("bubblewrap is not installed"));
        EXPECT_THAT(error.what(), HasSubstr("./headway doctor"));
    }
}

}  // namespace
}  // namespace headway::sandbox
