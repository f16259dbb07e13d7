// CSV as spreadsheets and platforms write it.
#include "intake/csv_reader.hpp"

#include <gmock/gmock.h>

namespace headway::intake {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::vector<std::string>> fields(std::string_view text) {
    std::vector<std::vector<std::string>> rows;
    for (const CsvRow& row : read_csv(text)) rows.push_back(row.fields);
    return rows;
}

std::string complaint(std::string_view text) {
    try {
        read_csv(text);
    } catch (const CsvError& error) {
        return error.what();
    }
    return "";
}

TEST(CsvReader, QuotedFieldsMayHoldAnything) {
    EXPECT_THAT(fields("id,name\r\n1,\"Lovelace, \"\"Ada\"\"\"\r\n2,\"two\nlines\"\r\n3,"),
                ElementsAre(ElementsAre("id", "name"), ElementsAre("1", "Lovelace, \"Ada\""),
                            ElementsAre("2", "two\nlines"), ElementsAre("3", "")));
}

TEST(CsvReader, TheFirstLineSaysWhatSeparatesFields) {
    EXPECT_THAT(fields("\xEF\xBB\xBFid;name\n1;\"a;b\"\n"),
                ElementsAre(ElementsAre("id", "name"), ElementsAre("1", "a;b")));
    EXPECT_THAT(fields("id\tname, first\n1\ta,b\n"),
                ElementsAre(ElementsAre("id", "name, first"), ElementsAre("1", "a,b")));
    EXPECT_THAT(fields("\"a;b;c\",x\n"), ElementsAre(ElementsAre("a;b;c", "x")));
    EXPECT_THAT(fields("\nid,name\n"), ElementsAre(ElementsAre("id", "name")));
}

TEST(CsvReader, LinesAreCountedAsAnEditorCountsThem) {
    const std::vector<CsvRow> rows = read_csv("id\n\n,\n\"a\nb\"\rc\r\nd");
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[1].line, 4U);
    EXPECT_EQ(rows[2].line, 6U);
    EXPECT_EQ(rows[3].line, 7U);
}

TEST(CsvReader, BrokenQuotingIsRefusedByItsLine) {
    EXPECT_THAT(complaint("id,name\n1,\"Ada\n2,Ben\n"), HasSubstr("line 2: a quotation mark opens here"));
    EXPECT_THAT(complaint("id,name\n1,\"Ada\"x\n"), HasSubstr("line 2: something follows"));
    EXPECT_THAT(complaint("id,name\n1,Ada \"L\"\n"), HasSubstr("line 2: a quotation mark inside"));
    EXPECT_THAT(complaint(std::string_view("id\n1\0\n", 6)), HasSubstr("line 2: this is no text"));
}

TEST(CsvReader, NothingIsNoRow) {
    EXPECT_TRUE(read_csv("").empty());
    EXPECT_TRUE(read_csv("\n\r\n").empty());
}

}  // namespace
}  // namespace headway::intake
