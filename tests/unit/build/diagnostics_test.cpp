#include "build/diagnostics.hpp"
#include "build/defined_functions.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace headway::build {
namespace {

using verdict::BuildProblem;

const NamesForStudent names{"03_scaled_scores", "exercises/03_scaled_scores", "/course/"};
const std::vector<SourceFile> files{
    {"scaled_scores.cpp", "#include <headway/tensor.hpp>\n" + std::string(12, '\n') + "    x;\n"}};

sandbox::Finished said(const std::string& output) {
    sandbox::Finished finished;
    finished.output = output;
    finished.ended.exit_code = 1;
    return finished;
}

TEST(Diagnostics, TheFirstErrorInTheStudentsFileIsNamed) {
    const auto build = explain_compile(said("In file included from /course/tensor/include/headway/tensor.hpp:3,\n"
                                            "                 from scaled_scores.cpp:1:\n"
                                            "/course/tensor/include/headway/tensor.hpp:9:1: error: not this one\n"
                                            "scaled_scores.cpp: In function 'f':\n"
                                            "scaled_scores.cpp:14:5: error: 'x' was not declared in this scope\n"),
                                       "scaled_scores.cpp", names, files);
    EXPECT_EQ(build.problem, BuildProblem::compile_error);
    EXPECT_EQ(build.file, "scaled_scores.cpp");
    EXPECT_EQ(build.line, 14);
    EXPECT_EQ(build.column, 5);
    EXPECT_EQ(
        build.message,
        "exercises/03_scaled_scores/scaled_scores.cpp does not compile (line 14): 'x' was not declared in this scope. "
        "Nothing is called x here: is it spelt as where it was declared, and declared above, in this block? "
        "Fix it and run ./headway grade 03 again.");
    EXPECT_EQ(build.diagnostics.find("/course/"), std::string::npos);
}

TEST(Diagnostics, AMissingHeaderIsNamed) {
    const auto told = [](const std::string& words) {
        return explain_compile(said("scaled_scores.cpp:14:5: error: " + words + "\n"), "scaled_scores.cpp", names,
                               files)
            .message;
    };
    const auto says = [](const std::string& message, const std::string& words) {
        EXPECT_NE(message.find(words), std::string::npos) << message;
    };
    says(told("‘clamp’ is not a member of ‘std’"), "write #include <algorithm> at the top of this file");
    says(told("‘sort’ is not a member of ‘std’; did you mean ‘sqrt’?"), "std::sort is declared in <algorithm>");
    says(told("no member named 'accumulate' in namespace 'std'"), "std::accumulate is declared in <numeric>");
    says(told("‘optional’ in namespace ‘std’ does not name a template type"), "write #include <optional>");
    says(told("no template named 'map' in namespace 'std'"), "std::map is declared in <map>");
    says(told("‘softmax’ is not a member of ‘std’"), "std has no softmax");
}

TEST(Diagnostics, ANameOfAnEnumClassIsOfferedAsItIsWritten) {
    for (const char* words : {"‘in_half’ was not declared in this scope; did you mean ‘headway::ex12::Total::in_half’?",
                              "use of undeclared identifier 'in_half'; did you mean 'Total::in_half'?"}) {
        const auto build = explain_compile(said("scaled_scores.cpp:14:5: error: " + std::string(words) + "\n"),
                                           "scaled_scores.cpp", names, files);
        EXPECT_NE(build.message.find("did you mean 'Total::in_half'?"), std::string::npos) << build.message;
        EXPECT_NE(build.message.find("goes before it: write Total::in_half."), std::string::npos) << build.message;
    }
}

TEST(Diagnostics, AnEigenMatrixIsTransposedByAnotherFunction) {
    const auto build = explain_compile(
        said("scaled_scores.cpp:14:5: error: ‘using EigenMap = class Eigen::Map<Eigen::Matrix<float, -1, -1, 1>, 0>’ "
             "has no member named ‘T’\n"),
        "scaled_scores.cpp", names, files);
    EXPECT_NE(build.message.find("write transpose(), without arguments"), std::string::npos) << build.message;
}

TEST(Diagnostics, WhatATensorHasAndAMaskHasNotIsSaid) {
    for (const char* words : {"‘const class headway::Mask’ has no member named ‘slice’",
                              "no member named 'slice' in 'headway::Mask'; did you mean 'size'?"}) {
        const auto build = explain_compile(said("scaled_scores.cpp:14:5: error: " + std::string(words) + "\n"),
                                           "scaled_scores.cpp", names, files);
        EXPECT_NE(build.message.find("A Mask has no such function"), std::string::npos) << build.message;
    }
    const auto build = explain_compile(
        said("scaled_scores.cpp:14:5: error: ‘const class headway::Mask’ has no member named ‘softmax’\n"),
        "scaled_scores.cpp", names, files);
    EXPECT_EQ(build.message.find("A Tensor has"), std::string::npos) << build.message;
}

TEST(Diagnostics, AnErrorThatClaimsToBeElsewhereIsOfTheFileThatWasCompiled) {
    const auto build = explain_compile(said("other.cpp:7:1: error: bad\n/etc/passwd:1:1: error: bad\n"),
                                       "scaled_scores.cpp", names, files);
    EXPECT_EQ(build.file, "scaled_scores.cpp");
    EXPECT_EQ(build.line, 0);
    EXPECT_EQ(
        build.message,
        "exercises/03_scaled_scores/scaled_scores.cpp does not compile. Fix it and run ./headway grade 03 again.");
}

TEST(Diagnostics, CompilingWithoutEndIsSaid) {
    sandbox::Finished finished = said("");
    finished.timed_out = true;
    EXPECT_EQ(explain_compile(finished, "scaled_scores.cpp", names, files).problem, BuildProblem::too_long);
    for (const char* words : {"g++:1:2: error: #error Killed signal terminated program cc1plus\n",
                              "g++: fatal error: Killed signal terminated program cc1plus\n"})
        EXPECT_EQ(explain_compile(said(words), "scaled_scores.cpp", names, files).problem, BuildProblem::compile_error)
            << "a source can have it said";
}

struct Linker {
    const char* name;
    const char* undefined;  // with %s for the symbol
    const char* duplicate_main;
};

void PrintTo(const Linker& linker, std::ostream* out) { *out << linker.name; }

class LinkerWords : public testing::TestWithParam<Linker> {
protected:
    std::string undefined(const std::string& symbol) const {
        std::string text = GetParam().undefined;
        return text.replace(text.find("%s"), 2, symbol);
    }
};

TEST_P(LinkerWords, ADeclaredFunctionThatIsNotDefined) {
    const auto build = explain_link(said(undefined("headway::ex03::causal_mask(long, long)")),
                                    {"headway::ex03::padding_mask(long)"}, names, {});
    EXPECT_EQ(build.problem, BuildProblem::missing_definition);
    EXPECT_NE(build.message.find("causal_mask is declared in the header"), std::string::npos) << build.message;
}

TEST_P(LinkerWords, AnotherSignature) {
    const auto build = explain_link(said(undefined("headway::ex03::causal_mask(long, long)")),
                                    {"headway::ex03::causal_mask(int, int)"}, names, {});
    EXPECT_EQ(build.problem, BuildProblem::wrong_signature);
    EXPECT_NE(build.message.find("causal_mask(int, int)"), std::string::npos);
}

TEST_P(LinkerWords, AnotherNamespace) {
    const auto build =
        explain_link(said(undefined("headway::ex03::causal_mask(long, long)")), {"causal_mask(long, long)"}, names, {});
    EXPECT_EQ(build.problem, BuildProblem::wrong_signature);
}

TEST_P(LinkerWords, WhatTheExerciseAsksForIsNotAvailable) {
    for (const char* symbol : {"headway::Tensor::view(std::vector<long, std::allocator<long> > const&) const",
                               "headway::given::split_heads(headway::Tensor const&, long)",
                               "headway::nn::Linear::forward(headway::Tensor const&) const"})
        EXPECT_EQ(explain_link(said(undefined(symbol)), {}, names, {}).problem, BuildProblem::not_available) << symbol;
}

TEST_P(LinkerWords, AMemberIsReplacedByTheOwnFunctionButNotWithinIt) {
    const auto told = [&](const std::string& source) {
        return explain_link(said(undefined("headway::Tensor::contiguous() const")), {}, names,
                            {{"head_splitting.cpp", source}})
            .message;
    };
    EXPECT_NE(told("Tensor contiguous(const Tensor& x) {\n    return x.clone();\n}\n"
                   "Tensor merge(const Tensor& x) {\n    return x.contiguous();\n}\n")
                  .find("Call your own contiguous(x, ...)"),
              std::string::npos);
    const std::string within = told("Tensor contiguous(const Tensor& x) {\n    return x.contiguous();\n}\n");
    EXPECT_NE(within.find("That line is in your own contiguous: write what contiguous does"), std::string::npos);
    EXPECT_EQ(within.find("Call your own"), std::string::npos) << "it would call itself without end";
}

TEST_P(LinkerWords, AGivenFunctionIsReplacedByTheOwnOneAtTheLineThatCallsIt) {
    const auto build = explain_link(said(undefined("headway::given::merge_heads(headway::Tensor const&)")), {}, names,
                                    {{"merge_heads.cpp",
                                      "Tensor merge_heads(const Tensor& x) {\n    return x.clone();\n}\n"
                                      "Tensor all(const Tensor& x) {\n    return given::merge_heads(x);\n}\n"}});
    EXPECT_NE(build.message.find("call your own, merge_heads(...) without given::"), std::string::npos);
    EXPECT_EQ(build.line, 5);
}

TEST_P(LinkerWords, AGivenFunctionIsNotReplacedByTheOwnOneWithinIt) {
    const auto build = explain_link(
        said(undefined("headway::given::merge_heads(headway::Tensor const&)") +
             undefined("headway::given::causal_mask(long, long)")),
        {}, names,
        {{"merge_heads.cpp", "Tensor merge_heads(const Tensor& x) {\n    return given::merge_heads(x);\n}\n"}});
    EXPECT_NE(build.message.find("That line is in your own merge_heads: write what merge_heads does"),
              std::string::npos);
    EXPECT_EQ(build.message.find("call your own"), std::string::npos) << "it would call itself without end";
    EXPECT_TRUE(build.message.ends_with("Also missing: given::causal_mask")) << "it is in no file";
    const auto both = explain_link(said(undefined("headway::Tensor::view(std::vector<long>) const") +
                                        undefined("headway::Tensor::transpose(long, long) const")),
                                   {}, names, {{"heads.cpp", "f(x.view(s));\ng(x.transpose(1, 2));\n"}});
    EXPECT_TRUE(both.message.ends_with("Also missing: transpose (heads.cpp:2)")) << both.message;
}

TEST_P(LinkerWords, WhatIsGivenElsewhereIsNeitherWrittenHereNorComesLater) {
    const auto told = [&](const char* exercise) {
        const NamesForStudent there{exercise, "exercises", "/course/"};
        return explain_link(said(undefined("headway::given::causal_mask(long, long)")), {}, there, {}).message;
    };
    EXPECT_NE(told("10_tiled_attention").find("this exercise does without it"), std::string::npos);
    EXPECT_NE(
        told("10_tiled_attention").find("this exercise does without it, and without anything else of given::. Write"),
        std::string::npos);
    EXPECT_NE(told("06_catch_the_bug").find("and without anything else of given::, since its tests tell by hand"),
              std::string::npos);
    EXPECT_NE(told("03_scaled_scores").find("it is what you are asked to write here"), std::string::npos);
    EXPECT_NE(told("02_head_splitting").find("or comes later"), std::string::npos);
}

TEST_P(LinkerWords, ADefinitionThatOtherFilesDoNotSeeIsPointedTo) {
    const auto told = [&](const std::string& source) {
        const auto build = explain_link(said(undefined("headway::ex03::causal_mask(long, long)")), {}, names,
                                        {{"scaled_scores.cpp", source}});
        return std::to_string(build.line) + " " + build.message;
    };
    for (const auto& [source, words] :
         {std::pair("\nMask causal_mask(auto T, auto S) { return {}; }\n",
                    "2 causal_mask is declared in the header, but "
                    "that of scaled_scores.cpp:2 takes auto"),
          std::pair("template <class N>\nMask causal_mask(N T, N S) { return {}; }\n", "is a template"),
          std::pair("int n;\ninline Mask causal_mask(Index T, Index S) { return {}; }\n", "Leave inline out."),
          std::pair("namespace {\nMask causal_mask(Index T, Index S) { return {}; }\n}\n", "behind the } of that")})
        EXPECT_NE(told(source).find(words), std::string::npos) << told(source);
    EXPECT_NE(told("inline int one() { return 1; }\nMask causal_mask(Index T, Index S) { return {}; }\n")
                  .find("does not define it"),
              std::string::npos)
        << "of a function before it nothing is said";
}

TEST_P(LinkerWords, AMainInTheSubmission) {
    const auto build = explain_link(said(GetParam().duplicate_main), {}, names, {});
    EXPECT_EQ(build.problem, BuildProblem::has_main);
    EXPECT_NE(build.message.find("./headway try 03"), std::string::npos);
}

TEST_P(LinkerWords, AnythingElseIsNamed) {
    const auto build = explain_link(said(undefined("my_helper(float)")), {}, names, {});
    EXPECT_EQ(build.problem, BuildProblem::link_error);
    EXPECT_NE(build.message.find("my_helper(float) is used, but never defined"), std::string::npos);
}

/// Linkers know no lines.
TEST_P(LinkerWords, TheLineIsThatOfTheName) {
    const std::vector<SourceFile> handed_in = {
        {"mask.cpp", "Mask causal_mask(int T, int S) {\n    return my_helper(T);\n}\nint main() {}\n"}};
    const std::string wanted = undefined("headway::ex03::causal_mask(long, long)");
    const auto line_of = [&](const std::string& words, const std::vector<std::string>& defined) {
        const auto build = explain_link(said(words), defined, names, handed_in);
        return build.file + ":" + std::to_string(build.line);
    };
    EXPECT_EQ(line_of(wanted, {"headway::ex03::causal_mask(int, int)"}), "mask.cpp:1");
    EXPECT_EQ(line_of(undefined("my_helper(int)"), {}), "mask.cpp:2");
    EXPECT_EQ(line_of(GetParam().duplicate_main, {}), "mask.cpp:4");
    EXPECT_EQ(line_of(wanted, {}), ":0") << "what is missing stands nowhere";
}

TEST_P(LinkerWords, OpenMPIsNotLinked) {
    const auto build = explain_link(said(undefined("omp_set_num_threads")), {}, names, {});
    EXPECT_EQ(build.problem, BuildProblem::link_error);
    EXPECT_TRUE(build.message.starts_with("omp_set_num_threads is a function of OpenMP")) << build.message;
}

INSTANTIATE_TEST_SUITE_P(
    Linkers, LinkerWords,
    testing::Values(Linker{"ld", "/usr/bin/ld: a.o: in function `f':\na.cpp:3: undefined reference to `%s'\n",
                           "/usr/bin/ld: b.o: multiple definition of `main'; a.o: first defined here\n"},
                    Linker{"mold", "mold: error: undefined symbol: %s\n>>> referenced by a.cpp\n",
                           "mold: error: duplicate symbol: /tmp/a.o: /tmp/b.o: main\n"}),
    [](const auto& linker) { return linker.param.name; });

TEST(DefinedFunctions, TheLibrarysAreToldFromOnesOwn) {
    std::string listed = "\na.o:\n";
    for (const char* line : {"T memcmp",
                             "T memcmp(headway::Tensor const&)",
                             "t memcpy",
                             "W malloc",
                             "U free",
                             "T _Znwm",
                             "W _ZnwmPv",
                             "T _ZN7headway4ex014PoolnwEm",
                             "T _ZN7headway4ex014readE",
                             "W _ZdaPv",
                             "T my_memcmp",
                             "T __cxa_throw",
                             "T",
                             "u calloc",
                             "W _ZN7headway6Tensor4fillEf",
                             "T _ZN7headway4wire11write_frameEiRKSt6vectorIhSaIhEE",
                             "W _ZNSt6vectorIiSaIiEE9push_backERKi",
                             "T _ZNKSt4hashI3KeyEclERKS0_",
                             "T _ZNSt6vectorISsSaISsEE17_M_realloc_insertEv",
                             "B _ZN7headway2nn4rowsE",
                             "B _ZN7headway4ex014rowsE"})
        listed += "0000000000000010 " + std::string(line) + "\n";
    EXPECT_EQ(library_functions_listed(listed),
              (std::vector<std::string>{"__cxa_throw", "calloc", "functions of headway::nn",
                                        "functions of headway::wire", "functions of the C++ library", "malloc",
                                        "memcmp", "operator delete", "operator new"}));
}

/// nm takes the letter from the name of a section first: .pdata, .edata, .idata.
TEST(DefinedFunctions, TheLibrarysAreToldWhateverSectionTheyLieIn) {
    std::string listed = "/desk/plain/P send.cpp.o:\n\n";
    for (const char* line :
         {"P send", "E memcmp", "I malloc", "N free", "D recv", "? read", "p write", "n poll", "r signal", "U exit",
          "v abort", "w memset", "P _Znwm", "P _ZN7headway4wire11write_frameEiRKSt6vectorIhSaIhEE",
          "E _ZNSt6vectorISsSaISsEE17_M_realloc_insertEv", "D _ZNSt14numeric_limitsI1XE5otherE"})
        listed += "0000000000000010 " + std::string(line) + "\n";
    EXPECT_EQ(library_functions_listed(listed),
              (std::vector<std::string>{"free", "functions of headway::wire", "functions of the C++ library", "malloc",
                                        "memcmp", "operator new", "read", "recv", "send"}));
}

TEST(Diagnostics, ALineWithoutEndOverflowsNothing) {
    sandbox::Finished finished;
    finished.ended.exit_code = 1;
    finished.output = std::string(1 << 20, 'x') + "\na.cpp:3:1: error: wrong\n" + std::string(1 << 20, ':');
    const auto build = explain_compile(finished, "a.cpp", {}, {{"a.cpp", "1\n2\n3\n"}});
    EXPECT_EQ(build.line, 3);
    EXPECT_LT(build.diagnostics.size(), 10000U);
}

}  // namespace
}  // namespace headway::build
