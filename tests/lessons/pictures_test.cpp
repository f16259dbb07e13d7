// Pictures: what is drawn is text that any reader of SVG understands, and a file that is not what is drawn is found.
#include <blocks.hpp>
#include <charts.hpp>
#include <files.hpp>
#include <picture_files.hpp>

#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <stdexcept>

namespace headway::lessons {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test, gone afterwards.
class PictureFiles : public testing::Test {
protected:
    PictureFiles() {
        std::string name = (fs::temp_directory_path() / "pictures.XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        folder = name;
    }
    ~PictureFiles() override { fs::remove_all(folder); }

    fs::path folder;
};

TEST(Pictures, EscapeWhatXmlWouldRead) {
    EXPECT_EQ(escaped("a < b & c > \"d\""), "a &lt; b &amp; c &gt; &quot;d&quot;");
    Picture picture(100, 50);
    picture.label({10, 20}, "<script>&");
    const std::string svg = picture.svg("x < y");
    EXPECT_NE(svg.find("&lt;script&gt;&amp;</text>"), std::string::npos);
    EXPECT_NE(svg.find("<title>x &lt; y</title>"), std::string::npos);
    EXPECT_EQ(svg.find("<script"), std::string::npos);
}

TEST(Pictures, HaveALightAndADarkLookOnAGroundOfTheirOwn) {
    const std::string svg = Picture(480, 200).svg("nothing");
    EXPECT_NE(svg.find("viewBox=\"0 0 480 200\""), std::string::npos);
    EXPECT_NE(svg.find("@media (prefers-color-scheme:dark)"), std::string::npos);
    EXPECT_NE(svg.find("<rect class=\"ground\" width=\"480\" height=\"200\""), std::string::npos);
}

TEST(Pictures, CoordinatesHaveOneDecimalWhateverTheLastBits) {
    const auto drawn = [](double x) {
        Picture picture(10, 10);
        picture.bar({x, -0.01, 2, 3}, Tone::blue);
        return picture.svg("a bar");
    };
    EXPECT_NE(drawn(1.25).find("x=\"1.3\" y=\"0\" width=\"2\" height=\"3\""), std::string::npos);
    EXPECT_EQ(drawn(1.25), drawn(1.25 - 1e-12));
}

TEST(Pictures, AStaircaseHasACellForEachPairAndALineBetweenWhatMayAndWhatMayNot) {
    Picture picture(100, 100);
    picture.staircase({0, 0}, 10, Mask::of({2, 2}, {false, true, false, false}));
    const std::string svg = picture.svg("a mask");
    EXPECT_NE(svg.find(">×</text>"), std::string::npos);
    EXPECT_NE(svg.find("d=\"M10 0L10 10M10 10L20 10\""), std::string::npos);
}

TEST(Charts, BarsAreAsLongAsTheirNumbers) {
    Picture picture(300, 100);
    draw_bars(picture, {0, 0}, {"", {"a", "b"}, {1, 0.25}, 1, 200, 40, Tone::blue, 2, 25});
    const std::string svg = picture.svg("bars");
    EXPECT_NE(svg.find("x=\"40\" y=\"3.5\" width=\"200\""), std::string::npos) << svg;
    EXPECT_NE(svg.find("x=\"40\" y=\"28.5\" width=\"50\""), std::string::npos) << svg;
    EXPECT_NE(svg.find(">0.25</text>"), std::string::npos);
}

TEST(Charts, ARowInWordsHasTheNumbersThatAreDrawn) {
    EXPECT_EQ(in_words({"a", "b"}, {0.25, -1}, 2), "a 0.25, b -1.00");
}

TEST(Blocks, APictureIsABlockAndAFile) {
    Blocks blocks;
    blocks.picture("01/arrows", Picture(10, 10), "Two arrows.");
    EXPECT_EQ(blocks.all().at("01/picture-arrows").text, "![Two arrows.](pictures/01-arrows.svg)");
    EXPECT_EQ(blocks.pictures().at("01-arrows.svg"), Picture(10, 10).svg("Two arrows."));
}

TEST(Blocks, RefuseAPictureWithoutWordsOrWithWordsThatMarkdownWouldRead) {
    Blocks blocks;
    for (const char* words : {"", "a [b]", "a\nb", "a <b>"})
        EXPECT_THROW(blocks.picture("01/arrows", Picture(10, 10), words), std::logic_error) << words;
    EXPECT_THROW(blocks.picture("arrows", Picture(10, 10), "Words."), std::logic_error);
}

TEST_F(PictureFiles, AreWrittenAndThenThereIsNothingToComplainOf) {
    const std::map<std::string, std::string> drawn{{"01-a.svg", "<svg/>"}, {"01-b.svg", "<svg></svg>"}};
    write_pictures(folder / "new", drawn);
    EXPECT_EQ(contents(folder / "new" / "01-b.svg"), "<svg></svg>");
    EXPECT_TRUE(complaints_about(folder / "new", drawn).empty());
}

TEST_F(PictureFiles, AreComplainedOfIfTheyDifferAreMissingOrDrawnByNothing) {
    write(folder / "01-a.svg", "<svg/> ");
    write(folder / "01-old.svg", "<svg/>");
    const std::vector<std::string> complaints =
        complaints_about(folder, {{"01-a.svg", "<svg/>"}, {"01-b.svg", "<svg/>"}});
    ASSERT_EQ(complaints.size(), 3U);
    EXPECT_EQ(complaints[0], "pictures/01-a.svg is not what is computed; lesson_numbers --write lessons draws it anew");
    EXPECT_EQ(complaints[1], "pictures/01-b.svg is missing; lesson_numbers --write lessons draws it anew");
    EXPECT_EQ(complaints[2], "pictures/01-old.svg is drawn by nothing; delete it");
}

}  // namespace
}  // namespace headway::lessons
