#include "submission/digest.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

namespace headway::build {
namespace {

TEST(Digest, IsSha256OfDelimitedParts) {
    // The empty sequence is SHA-256 of nothing (FIPS 180-4).
    EXPECT_EQ(Digest().hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_NE(Digest().add("ab").add("c").hex(), Digest().add("a").add("bc").hex());
    EXPECT_EQ(Digest().add("ab").add("c").hex(), Digest().add("ab").add("c").hex());
}

TEST(Digest, FilesAreReadAndReplacedWhole) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "result.json";
    write_file(file, "first");
    write_file(file, "");
    EXPECT_EQ(read_file(file), "");
    write_file(file, "second");
    EXPECT_EQ(read_file(file), "second");
    EXPECT_THROW(read_file(folder.path() / "nothing"), std::runtime_error);
    EXPECT_THROW(write_file(folder.path() / "no/folder/file", "x"), std::runtime_error);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace headway::build
