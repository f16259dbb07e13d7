// Files out of a jail, and what a program may send in their place.
#include "sandbox/parcel.hpp"

#include "sandbox/survey.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

namespace headway::sandbox {
namespace {

using build::TemporaryFolder;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

/// As headway-enter writes a file.
std::string packed(const std::string& name, const std::string& content) {
    const auto length = [](std::uint32_t count) {
        return std::string(reinterpret_cast<const char*>(&count), sizeof count);
    };
    return name + '\0' + length(static_cast<std::uint32_t>(content.size())) + content + length(0);
}

Parcel opened(const std::string& bytes, std::uintmax_t most = 1000) {
    const TemporaryFolder folder;
    return open_parcel(folder.write("parcel", bytes), most);
}

TEST(Parcel, HoldsFilesByName) {
    EXPECT_THAT(opened(packed("a.gcda", "one") + packed("b", "two")),
                UnorderedElementsAre(Pair("a.gcda", "one"), Pair("b", "two")));
}

TEST(Parcel, WhatIsNoParcelIsEmpty) {
    EXPECT_THAT(opened(""), IsEmpty());
    EXPECT_THAT(opened("no end of a name"), IsEmpty());
    EXPECT_THAT(opened(std::string("name\0\xff\xff\xff\xff more", 14)), IsEmpty());
    EXPECT_THAT(open_parcel("/no/such/file", 1000), IsEmpty());
}

TEST(Parcel, WhatIsCutOffIsLeftOut) {
    const std::string whole = packed("a", "one") + packed("b", "two");
    EXPECT_THAT(opened(whole.substr(0, whole.size() - 1)), UnorderedElementsAre(Pair("a", "one")));
}

TEST(Parcel, NamesArePlain) {
    EXPECT_THAT(opened(packed("../up", "x") + packed("/etc/passwd", "x") + packed("..", "x") + packed("", "x")),
                IsEmpty());
}

TEST(Parcel, OneThatIsTooLargeIsNotOpened) { EXPECT_THAT(opened(packed("a", std::string(100, 'x')), 50), IsEmpty()); }

TEST(Parcel, ComesOutOfAJailHoweverItsProgramEnds) {
    const Survey machine = survey({HEADWAY_PROGRAMS, HEADWAY_SOURCE_DIR}, {});
    if (!machine.jail.exists()) GTEST_SKIP() << "no jail here";
    const TemporaryFolder folder;
    const std::string place = Jail::parcel_place();
    Command command;
    command.arguments = {
        "/bin/sh", "-c",
        "cd " + place + "; echo text >file; ln -s /etc/hostname link; mkdir sub; mkfifo pipe; kill -SEGV $$"};
    command.environment = {"PATH=/usr/bin:/bin"};
    command.limits = {std::chrono::seconds(20), 0, mebibytes(8), 64, mebibytes(200)};
    const JailContents contents{.program = {}, .readable = {}, .tools = true, .folder = mebibytes(16)};
    const Finished finished = run(machine.jail.lock_with_parcel(command, contents, folder.path() / "parcel"),
                                  std::chrono::seconds(30), 65536);
    EXPECT_EQ(finished.ended.signal, 11);
    EXPECT_THAT(open_parcel(folder.path() / "parcel", 1000), UnorderedElementsAre(Pair("file", "text\n")));
}

}  // namespace
}  // namespace headway::sandbox
