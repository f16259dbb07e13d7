// When things were handed in: every line is understood or refused by its number.
#include "intake/hand_in.hpp"
#include "intake/moodle_time.hpp"

#include "submission/digest.hpp"
#include "temporary_folder.hpp"
#include "verdict/verdict.hpp"

#include <gtest/gtest.h>

namespace headway::intake {
namespace {

class TimesFile : public testing::Test {
protected:
    std::map<std::string, std::string> read(const std::string& text) const {
        build::write_file(folder_.path() / "times.csv", text);
        return read_times(folder_.path() / "times.csv");
    }
    std::string refusal(const std::string& text) const {
        try {
            read(text);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "";
    }

private:
    build::TemporaryFolder folder_;
};

using Times = std::map<std::string, std::string>;

TEST(Time, IsReadInWhateverZone) {
    EXPECT_EQ(utc("2026-05-01T12:00:00Z"), "2026-05-01T12:00:00Z");
    EXPECT_EQ(utc("2026-05-01 01:30:00 +0200"), "2026-04-30T23:30:00Z");
    EXPECT_EQ(utc("2026-05-01T12:00-05:00"), "2026-05-01T17:00:00Z");
    EXPECT_EQ(utc("1.5.2026"), std::nullopt);
}

TEST(Time, ThatDoesNotExistIsNone) {
    for (const char* text : {"2026-02-31T12:00:00Z", "2026-02-29T12:00:00Z", "2026-13-01T12:00:00Z",
                             "2026-04-00T12:00Z", "2026-04-01T24:00:00Z", "2026-04-01T12:60:00Z",
                             "2026-04-01T12:00:61Z", "2026-04-01T12:00+24:00", "0000-01-01T00:00+01:00"})
        EXPECT_EQ(utc(text), std::nullopt) << text;
    EXPECT_EQ(utc("2028-02-29T12:00:00Z"), "2028-02-29T12:00:00Z");
}

TEST(MoodleTime, IsReadInItsLanguagesOnTheClockThatIsNamed) {
    for (const char* text : {"Friday, 1 May 2026, 2:05 PM", "Friday, May 1, 2026, 2:05\u202fpm",
                             "Freitag, 1. Mai 2026, 14:05", "vendredi 1 mai 2026, 14:05", "vendredi 1 mai 2026 à 14h05",
                             "viernes, 1 de mayo de 2026, 14:05", "2026-05-01 14:05", "2026-05-01T12:05:00Z"})
        EXPECT_EQ(moodle_time(text, "+02:00"), "2026-05-01T12:05:00Z") << text;
    EXPECT_EQ(moodle_time("mardi 5 mai 2026, 0:00", "UTC"), "2026-05-05T00:00:00Z") << "not in March";
    EXPECT_EQ(moodle_time("martes, 5 de mayo de 2026, 00:00", "UTC"), "2026-05-05T00:00:00Z");
    EXPECT_EQ(moodle_time("Sunday, 1 March 2026, 12:00 AM", "UTC"), "2026-03-01T00:00:00Z");
    EXPECT_EQ(moodle_time("Sunday, 1 March 2026, 12:00 PM", "UTC"), "2026-03-01T12:00:00Z");
}

TEST(MoodleTime, ThatNoClockShowsIsNone) {
    for (const char* text : {"-", "soon", "1/05/26, 14:00", "31 February 2026, 14:00", "1 May 2026",
                             "1 May 2026, 13:00 PM", "1 May 2026, 24:00", "1 May, 14:00", "Brumaire 1, 2026, 14:00"})
        EXPECT_EQ(moodle_time(text, "UTC"), std::nullopt) << text;
}

TEST(MoodleTime, FollowsClocksThatAreSetForwardAndBack) {
    ASSERT_TRUE(is_zone("Europe/Berlin")) << "is tzdata installed? ./headway doctor";
    EXPECT_EQ(moodle_time("Friday, 1 May 2026, 2:00 PM", "Europe/Berlin"), "2026-05-01T12:00:00Z");
    EXPECT_EQ(moodle_time("Friday, 2 January 2026, 2:00 PM", "Europe/Berlin"), "2026-01-02T13:00:00Z");
    EXPECT_EQ(moodle_time("Sonntag, 25. Oktober 2026, 02:30", "Europe/Berlin"), "2026-10-25T00:30:00Z") << "the first";
    EXPECT_EQ(moodle_time("Sonntag, 29. März 2026, 02:30", "Europe/Berlin"), std::nullopt) << "there is none";
}

TEST(Zone, IsANameOrAnOffset) {
    for (const char* zone : {"UTC", "+02:00", "-0500"}) EXPECT_TRUE(is_zone(zone)) << zone;
    for (const char* zone : {"", "Berlin", "../../etc/passwd", "Europe", "Europe/../Europe/Berlin", "+25:00"})
        EXPECT_FALSE(is_zone(zone)) << zone;
}

TEST_F(TimesFile, KnowsPeopleByTheIdsThatTheirHandInsGet) {
    EXPECT_EQ(read("Jane Doe,2026-05-01T12:00:00Z\n"), (Times{{"Jane~Doe", "2026-05-01T12:00:00Z"}}));
    EXPECT_NE(refusal("Jane Doe,2026-05-01T12:00:00Z\nJane~Doe,2026-05-02T12:00:00Z\n"), "");
}

TEST_F(TimesFile, HasCommasOrSemicolonsAndMaybeAHeading) {
    const Times expected = {{"s01", "2026-05-01T12:00:00Z"}, {"s02", "2026-05-02T10:00:00Z"}};
    EXPECT_EQ(read("s01,2026-05-01T12:00:00Z\ns02,2026-05-02 12:00 +0200\n"), expected);
    EXPECT_EQ(read("id;time\r\ns01;2026-05-01T12:00:00Z\r\n\r\ns02;2026-05-02T10:00:00Z\r\n"), expected);
    EXPECT_EQ(read("\xEF\xBB\xBF\"s01\", \"2026-05-01T12:00:00Z\"\ns02, 2026-05-02T10:00:00Z"), expected);
}

TEST_F(TimesFile, ItsFirstLineIsNoHeadingIfItHasATimeThatCannotBeRead) {
    EXPECT_NE(refusal("s01,03.05.2026 19:00\n").find("times.csv, line 1: '03.05.2026 19:00' is no time"),
              std::string::npos);
    EXPECT_NE(refusal("s01 2026-05-01T12:00:00Z\n").find("line 1: there is no id and time"), std::string::npos);
}

TEST_F(TimesFile, WhatCannotBeATimeIsRefusedByItsLine) {
    EXPECT_NE(refusal("id,time\ns01,2026-02-31T12:00:00Z\n").find("line 2"), std::string::npos);
    EXPECT_NE(refusal("id,time\ns01,soon\n").find("line 2"), std::string::npos);
    EXPECT_NE(refusal("s01,2026-05-01T12:00:00Z\n,2026-05-01T12:00:00Z\n").find("line 2"), std::string::npos);
    EXPECT_NE(refusal("id,time\n").find("holds no times"), std::string::npos);
}

/// A mistyped year would be a zero for being late by decades.
TEST_F(TimesFile, ATimeThatHasNotComeYetIsRefusedByItsLine) {
    const std::int64_t now = seconds_of(verdict::now());
    const auto at = [&](std::int64_t seconds) { return utc_of(now + seconds); };
    EXPECT_NE(refusal("id,time\ns01,9026-05-01T12:00Z\n").find("times.csv, line 2: 9026-05-01T12:00:00Z has not come"),
              std::string::npos);
    EXPECT_NE(refusal("s01," + at(2 * 3600) + "\n"), "");
    EXPECT_EQ(read("s01," + at(1800) + "\n"), (Times{{"s01", at(1800)}})) << "clocks differ";
}

TEST_F(TimesFile, AStudentHasOneTime) {
    EXPECT_NE(refusal("s01,2026-05-01T12:00:00Z\ns01,2026-05-02T12:00:00Z\n").find("line 2: s01 has two times"),
              std::string::npos);
    EXPECT_EQ(read("s01,2026-05-01T12:00:00Z\ns01,2026-05-01T14:00:00+02:00\n").size(), 1U);
}

}  // namespace
}  // namespace headway::intake
