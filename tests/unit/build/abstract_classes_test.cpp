// What is said of a class that does not override all that it must, and how long that may take.
#include "build/own_messages.hpp"

#include <gmock/gmock.h>

#include <chrono>

namespace headway::build {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using verdict::CompilerMessage;

const NamesForStudent names{"01_single_head", "exercises/01_single_head", "/course/", "/desk/"};

/// A class of this inside, in a file of its own, and what g++ says of it.
CompilerMessage abstract_class(const std::string& inside) {
    const std::vector<SourceFile> own{{"module.cpp", "class Heads : public Attention {\n" + inside + "};\n"}};
    const auto told = own_messages(
        Severity::error,
        "/usr/include/c++/12/bits/unique_ptr.h: In instantiation of ‘f’:\n./module.cpp:2:1:   required from here\n"
        "/usr/include/c++/12/bits/unique_ptr.h:1065:30: error: invalid new-expression of abstract class type "
        "‘headway::ex05::{anonymous}::Heads’\n"
        "./module.cpp:1:7: note:   because the following virtual functions are pure within "
        "‘headway::ex05::{anonymous}::Heads’:\n    1 | class Heads : public Attention {\n      |       ^~~~~\n"
        "/course/module.hpp:71:20: note:     ‘virtual headway::Tensor headway::ex05::Attention::weights(const "
        "headway::Tensor&, headway::Index)’\n",
        own, names);
    return told.empty() ? CompilerMessage{} : told.front();
}

TEST(AbstractClasses, AnAbstractClassIsToldWhatItDoesNotOverride) {
    const auto told = abstract_class("    Tensor forward(const Tensor& x) override { return weights(x, 0); }\n");
    EXPECT_THAT(told.advice, HasSubstr("Heads is abstract, because it does not override weights(const Tensor&, Index). "
                                       "Write weights in Heads as it is declared there."));
    EXPECT_THAT(told.notes, IsEmpty());
}

TEST(AbstractClasses, AnAbstractClassIsToldHowItsOwnFunctionDiffers) {
    EXPECT_THAT(
        abstract_class("    int a_{weights(1)};\n    Tensor weights(const Tensor& x, Index i) const { return x; "
                       "}\n")
            .advice,
        HasSubstr("Its own weights (module.cpp:3) is const and that one is not"));
    EXPECT_THAT(abstract_class("    Tensor weights(Tensor x, Index i);\n").advice,
                HasSubstr("Its own weights (module.cpp:2) is another function: parameters"));
}

TEST(AbstractClasses, AFunctionThatDiffersInConstAloneIsToldSoWhereItIsCalled) {
    const std::string inside =
        "    Tensor forward(const Tensor& x) override { return weights(x, 0); }\n"
        "    Tensor weights(Tensor& x, headway::Index i = 0) { return x; }\n";
    EXPECT_THAT(abstract_class(inside).advice,
                HasSubstr("Its own weights (module.cpp:3) differs in const alone: its parameters are to be (const "
                          "Tensor&, Index)."));
    const std::vector<SourceFile> own{{"module.cpp", "class Heads : public Attention {\n" + inside + "};\n"}};
    const auto told = own_messages(
        Severity::error,
        "./module.cpp:2:63: error: binding reference of type ‘headway::Tensor&’ to ‘const headway::Tensor’ discards "
        "qualifiers\n"
        "./module.cpp:3:28: note:   initializing argument 1 of ‘headway::Tensor headway::ex05::Heads::weights("
        "headway::Tensor&, headway::Index)’\n"
        "/usr/include/c++/12/bits/unique_ptr.h: In instantiation of ‘f’:\n./module.cpp:4:1:   required from here\n"
        "/usr/include/c++/12/bits/unique_ptr.h:1065:30: error: invalid new-expression of abstract class type "
        "‘headway::ex05::Heads’\n"
        "./module.cpp:1:7: note:   because the following virtual functions are pure within ‘headway::ex05::Heads’:\n"
        "/course/module.hpp:71:20: note:     ‘virtual headway::Tensor headway::ex05::Attention::weights(const "
        "headway::Tensor&, headway::Index)’\n",
        own, names);
    ASSERT_EQ(told.size(), 2U);
    EXPECT_THAT(told[0].advice, testing::StartsWith("What is given here is const"));
    EXPECT_THAT(told[0].advice, HasSubstr("Heads's own weights (module.cpp:3) differs in const alone"));
    EXPECT_THAT(told[0].advice, testing::EndsWith("the class is abstract."));
}

TEST(AbstractClasses, AFunctionThatOverridesNothingIsToldHowItDiffers) {
    const std::vector<SourceFile> own{
        {"module.cpp", "struct Heads : Attention {\n    Tensor weights(Index i) const override;\n};\nHeads heads;\n"}};
    const std::string of_gcc =
        "./module.cpp:2:12: error: ‘headway::Tensor Heads::weights(headway::Index) const’ marked ‘override’, but does "
        "not override\n";
    const std::string is_abstract =
        "./module.cpp:4:7: error: cannot declare variable ‘heads’ to be of abstract type ‘Heads’\n"
        "./module.cpp:1:8: note:   because the following virtual functions are pure within ‘Heads’:\n"
        "/course/module.hpp:71:20: note:     ‘virtual headway::Tensor Attention::weights(headway::Index)’\n";
    EXPECT_EQ(own_messages(Severity::error, of_gcc + is_abstract, own, names).at(0).advice,
              "The class it derives from declares it otherwise: this one is const and that one is not: leave out the "
              "const at its end.");
    EXPECT_THAT(own_messages(Severity::error, of_gcc, own, names).at(0).advice, testing::StartsWith("It is declared"));
}

TEST(AbstractClasses, AnAbstractClassThatLeavesFunctionsOpenItselfIsNotToMakeObjectsOf) {
    EXPECT_THAT(abstract_class("    virtual Tensor weights(const Tensor& x, Index i) = 0;\n").advice,
                HasSubstr("Heads is abstract: it leaves weights(const Tensor&, Index) to classes that derive from it"));
}

/// Each file is made words of once, however many functions the compiler lists, in however many messages.
TEST(AbstractClasses, AnAbstractClassOfManyFunctionsTakesNoLongTime) {
    std::string output;
    for (int line = 2; line < 10; ++line) {
        output += "./module.cpp:" + std::to_string(line) +
                  ":1: error: cannot declare variable ‘heads’ to be of abstract type ‘Heads’\n"
                  "./module.cpp:1:7: note:   because the following virtual functions are pure within ‘Heads’:\n";
        for (int i = 0; i < 100; ++i)
            output += "./module.hpp:7:20: note:     ‘virtual void Attention::g" + std::to_string(i) + "()’\n";
    }
    for (const std::size_t size : {std::size_t{3000}, std::size_t{700'000}}) {  // the latter are not read
        std::string many, nested;
        while (many.size() < 5 * size) many += "int f() ";
        while (nested.size() < 5 * size) nested += "class Heads ; struct Heads { ";
        const std::vector<SourceFile> own{{"module.cpp", "class Heads : public Attention {\n};\n\n\n\n\n\n\n\n\n\n"},
                                          {"many.hpp", "struct Heads {" + many + std::string(size, ';')},
                                          {"nested.hpp", nested}};
        const auto begin = std::chrono::steady_clock::now();
        const auto told = own_messages(Severity::error, output, own, names);
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
        ASSERT_EQ(told.size(), 8U);
        if (size == 3000)
            EXPECT_THAT(told[7].advice,
                        HasSubstr("it does not override g0(), g1(), g2() and 97 more. Write g0 in Heads"));
        else
            EXPECT_THAT(told[7].advice, testing::Not(HasSubstr("g0()"))) << "what it declares is not known";
    }
}

TEST(AbstractClasses, ClangToldOfAnAbstractClassByTheLineOfItsFunction) {
    const std::vector<SourceFile> own{
        {"module.cpp", "struct Heads : Attention {\n    Tensor weights(Index i);\n};\nHeads heads;\n"}};
    const auto told = own_messages(
        Severity::error,
        "./module.cpp:4:7: error: variable type 'headway::ex05::Heads' is an abstract class\nHeads heads;\n      ^\n"
        "/course/module.hpp:71:20: note: unimplemented pure virtual method 'weights' in 'Heads'\n"
        "    virtual Tensor weights(Index i) const = 0;\n                   ^\n",
        own, names);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(told[0].advice, HasSubstr("does not override weights(Index i) const. Its own weights (module.cpp:2) is "
                                          "not const and that one is: write const at its end."));
}

}  // namespace
}  // namespace headway::build
