// Who is in the class, from any platform's list.
#include "classroom/roster.hpp"
#include "classroom/worksheet_times.hpp"

#include <gmock/gmock.h>

namespace headway::classroom {
namespace {

using testing::HasSubstr;

Enrolled first(std::string_view text) { return Roster::parse(text, "roster.csv").people().at(0); }

std::string complaint(std::string_view text) {
    try {
        Roster::parse(text, "roster.csv");
    } catch (const RosterError& error) {
        return error.what();
    }
    return "";
}

TEST(Roster, IsReadFromAnyPlatformsList) {
    struct Sample {
        const char* text;
        const char* id;
        const char* name;
        const char* section;
    };
    for (const Sample& one : {
             Sample{"id,name,section\ns1,Ada Lovelace,A\n", "s1", "Ada Lovelace", "A"},
             {"id,name\nJane Doe,Jane Doe\n", "Jane~Doe", "Jane Doe", ""},  // as the folder that she hands in
             {"Identifier,Full name,Email address,Status\nParticipant 4711,Ada Lovelace,ada@x.org,\n", "4711",
              "Ada Lovelace", ""},
             {"\xEF\xBB\xBFID;\"Vollständiger Name\";E-Mail-Adresse;Gruppen\nTeilnehmer/in4711;Ada "
              "Lovelace;ada@x.org;A\n",
              "4711", "Ada Lovelace", "A"},
             {"Identifiant,Nom complet,Adresse de courriel\nParticipant4711,Ada Lovelace,a@x.org\n", "4711",
              "Ada Lovelace", ""},
             {"Identificador,Nombre completo,Dirección de correo\nParticipante 4711,Ada Lovelace,a@x.org\n", "4711",
              "Ada Lovelace", ""},
             {"Vorname,Nachname,E-Mail-Adresse\nAda,Lovelace,ada@x.org\n", "ada@x.org", "Ada Lovelace", ""},
             {"Student,ID,SIS User ID,SIS Login ID,Section,Headway\n    Points Possible,,,,,100\n"
              "\"Lovelace, Ada\",815,u815,ada,\"Sec A and B\",\n",
              "815", "Lovelace, Ada", "Sec A and B"},
             {"First Name\tLast Name\tSID\tEmail\tSection\nAda\tLovelace\t\tada@x.org\tA\n", "ada@x.org",
              "Ada Lovelace", "A"},
             {"OrgDefinedId,Username,Last Name,First Name,Email,End-of-Line Indicator\n"
              "#004711,#ada,Lovelace,Ada,ada@x.org,#\n",
              "004711", "Ada Lovelace", ""},
             {"Username,Headway Points Grade <Numeric MaxPoints:140>,End-of-Line Indicator\n#ada,,#\n", "ada", "", ""},
         }) {
        const Enrolled read = first(one.text);
        EXPECT_EQ(read.id, one.id) << one.text;
        EXPECT_EQ(read.name, one.name) << one.text;
        EXPECT_EQ(read.section, one.section) << one.text;
    }
}

TEST(Worksheet, HasTheTimeOfEachWhoHandedIn) {
    const std::string text =
        "Identifier,Full name,Last modified (submission),Last modified (grade)\n"
        "Participant 4711,Ada,\"Friday, 1 May 2026, 2:00 PM\",-\nParticipant 4712,Ben,-,\"Friday, 8 May 2026, 2:00 "
        "PM\"\n";
    EXPECT_TRUE(Roster::has_times(text));
    EXPECT_FALSE(Roster::has_times("id,time\n4711,2026-05-01T12:00:00Z\n"));
    EXPECT_TRUE(Roster::has_times("ID;\"Zuletzt geändert (Abgabe)\"\n"));
    EXPECT_TRUE(Roster::has_times("Identificador,Última modificación (entrega)\n"));
    const std::map<std::string, std::string> expected = {{"4711", "2026-05-01T12:00:00Z"}};
    EXPECT_EQ(times_in(Roster::parse(text, "w.csv"), "+02:00", "w.csv"), expected);
    try {
        times_in(Roster::parse("Identifier,Last modified (submission)\n4711,soon\n", "w.csv"), "UTC", "w.csv");
        FAIL();
    } catch (const RosterError& error) {
        EXPECT_THAT(error.what(), HasSubstr("w.csv, line 2: 'soon' is no time"));
    }
    try {
        times_in(Roster::parse("Identifier,Last modified (submission)\n4711,\"1 May 9026, 14:00\"\n", "w"), "UTC", "w");
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("w, line 2: 9026-05-01T14:00:00Z has not come yet"));
    }
}

TEST(Roster, OfBrightspaceHasItsTwoKeys) {
    const Enrolled ada = first("OrgDefinedId,Username,End-of-Line Indicator\n#004711,#ada,#\n");
    EXPECT_EQ(ada.org_defined, "004711");
    EXPECT_EQ(ada.brightspace_user, "ada");
    const Enrolled moodles = first("First name,Last name,Username\nAda,Lovelace,ada\n");
    EXPECT_EQ(moodles.id, "ada");
    EXPECT_EQ(moodles.brightspace_user, "") << "another platform's user name";
}

TEST(Roster, WhomCanvasMadeUpIsNobody) {
    const char* canvas =
        "Student,ID,SIS User ID,SIS Login ID,Section\n\"Lovelace, Ada\",815,,ada,A\n\"Student, Test\",999,,a1b2,A\n";
    const Roster roster = Roster::parse(canvas, "r");
    EXPECT_EQ(roster.people().size(), 1U);
    EXPECT_TRUE(roster.is_made_up("999"));
    EXPECT_TRUE(roster.is_made_up("a1b2"));
    EXPECT_FALSE(roster.is_made_up("815"));
    EXPECT_EQ(first("id,name\n7,\"Student, Test\"\n").id, "7") << "not in Canvas: somebody may be called so";
}

TEST(Roster, WhatCannotBeIsRefusedByNameAndLine) {
    EXPECT_THAT(complaint("id,name\ns1,Ada\ns2,Ben\ns1,Eve\n"),
                HasSubstr("roster.csv, line 4: s1 stands in line 2 already"));
    EXPECT_THAT(complaint("name,section\nAda,A\n"), HasSubstr("roster.csv, line 1: no column of ids"));
    EXPECT_THAT(complaint("id,name\ns1,\"Ada\n"), HasSubstr("roster.csv, line 2: a quotation mark opens here"));
    EXPECT_THAT(complaint("id,name\ns1,Lovelace, Ada\n"), HasSubstr("line 2: 3 fields below 2 headings"));
    EXPECT_THAT(complaint("id,name\n,Ada\n"), HasSubstr("line 2: Ada has no id"));
    EXPECT_THAT(complaint("id,name\n../x,Ada\n"), HasSubstr("line 2: '../x' can be no student's id"));
    EXPECT_THAT(complaint("id,name\n"), HasSubstr("names nobody"));
    EXPECT_THAT(complaint("\xFF\xFEi\0d\0"), HasSubstr("not UTF-8"));
    EXPECT_THAT(complaint(""), HasSubstr("is empty"));
}

TEST(Roster, AHandInUnderALoginOrAnEMailAddressIsTheirs) {
    Roster roster = Roster::parse(
        "Student,ID,SIS Login ID,Email\nAda,1,ada,a@x.org\nBen,2,ben,same@x.org\nEve,3,eve,same@x.org\n", "r");
    roster.go_by({"ada", "2", "ben", "same@x.org"});
    EXPECT_EQ(roster.name_of("ada"), "Ada");
    EXPECT_EQ(roster.find("1"), nullptr);
    EXPECT_EQ(roster.name_of("2"), "Ben");
    EXPECT_EQ(roster.name_of("3"), "Eve");
    EXPECT_EQ(roster.find("same@x.org"), nullptr) << "of two people";
}

TEST(Roster, AnEMailAddressIsTheSameInCapitals) {
    Roster roster = Roster::parse("id,email\n1,Ada@x.org\n2,ben@x.org\nEve,e@x.org\n", "r");
    roster.go_by({"ada@X.org", "Ben@x.org", "ben@X.org", "eve"});
    EXPECT_NE(roster.find("ada@X.org"), nullptr);
    EXPECT_NE(roster.find("2"), nullptr) << "two have handed in under that";
    roster.go_by({"ben@x.org", "Ben@x.org"});
    EXPECT_NE(roster.find("ben@x.org"), nullptr) << "to the letter";
    EXPECT_NE(roster.find("Eve"), nullptr) << "no address";
}

}  // namespace
}  // namespace headway::classroom
