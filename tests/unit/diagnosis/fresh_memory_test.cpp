// The judge finds the memory that is read before anything was written to it, and believes a worker no more than an
// address.
#include "diagnosis/fresh_memory.hpp"
#include "diagnosis/unwritten_part.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace headway::diagnosis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

sandbox::Launch worker(const char* program) {
    sandbox::Command command;
    command.arguments = {program};
    return sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway);
}

std::vector<std::int64_t> maker_in(const char* program, const std::string& function) {
    judge::Student student(worker(program), {});
    Function asked;
    asked.name = function;
    return maker_of_unwritten_memory(student, asked, {{"size", Index{5}}}, are_identical);
}

/// The functions in which these addresses are, as the program's file has them.
std::string names_at(const std::vector<std::int64_t>& addresses) {
    sandbox::Command command;
    command.arguments = {"/usr/bin/addr2line", "--functions", "--demangle", "--exe", MARKED_WORKER};
    for (const std::int64_t address : addresses) command.arguments.push_back(fmt::format("{:#x}", address));
    return sandbox::run(sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway),
                        std::chrono::seconds(60), std::size_t{1} << 20U)
        .output;
}

// In a sanitized build of the tests operator new[] is the sanitizer's, and marks nothing.
#ifdef HEADWAY_ASAN
constexpr bool memory_is_marked = false;
#else
constexpr bool memory_is_marked = true;
#endif

TEST(FreshMemory, OfSeveralTensorsTheOneThatIsNotWrittenTo) {
    if (!memory_is_marked) GTEST_SKIP() << "operator new[] is the sanitizer's";
    const std::string names = names_at(maker_in(MARKED_WORKER, "sum_from_anything"));
    const std::size_t own = names.find("(anonymous namespace)::");
    ASSERT_NE(own, std::string::npos) << names;
    EXPECT_EQ(names.find("(anonymous namespace)::scratch_of("), own) << names;
    EXPECT_THAT(names, HasSubstr("(anonymous namespace)::sum_from_anything("));
}

TEST(FreshMemory, AnArrayOfOnesOwn) {
    if (!memory_is_marked) GTEST_SKIP() << "operator new[] is the sanitizer's";
    EXPECT_THAT(names_at(maker_in(MARKED_WORKER, "last_of_an_array")), HasSubstr("(anonymous namespace)::array_of("));
}

TEST(FreshMemory, WhatIsWrittenFirstShowsInNoAnswer) {
    EXPECT_THAT(maker_in(MARKED_WORKER, "written"), IsEmpty());
    EXPECT_THAT(maker_in(MARKED_WORKER, "no such function"), IsEmpty());
}

TEST(FreshMemory, AWorkerThatSaysImpossibleThingsIsNotBelieved) {
    EXPECT_THAT(maker_in(FORGING_WORKER, "negative"), IsEmpty());
    EXPECT_THAT(maker_in(FORGING_WORKER, "too_many"), IsEmpty());
    EXPECT_THAT(maker_in(FORGING_WORKER, "nothing"), IsEmpty());
    EXPECT_THAT(maker_in(FORGING_WORKER, "no_list"), IsEmpty());
    EXPECT_THAT(maker_in(FORGING_WORKER, "throws"), IsEmpty());
    EXPECT_THAT(maker_in(FORGING_WORKER, "dies"), IsEmpty());
    EXPECT_THAT(maker_in(FORGING_WORKER, "possible"), ElementsAre(7, largest)) << "a line, or none: addr2line looks";
}

/// A result of two rows of `width` of which these columns hold what memory held, all others 1.
Reply with_unwritten(Index width, unsigned memory, bool is_unwritten(Index row, Index column)) {
    Array numbers{{2, width}, {}, {}};
    for (Index row = 0; row < 2; ++row)
        for (Index column = 0; column < width; ++column)
            numbers.value.push_back(is_unwritten(row, column) ? std::bit_cast<float>(std::uint32_t{memory}) : 1.0F);
    numbers.error.assign(numbers.value.size(), 0);
    Reply reply;
    reply.answer = Answer::of(numbers);
    return reply;
}

TEST(FreshMemory, WhatIsNotWrittenAtTheEndOfAnAxisIsTold) {
    const auto told = [](bool is_unwritten(Index, Index), Index width = 10) {
        std::vector<Reply> filled, refilled;
        for (const Index one : {Index{1}, width}) {
            filled.push_back(with_unwritten(one, 0xfefefefe, is_unwritten));
            refilled.push_back(with_unwritten(one, 0x55555555, is_unwritten));
        }
        return what_other_memory_changes(filled, refilled);
    };
    EXPECT_THAT(told([](Index, Index column) { return column > 5; }),
                HasSubstr(": in the result, along its last axis numbers 6 to 9 of the 10 are what memory held before"));
    EXPECT_THAT(told([](Index, Index column) { return column > 5; }, 7),
                HasSubstr(": in the result, along its last axis number 6 of the 7 is what memory held before"));
    EXPECT_THAT(told([](Index row, Index column) { return row > 0 && column > 0; }), Not(HasSubstr("held before")));
    EXPECT_THAT(told([](Index, Index column) { return column == 3; }), Not(HasSubstr("held before")));
    EXPECT_THAT(told([](Index row, Index) { return row > 0; }),
                HasSubstr(": in the result, along its axis 0 number 1 of the 2 is what memory held before"));
    EXPECT_THAT(told([](Index, Index) { return true; }), Not(HasSubstr("held before"))) << "all of it";
}

TEST(FreshMemory, OfWhatIsShorterThanABlockAllMayBeUnwritten) {
    const auto told = [](Index shorter, bool of_shorter(Index, Index)) {
        std::vector<Reply> filled, refilled;
        const auto is_left_over = [](Index, Index column) { return column > 7; };
        for (const auto& [replies, memory] : {std::pair{&filled, 0xfefefefeU}, std::pair{&refilled, 0x55555555U}}) {
            replies->push_back(with_unwritten(shorter, memory, of_shorter));
            replies->push_back(with_unwritten(10, memory, is_left_over));
        }
        return what_other_memory_changes(filled, refilled);
    };
    const auto all = [](Index, Index) { return true; };
    EXPECT_THAT(told(3, all), HasSubstr("along its last axis numbers 8 to 9 of the 10 are what memory held before"));
    EXPECT_THAT(told(3, [](Index, Index column) { return column != 1; }), HasSubstr("numbers 8 to 9 of the 10"));
    EXPECT_THAT(told(3, [](Index row, Index column) { return row == column; }), Not(HasSubstr("held before")));
    EXPECT_THAT(told(12, all), Not(HasSubstr("held before"))) << "a longer one";
}

TEST(FreshMemory, WhatAWorkerSaysIsBounded) {
    const FreshMemory told = fresh_memory_as_told({largest, 1, largest});
    EXPECT_LT(told.given, 1 << 21);
    EXPECT_THAT(told.frames, ElementsAre(1, largest));
    Shape most(1 + wire::most_frames, 3);
    EXPECT_EQ(fresh_memory_as_told(most).frames.size(), wire::most_frames);
    most.push_back(3);
    for (const Shape& impossible : {Shape{}, Shape{-1}, Shape{5, -1}, most}) {
        EXPECT_EQ(fresh_memory_as_told(impossible).given, 0);
        EXPECT_THAT(fresh_memory_as_told(impossible).frames, IsEmpty());
    }
}

}  // namespace
}  // namespace headway::diagnosis
