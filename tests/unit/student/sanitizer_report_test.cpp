#include "student/sanitizer_report.hpp"

#include <gtest/gtest.h>

namespace headway::judge {
namespace {

TEST(SanitizerReport, NamesTheStudentsLineNotTheLibrarys) {
    const auto report = parse_sanitizer_report(
        "debug output of the student\n"
        "=================================================================\n"
        "==12==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000020 at pc 0x55 bp 0x7f sp 0x7f\n"
        "READ of size 4 at 0x602000000020 thread T0\n"
        "    #0 0x55f in headway::Tensor::data() const /course/tensor/include/headway/tensor.hpp:150\n"
        "    #1 0x560 in headway::ex02::split_heads(headway::Tensor const&, long) ./head_splitting.cpp:31\n"
        "    #2 0x561 in main /course/grader/worker/main.cpp:40\n");
    EXPECT_EQ(report.kind, "heap-buffer-overflow");
    EXPECT_EQ(report.file, "head_splitting.cpp");
    EXPECT_EQ(report.line, 31);
    EXPECT_EQ(report.first_lines.front().find("==12==ERROR"), 0U);
    EXPECT_EQ(report.first_lines.back().find("    #1 0x560 in headway::ex02::split_heads"), 0U)
        << "the worker's own frames lead nowhere";
    EXPECT_EQ(describe(report, "split_heads"),
              "your split_heads reads or writes outside of its memory (heap-buffer-overflow) at "
              "head_splitting.cpp:31");
}

TEST(SanitizerReport, UndefinedBehaviourIsItsOwnKind) {
    const auto report = parse_sanitizer_report(
        "scaled_scores.cpp:14:52: runtime error: signed integer overflow: 2 + 2147483647 cannot be represented in type "
        "'int'\n"
        "    #0 0x56 in headway::ex03::causal_mask(long, long) ./scaled_scores.cpp:14\n");
    EXPECT_EQ(report.file, "scaled_scores.cpp");
    EXPECT_EQ(report.line, 14);
    EXPECT_EQ(report.kind.find("signed integer overflow"), 0U);
}

TEST(SanitizerReport, OnlyFilesInTheStudentsFolderAreNamed) {
    for (const char* elsewhere : {"/etc/a.cpp", ".//../a.cpp", "b/../../a.cpp", "<null>", "../a.cpp"})
        EXPECT_EQ(parse_sanitizer_report("==1==ERROR: AddressSanitizer: SEGV\n    #0 0x1 in f " +
                                         std::string(elsewhere) + ":7:9\n")
                      .file,
                  "")
            << elsewhere;
    for (const char* own : {".//parts/a.cpp", "parts/a.cpp", "./b/../parts/a.cpp"})
        EXPECT_EQ(parse_sanitizer_report(std::string(own) + ":7:9: runtime error: signed integer overflow\n").file,
                  "parts/a.cpp")
            << own;
}

TEST(SanitizerReport, AStackIsUsedUpByCallsOrByArrays) {
    const std::string begins = "==2==ERROR: AddressSanitizer: stack-overflow on address 0x7ffe\n";
    const std::string one = "    #0 0x55a1 in split(headway::Tensor const&) a.cpp:3\n";
    EXPECT_NE(
        describe(parse_sanitizer_report(begins + one + "    #1 0x55a2 in whole(headway::Tensor const&) a.cpp:9\n"),
                 "whole")
            .find("is a local array too large for it?"),
        std::string::npos);
    EXPECT_NE(
        describe(parse_sanitizer_report(begins + one + "    #1 0x55a2 in split(headway::Tensor const&) a.cpp:4\n"),
                 "whole")
            .find("does it call itself, or is a local array"),
        std::string::npos);
    EXPECT_NE(describe(parse_sanitizer_report(begins), "whole").find("is a local array too large"), std::string::npos);
    const std::string place = "    #0 0x55a1  (/program+0x1ccb8)\n", other = "    #1 0x55a2  (/program+0x2ccb8)\n";
    EXPECT_NE(describe(parse_sanitizer_report(begins + place + other), "whole").find("larger than the stack"),
              std::string::npos);
    EXPECT_NE(
        describe(parse_sanitizer_report(begins + place + place + place), "whole").find("is a local array too large"),
        std::string::npos)
        << "few calls of itself, each with much";
    std::string places;
    for (int i = 0; i < 200; ++i) places += place;
    EXPECT_NE(describe(parse_sanitizer_report(begins + places), "whole").find("recurses without end"),
              std::string::npos);
    const std::string worker =
        "    #2 0x55a3 in headway::worker::Dispatcher::call() /h/grader/worker/dispatcher.hpp:3\n";
    EXPECT_NE(describe(parse_sanitizer_report(begins + one + worker + worker), "whole")
                  .find("has local arrays that are larger than the stack"),
              std::string::npos);
    std::string library;  // more of its frames than are shown
    for (int i = 0; i < 20; ++i)
        library += "    #" + std::to_string(i) + " 0x1 in std::f" + std::to_string(i) + " /usr/v:1\n";
    EXPECT_NE(
        describe(parse_sanitizer_report(begins + library + one + one + one), "whole").find("recurses without end"),
        std::string::npos);
}

TEST(SanitizerReport, WhereMemoryWasFreedIsNotWhereItIsUsed) {
    const auto told = [](const std::string& used) {
        const auto report = parse_sanitizer_report(
            "==2==ERROR: AddressSanitizer: heap-use-after-free on address 0x611000000444 at pc 0x55\n"
            "WRITE of size 1 at 0x611000000444 thread T0\n"
            "    #0 0x55a1 in headway::nn::Module::set_training(bool) /course/tensor/src/nn.cpp:94\n" +
            used +
            "\n0x611000000444 is located 132 bytes inside of 200-byte region\n"
            "freed by thread T0 here:\n"
            "    #0 0x55b1 in operator delete(void*) (/program+0x1)\n"
            "    #1 0x55b2 in MultiHeadAttention ./module.cpp:26\n\n"
            "previously allocated by thread T0 here:\n"
            "    #0 0x55c1 in operator new(unsigned long) (/program+0x2)\n"
            "    #1 0x55c2 in MultiHeadAttention ./module.cpp:17\n");
        return report.file + "|" + describe(report, "train");
    };
    EXPECT_EQ(told(""),
              "|your train uses memory that has been freed (heap-use-after-free), which was freed at module.cpp:26");
    EXPECT_EQ(told("    #1 0x55a2 in train ./module.cpp:40\n"),
              "module.cpp|your train uses memory that has been freed (heap-use-after-free) at module.cpp:40, which was "
              "freed at module.cpp:26");
    const auto outside = parse_sanitizer_report(
        "==2==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x61\n"
        "    #0 0x55a1 in headway::sum(headway::Tensor const&) /course/tensor/src/ops.cpp:9\n"
        "allocated by thread T0 here:\n    #0 0x55c2 in rows ./a.cpp:7\n");
    EXPECT_EQ(describe(outside, "rows"),
              "your rows reads or writes outside of its memory (heap-buffer-overflow), which was made at a.cpp:7");
}

TEST(SanitizerReport, SurvivesWhateverAStudentPrints) {
    for (const char* text : {"", "AddressSanitizer", "runtime error: ", "x:99999999999999999999:1: runtime error: y\n",
                             "==1==ERROR: AddressSanitizer: \n    #0 0x1 in f ./a.cpp:99999999999999999999\n"})
        EXPECT_NO_THROW(parse_sanitizer_report(text)) << text;
}

}  // namespace
}  // namespace headway::judge
