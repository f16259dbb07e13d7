// When things were handed in: every line is understood or refused by its number.
#include "intake/hand_in.hpp"

#include "submission/digest.hpp"
#include "temporary_folder.hpp"

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

TEST_F(TimesFile, AStudentHasOneTime) {
    EXPECT_NE(refusal("s01,2026-05-01T12:00:00Z\ns01,2026-05-02T12:00:00Z\n").find("line 2: s01 has two times"),
              std::string::npos);
    EXPECT_EQ(read("s01,2026-05-01T12:00:00Z\ns01,2026-05-01T14:00:00+02:00\n").size(), 1U);
}

}  // namespace
}  // namespace headway::intake
