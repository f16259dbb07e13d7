// Ids are names of files, cells of tables and parts of pages: whatever a name has in it, its id is harmless, and no two
// names have the same one.
#include "intake/student_id.hpp"

#include <gtest/gtest.h>

#include <set>

namespace headway::intake {
namespace {

TEST(StudentIds, AreNamesOfAnyScriptAsTheyAre) {
    for (const char* name : {"anna", "s4711", "_a", "Jürgen", "Ελένη", "王小明", "محمد", "देवी", "a.b@x.org", "a+b-c"})
        EXPECT_EQ(student_of(name), name);
}

TEST(StudentIds, WriteSpacesAndTheRestInAWayOfTheirOwn) {
    EXPECT_EQ(student_of("Jane Doe"), "Jane~Doe");
    EXPECT_EQ(student_of("Doe, Jane"), "Doe=2C~Jane");
    EXPECT_EQ(student_of("O'Brien"), "O=27Brien");
    EXPECT_EQ(student_of("a/../b"), "a=2F..=2Fb");
    EXPECT_EQ(student_of("J\xfcrgen"), "J=FCrgen");    // no UTF-8
    EXPECT_EQ(student_of("a\u202eb"), "a=E2=80=AEb");  // it would turn round what follows
}

TEST(StudentIds, AreNeverThoseOfAnotherName) {
    const std::set<std::string> names = {"Jane Doe",  "Jane_Doe",   "Jane~Doe", "Jane  Doe", "Jane=20Doe",
                                         "Jane\tDoe", "Jane=7EDoe", "JaneDoe",  "Jane=Doe",  "jane doe"};
    std::set<std::string> ids;
    for (const std::string& name : names) ids.insert(student_of(name));
    EXPECT_EQ(ids.size(), names.size());
}

TEST(StudentIds, AreTheSameHoweverAnAccentIsWritten) { EXPECT_EQ(student_of("Ju\u0308rgen"), "J\u00fcrgen"); }

TEST(StudentIds, AreNotMadeOfWhatCannotBeginOne) {
    for (const char* name : {"", "-rf", ".ssh", "@x", "(Jane)", " Jane", "\u0308a", "=1+1"}) {
        EXPECT_FALSE(is_usable_id(student_of(name))) << name;
        EXPECT_EQ(student_of(name).front(), '\'') << name;
    }
    EXPECT_FALSE(is_usable_id(student_of(std::string(101, 'a'))));
    EXPECT_TRUE(is_usable_id(student_of(std::string(100, 'a'))));
}

TEST(StudentIds, AreWhatAListMeansByANameOrAnId) {
    EXPECT_EQ(id_meant_by("Jane Doe"), "Jane~Doe");
    EXPECT_EQ(id_meant_by("Jane~Doe"), "Jane~Doe");
    EXPECT_EQ(id_meant_by(row_of("(who?)")), "'(who?)'");
    EXPECT_EQ(id_meant_by("(who?)"), "'(who?)'");
    EXPECT_EQ(id_meant_by("'"), student_of("'"));
}

TEST(StudentIds, HoldNothingThatCannotBeSeen) {
    for (const char* id : {"a b", "a/b", "a\nb", "a\u200bb", "a\u3164", "J\xfc", "Ju\u0308rgen", "a<b", "a'b"})
        EXPECT_FALSE(is_usable_id(id)) << id;
}

}  // namespace
}  // namespace headway::intake
