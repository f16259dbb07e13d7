// What is read before anything was written to it is told with the line that makes it, if the program tells the truth.
#include "headway.hpp"

#include "submission/digest.hpp"

#include <gmock/gmock.h>

namespace headway {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

/// Its memory is made in another file.
const std::string softmax_of_anything =
    "    Tensor rows = sums_of(scores.shape());\n    rows += softmax_rows_of_the_solution(scores);\n    return rows;\n";
const std::string helper_file =
    "#include <headway/tensor.hpp>\n\ninline headway::Tensor sums_of(const headway::Shape& shape) {\n"
    "    return headway::Tensor::empty(shape);\n}\n";

std::string single_head(const std::string& before = "") {
    return single_head_with_softmax(softmax_of_anything, "#include \"parts/sums.hpp\"\n" + before);
}

const verdict::FunctionDiagnosis& diagnosis_of_softmax(const verdict::Exercise& exercise) {
    static const verdict::FunctionDiagnosis none;
    if (exercise.diagnosis)
        for (const verdict::FunctionDiagnosis& one : exercise.diagnosis->functions)
            if (one.function == "softmax_rows") return one;
    ADD_FAILURE() << "softmax_rows is not diagnosed: " << exercise.build.message << exercise.build.diagnostics;
    return none;
}

TEST(UnwrittenMemory, IsToldWithTheLineThatMakesIt) {
    Desk desk;
    desk.write("01_single_head/single_head.cpp", single_head());
    desk.write("01_single_head/parts/sums.hpp", helper_file);
    const verdict::Exercise exercise = desk.grade("01");
    const verdict::FunctionDiagnosis& found = diagnosis_of_softmax(exercise);
    EXPECT_EQ(found.mistakes, std::vector<std::string>{"uninitialised_memory"});
    ASSERT_TRUE(found.at);
    EXPECT_EQ(found.at->file, "parts/sums.hpp");
    EXPECT_EQ(found.at->line, 4);
    EXPECT_EQ(found.at->text, "return headway::Tensor::empty(shape);");
    EXPECT_FALSE(found.frames);
    const std::string page = (desk.folder() / "page.html").string();
    const auto shown = desk.headway({"grade", "01", "--submission", desk.submission().string(), "--html", page});
    const std::string line = "at parts/sums.hpp:4:   return headway::Tensor::empty(shape);";
    EXPECT_THAT(shown.output, HasSubstr("\n      " + line + "\n"));
    EXPECT_THAT(build::read_file(page), HasSubstr("<pre>" + line + "</pre>"));
}

/// A mark and an account of its own, which lead to the end of the search and then elsewhere.
const std::string forged = R"(
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace headway::worker {
std::int64_t number = 0, split = -1;
void mark_fresh_memory(std::int64_t at);
void mark_fresh_memory(std::int64_t at) { number = 0, split = at; }
std::vector<std::int64_t> fresh_memory();
std::vector<std::int64_t> fresh_memory() {
    std::vector<std::int64_t> told{number};
    for (std::int64_t i = 0; i < 16; ++i) told.push_back(INT64_MAX - i);
    return told;
}
}  // namespace headway::worker
void* operator new[](std::size_t size) {
    void* memory = std::malloc(size);
    if (headway::worker::split >= 0)
        std::memset(memory, headway::worker::number++ < headway::worker::split ? 0x55 : 0xfe, size);
    return memory;
}
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
)";

TEST(UnwrittenMemory, ForgedAddressesAreNoLineAndNoPoint) {
    Desk desk;
    desk.write("01_single_head/parts/sums.hpp", helper_file);
    desk.write("01_single_head/single_head.cpp", single_head());
    const int points = desk.grade("01").points;
    desk.write("01_single_head/single_head.cpp", single_head(forged));
    const verdict::Exercise exercise = desk.grade("01");
    EXPECT_EQ(exercise.points, points);
    const verdict::FunctionDiagnosis& found = diagnosis_of_softmax(exercise);
    EXPECT_EQ(found.mistakes, std::vector<std::string>{"uninitialised_memory"});
    EXPECT_FALSE(found.at);
    EXPECT_FALSE(found.frames);
}

TEST(UnwrittenMemory, LinesThatWereNotHandedInAreNotShown) {
    for (const char* elsewhere : {"#line 4 \"/etc/passwd\"\n", "#line 1000000 \"single_head.cpp\"\n"}) {
        Desk desk;
        desk.write("01_single_head/single_head.cpp", single_head());
        desk.write("01_single_head/parts/sums.hpp", elsewhere + helper_file);
        const verdict::Exercise exercise = desk.grade("01");
        const verdict::FunctionDiagnosis& found = diagnosis_of_softmax(exercise);
        EXPECT_EQ(found.mistakes, std::vector<std::string>{"uninitialised_memory"});
        const std::string text = found.at ? found.at->text : "";
        EXPECT_THAT(text, AnyOf("", HasSubstr("sums_of(scores.shape())"))) << "or what calls it";
    }
}

}  // namespace
}  // namespace headway
