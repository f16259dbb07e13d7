// The gradebook: what is in it stays in it.
#include "gradebook/gradebook.hpp"
#include "gradebook/compressed.hpp"
#include "gradebook/schema.hpp"

#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include <sys/stat.h>

namespace headway::gradebook {
namespace {

struct Desk {
    build::TemporaryFolder folder;
    std::filesystem::path file = folder.path() / "gradebook.sqlite";
};

build::Submission source(const std::string& text) { return {"03_scaled_scores", {}, {{"a.cpp", text}}, {}}; }

Attempt attempt(const std::string& student, const build::Submission& source) {
    return {0, student, student, {}, "", "", {{source.exercise, source.digest()}}};
}

Edition first_edition(Gradebook& gradebook) {
    const Edition edition = gradebook.propose({0, 18446744073709551615U, "", {{"03_scaled_scores", "suite"}}});
    gradebook.apply(edition);
    return edition;
}

Graded passed() {
    Graded graded;
    graded.exercise.name = "03_scaled_scores";
    graded.exercise.digest = "d";
    graded.exercise.state = verdict::State::passed;
    graded.exercise.points = 10;
    graded.log = "compiled";
    graded.graded = verdict::now();
    return graded;
}

TEST(Gradebook, IsForItsOwnerAlone) {
    using std::filesystem::perms;
    const Desk desk;
    const auto others_may = [](const std::filesystem::path& file) {
        return std::filesystem::status(file).permissions() & (perms::group_all | perms::others_all);
    };
    const mode_t before = ::umask(022);
    {
        Gradebook gradebook(desk.file, Access::read_write);
        first_edition(gradebook);
        for (const char* ending : {"", "-wal", "-shm"}) {
            ASSERT_TRUE(std::filesystem::exists(desk.file.string() + ending)) << ending;
            EXPECT_EQ(others_may(desk.file.string() + ending), perms::none) << ending;
        }
    }
    std::filesystem::permissions(desk.file, perms::group_read | perms::others_read, std::filesystem::perm_options::add);
    Gradebook again(desk.file, Access::read_write);
    EXPECT_EQ(others_may(desk.file), perms::none) << "one that was made before";
    ::umask(before);
}

TEST(Gradebook, WhatIsPendingComesInPartsAsItWasHandedInEachOnce) {
    const Desk desk;
    Gradebook gradebook(desk.file, Access::read_write);
    const Edition edition = first_edition(gradebook);
    std::vector<std::string> expected;
    for (const char* text : {"5", "1", "5", "3", "1", "4", "2"}) {
        const build::Submission one = source(text);
        gradebook.record(attempt("s" + std::to_string(gradebook.attempts().size()), one), {one});
        if (std::ranges::find(expected, one.digest()) == expected.end()) expected.push_back(one.digest());
    }
    gradebook.store(gradebook.pending(edition)[1], passed());
    expected.erase(expected.begin() + 1);
    EXPECT_EQ(gradebook.count_pending(edition), expected.size());
    for (const std::size_t most : {std::size_t{1}, std::size_t{2}, std::size_t{3}, Gradebook::all}) {
        std::vector<std::string> found;
        Job last;
        for (auto part = gradebook.pending(edition, last, most); !part.empty();
             part = gradebook.pending(edition, last, most)) {
            EXPECT_LE(part.size(), most);
            for (const Job& job : part) found.push_back(job.source);
            last = part.back();
        }
        EXPECT_EQ(found, expected);
    }
}

TEST(Gradebook, EqualSourcesAreOneJobAndUnchangedOnesNoNewAttempt) {
    const Desk desk;
    Gradebook gradebook(desk.file, Access::read_write);
    const Edition edition = first_edition(gradebook);
    EXPECT_EQ(gradebook.record(attempt("a", source("1")), {source("1")}), Gradebook::Recorded::anew);
    EXPECT_EQ(gradebook.record(attempt("b", source("1")), {source("1")}), Gradebook::Recorded::anew);
    EXPECT_EQ(gradebook.record(attempt("a", source("1")), {source("1")}), Gradebook::Recorded::unchanged);
    ASSERT_EQ(gradebook.pending(edition).size(), 1U);
    gradebook.store(gradebook.pending(edition).front(), passed());
    EXPECT_TRUE(gradebook.pending(edition).empty());
    EXPECT_EQ(gradebook.record(attempt("a", source("2")), {source("2")}), Gradebook::Recorded::anew);
    EXPECT_EQ(gradebook.attempts().size(), 3U);
    EXPECT_EQ(gradebook.pending(edition).size(), 1U);
}

TEST(Gradebook, AVerdictComesBackWithItsLogAndIsNeverOverwritten) {
    const Desk desk;
    Gradebook gradebook(desk.file, Access::read_write);
    const Edition edition = first_edition(gradebook);
    gradebook.record(attempt("a", source("1")), {source("1")});
    const Job job = gradebook.pending(edition).at(0);
    gradebook.store(job, passed());
    Graded other = passed();
    other.exercise.points = 0;
    gradebook.store(job, other);
    const auto stored = gradebook.verdict(job.source, job.suite);
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->exercise.points, 10);
    EXPECT_EQ(stored->log, "compiled");
    EXPECT_EQ(gradebook.current()->seed, 18446744073709551615U);
}

TEST(Gradebook, ADamagedVerdictGivesNoPoints) {
    const Desk desk;
    Gradebook gradebook(desk.file, Access::read_write);
    const Edition edition = first_edition(gradebook);
    gradebook.record(attempt("a", source("1")), {source("1")});
    gradebook.store(gradebook.pending(edition).at(0), passed());
    EXPECT_EQ(gradebook.scores(edition).begin()->second.points, 10);
    Database(desk.file, Access::read_write).execute("UPDATE verdict SET points = 3");
    EXPECT_TRUE(gradebook.scores(edition).empty()) << "an export must not have them";
    EXPECT_EQ(gradebook.drop_damaged(), 1U);
    EXPECT_EQ(gradebook.count_pending(edition), 1U);
}

TEST(Gradebook, DamagedSourcesAreMendedByHandingInAgain) {
    const Desk desk;
    Gradebook gradebook(desk.file, Access::read_write);
    const Edition edition = first_edition(gradebook);
    gradebook.record(attempt("a", source("1")), {source("1")});
    Database(desk.file, Access::read_write).execute("UPDATE source_file SET text = 'x'");
    const Job job = gradebook.pending(edition).at(0);
    EXPECT_THROW(gradebook.source(job), std::runtime_error);
    EXPECT_EQ(gradebook.record(attempt("a", source("1")), {source("1")}), Gradebook::Recorded::unchanged);
    EXPECT_EQ(gradebook.source(job).files.at(0).text, "1");
}

TEST(Gradebook, AnEarlierVersionIsMigratedAndALaterOneRefused) {
    const Desk desk;
    {
        Database database(desk.file, Access::read_write);
        migrate(database, 1);
        database.execute("INSERT INTO attempt VALUES (1, 'anna', 'anna', 'd', NULL, '2026', '', '')");
    }
    EXPECT_THROW(Gradebook(desk.file, Access::read_only), DatabaseError);
    EXPECT_EQ(Gradebook(desk.file, Access::read_write).attempts().at(0).student, "anna");
    Database(desk.file, Access::read_write).execute("PRAGMA user_version = 99");
    EXPECT_THROW(Gradebook(desk.file, Access::read_write), DatabaseError);
}

TEST(Gradebook, AFileThatIsNoneIsRefusedInWords) {
    const Desk desk;
    std::ofstream(desk.file) << std::string(5000, 'x');
    try {
        const Gradebook gradebook(desk.file, Access::read_write);
        FAIL();
    } catch (const DatabaseError& error) {
        EXPECT_NE(std::string(error.what()).find("no gradebook"), std::string::npos) << error.what();
    }
}

TEST(Compressed, DamageIsNoticed) {
    const std::string text(1000, 'a');
    EXPECT_EQ(decompressed(compressed(text)), text);
    EXPECT_THROW(decompressed(compressed(text).substr(0, 12)), std::runtime_error);
    EXPECT_THROW(decompressed(std::string(8, '\xff')), std::runtime_error);
    EXPECT_THROW(decompressed(""), std::runtime_error);
}

}  // namespace
}  // namespace headway::gradebook
