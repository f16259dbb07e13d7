// What the words of a loop tell of the numbers for which it never ends: nothing that is not certain.
#include "submission/endless_numbers.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headway::build {
namespace {

/// Of a loop in line 3, below `before`.
FunctionAround function_with(const std::string& before, const std::string& loop) {
    const std::string text = "void f(float size, Index n, Index tile) {\n" + before + "\n" + loop + "\n}\n";
    return FunctionsOfFile(text).around(3).value_or(FunctionAround{});
}

std::string stays(const std::string& before, const std::string& loop) {
    const auto found = stays_true(function_with(before, loop), 3);
    if (!found) return "";
    using Why = StaysTrue::Why;
    return found->number + (found->why == Why::counter_grows_to_it     ? " above " + found->counter
                            : found->why == Why::counter_never_gets_to ? " far from " + found->counter
                            : found->why == Why::infinity_stays        ? " infinite"
                                                                       : " 0");
}

TEST(EndlessNumbers, AnInfiniteNumberIsNeverReached) {
    EXPECT_EQ(stays("float power = 1;", "while (power * 2 <= size) power *= 2;"), "size above power");
    EXPECT_EQ(stays("float power = 1;", "while (size >= 2.0F * power) power *= 2.0F;"), "size above power");
    EXPECT_EQ(stays("float power = 1;", "while (size >= power * 2.0F) power *= 2.0F;"), "size above power");
    EXPECT_EQ(stays("double power = 1;", "while (2 * power <= std::abs(size)) power *= 2;"), "size above power");
    EXPECT_EQ(stays("if (size == 0) return; double power = 1;", "while (power <= std::abs(size)) power *= 2;"),
              "size above power");
    EXPECT_EQ(stays("float power = 1;", "while (size > 2.0F * power) power *= 2.0F;"), "") << "ends at infinity";
    EXPECT_EQ(stays("", "for (double power = 1; power <= size; power = power * 2.0) ++n;"), "size above power");
    EXPECT_EQ(stays("double power = 1;", "for (; power <= size; power = power * 2.0) ++n;"), "size above power");
    EXPECT_EQ(stays("const double x = f(n, n), most = g(n); double power = 1;", "while (power <= most) power *= 2;"),
              "most above power");
    EXPECT_EQ(stays("double power = 1; g(n, most);", "while (power <= most) power *= 2;"), "") << "of any type";
    EXPECT_EQ(stays("float x = 0;", "while (x < size) { x += 1; ++n; }"), "size far from x");
    EXPECT_EQ(stays("int e = 0;", "while (size >= 2) { size /= 2; ++e; }"), "size infinite");
    EXPECT_EQ(stays("double x = std::abs(size);", "for (; x >= 2; x /= 2) ++e;"), "x infinite");
    EXPECT_EQ(stays("int e = 0;", "while (size < 1) { size *= 2; --e; }"), "size 0");
    EXPECT_EQ(stays("while (size >= 2) size /= 2;", "while (size < 1) size *= 2;"), "size 0")
        << "that leaves 0 as it is";
}

TEST(EndlessNumbers, OfALoopThatMayEndNothingIsSaid) {
    for (const char* before : {"float power = 1;", "if (std::isinf(size)) return; float power = 1;"})
        EXPECT_EQ(stays(before, "while (power * 2 < size) power *= 2;"), "") << "infinity < infinity is false";
    EXPECT_EQ(stays("if (std::isinf(size)) return; float power = 1;", "while (power <= size) power *= 2;"), "");
    EXPECT_EQ(stays("if (size > 65504) return; float power = 1;", "while (power <= size) power *= 2;"), "");
    EXPECT_EQ(stays("float power = 1;", "while (power <= size) { power *= 2; if (n < power) break; }"), "");
    EXPECT_EQ(stays("float power = 1;", "while (power <= size) { power *= 2; size -= 1; }"), "");
    EXPECT_EQ(stays("float power = 1;", "while (power <= size) { power *= 2; grow(power); }"), "");
    EXPECT_EQ(stays("Index power = 1;", "while (power <= size) power *= 2;"), "") << "no such number is infinite";
    EXPECT_EQ(stays("float power = 1;", "while (power <= n) power *= 2;"), "");
    EXPECT_EQ(stays("if (size == 0) return;", "while (size < 1) size *= 2;"), "");
    EXPECT_EQ(stays("", "while (size > 0) size -= 1;"), "");
}

std::string step(const std::string& before, const std::string& loop) {
    const auto found = variable_step(function_with(before, loop), 3);
    if (!found) return "";
    return found->counter + " by " + found->step +
           (found->set_in == 0 ? "" : ": " + found->divided + "/" + found->divisor);
}

TEST(EndlessNumbers, AStepMayBe0) {
    const std::string loop = "for (Index t = 0; t < n; t += tile) g(t, t + tile);";
    EXPECT_EQ(step("", loop), "t by tile");
    EXPECT_EQ(step("const Index part = n / 8;", "for (Index t = 0; t < n; t += part) g(t);"), "t by part: n/8");
    EXPECT_EQ(step("const auto part = size / 8;", "for (Index t = 0; t < n; t = t + part) g(t);"), "t by part");
    EXPECT_EQ(step("", "for (Index t = 0; t < n; t += tile) g(std::min(tile, n - t));"), "t by tile");
    const std::string go_on = "while (t < n) { const Index end = std::min(t + part, n); g(t, end); t = end; }";
    EXPECT_EQ(step("Index t = 0; const Index part = n / 8;", go_on), "t by part: n/8");
    EXPECT_EQ(step("Index t = 0; const Index part = std::max<Index>(1, n / 8);", go_on), "");
    EXPECT_EQ(step("Index t = 0;", go_on), "") << "a parameter, which may well be above 0";
    EXPECT_EQ(step("if (tile < 1) throw e;", loop), "");
    EXPECT_EQ(step("require(0 < tile);", loop), "");
    EXPECT_EQ(step("const Index part = std::max<Index>(1, n / 8);", "for (Index t = 0; t < n; t += part) g(t);"), "");
    EXPECT_EQ(step("const Index part = 4;", "for (Index t = 0; t < n; t += part) g(t);"), "");
    EXPECT_EQ(step("", "for (Index t = 0; t < n; t += tile) tile = 4;"), "");
    EXPECT_EQ(step("", "for (Index t = 0; t < n; ++t) g(t);"), "");
}

TEST(EndlessNumbers, AListIsNoCounter) {
    EXPECT_TRUE(goes_through_a_list(function_with("", "for (const Index g : list) f([&] { g(); h(); });"), 3));
    EXPECT_FALSE(goes_through_a_list(function_with("", "for (Index t = 0; t < n; ++t) g(t);"), 3));
    EXPECT_FALSE(goes_through_a_list(function_with("", "while (more()) g();"), 3));
}

}  // namespace
}  // namespace headway::build
