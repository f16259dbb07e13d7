// What compiles and does nothing is pointed to; what may do something is left alone.
#include "build/idle_statements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headway::build {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> idle_in(const std::string& body) {
    return idle_statements({{"a.cpp", "void f(Tensor& x, const Tensor& y, Cache& cache) {\n" + body + "\n}\n"}});
}

TEST(IdleStatements, AViewThatIsAssignedToWritesNothing) {
    EXPECT_THAT(idle_in("cache.k[b].slice(1, 0, n) = y;"),
                ElementsAre("a.cpp:2: slice(…) is a view made for this line, and = changes that alone: nothing is "
                            "written into the tensor. Write slice(…).copy_from(…) in place of ="));
    EXPECT_THAT(idle_in("for (;;) {\n\n    x[0] = y[1];\n}"), ElementsAre(HasSubstr("a.cpp:4: x[i] is a view")));
    EXPECT_THAT(idle_in("Tensor a, g = x;\n    g[0][1] = y;"), ElementsAre(HasSubstr("a.cpp:3: g[i][j] is a view")));
    EXPECT_THAT(idle_in("const auto back = [&](Tensor t, Tensor g) -> Tensor { g[0] = t; };"),
                ElementsAre(HasSubstr("g[i] is a view")));
    EXPECT_THAT(idle_in("x.view({2, 3})[1] = y;"), ElementsAre(HasSubstr("Write view(…)[i].copy_from(…)")));
}

TEST(IdleStatements, AResultThatNobodyTakes) {
    EXPECT_THAT(idle_in("x.transpose(0, 1);"), ElementsAre(HasSubstr("transpose(…) leaves its tensor as it is")));
    EXPECT_THAT(idle_in("x.view({2, 3}).contiguous();"), ElementsAre(HasSubstr("contiguous(…) leaves")));
    EXPECT_THAT(idle_in("matmul(x, y);"),
                ElementsAre("a.cpp:2: matmul(…) changes nothing that it is given, and nobody takes its result here"));
    for (const char* body : {"exp(x);", "if (true) {\n    sum(x, -1);\n}", "cat({x, y}, 0);", "masked_fill(x, m, 0);"})
        EXPECT_THAT(idle_in(body), ElementsAre(HasSubstr("changes nothing that it is given"))) << body;
}

TEST(IdleStatements, WhatDoesSomethingIsLeftAlone) {
    for (const char* body : {"x.slice(0, 0, 1).copy_from(y);",
                             "x[0] += y;",
                             "x[0].fill(0);",
                             "Tensor z = x.slice(0, 0, 1);",
                             "x = y.transpose(0, 1);",
                             "return x.transpose(0, 1);",
                             "g(x.transpose(0, 1));",
                             "x(0, 1) = 2;",
                             "cache.layers[0] = y;",
                             "std::vector<Tensor> all(3);\nall[0] = y;",
                             "Tensor rows[3];\nrows[0] = y;",
                             "bool same = x.slice(0, 0, 1) == y;",
                             "std::vector<float> x;\nx[0] = 1;",
                             "std::vector<double> a(D, 0.0), g{1, 2}, h(D);\ng[0] = a[0];\n"
                             "const auto back = [&](const Tensor& g, const Tensor& h) { f(g, h); };\nh[0] = 1;",
                             "for (std::map<int, std::vector<float>> a, g;;) {\n    g[0] = f(1, g);\n}\n{ Tensor g; }",
                             "auto [a, g] = two();\ng[0] = 1;\n{ Tensor g; }",
                             "{\n    Tensor g;\n}\ng[0] = 1;",
                             "const auto back = [&](const Tensor& g) { return g; };\ng[0] = back(x);",
                             "Tensor z = matmul(x, y);",
                             "x = exp(x);",
                             "return sum(x, -1);",
                             "const auto sum = [&] { y = x; };\nsum();",
                             "try {\n    matmul(x, y);\n} catch (...) {\n}",
                             "EXPECT_THROW({ matmul(x, y); }, std::exception);",
                             "std::function<void()> exp;\nexp();",
                             "matmul(x, y)[0].fill(1);",
                             "x.select([&] { return 1; }());"})
        EXPECT_THAT(idle_in(body), IsEmpty()) << body;
    EXPECT_THAT(idle_statements({{"a.cpp",
                                  "float& slice(int a);\nstruct A { float& slice(int a) { return b[a]; } };\n"
                                  "void f(A& x) {\n    x.slice(1) = 2;\n}\n"}}),
                IsEmpty())
        << "a class of one's own";
    EXPECT_THAT(idle_statements({{"a.cpp", "void matmul(Tensor& out);\nvoid f(Tensor& x) {\n    matmul(x);\n}\n"},
                                 {"b.cpp", "void sum(Tensor& out) {\n    out.fill(0);\n}\n"},
                                 {"c.cpp", "void g(Tensor& x) {\n    sum(x);\n}\n"}}),
                IsEmpty())
        << "functions of one's own";
}

TEST(IdleStatements, ManyAreToldInPart) {
    std::string body;
    for (int i = 0; i < 50; ++i) body += "x.transpose(0, 1);\n";
    EXPECT_EQ(idle_in(body).size(), 3U);
}

}  // namespace
}  // namespace headway::build
