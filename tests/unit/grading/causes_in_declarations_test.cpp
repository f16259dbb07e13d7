// What the declaration of a name says of why a call failed.
#include "grading/causes_in_declarations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway::cli {
namespace {

using testing::HasSubstr;

/// The advice that `tell` gives on a failure with that message in the last line but one of a function's body.
template <typename Tell>
std::string advice_on(const std::string& message, const std::vector<std::string>& body, const Tell& tell) {
    std::string text = "Tensor f(const Tensor& x) {\n";
    for (const std::string& line : body) text += line + "\n";
    const std::vector<build::SourceFile> files = {{"f.cpp", text + "return x;\n}\n"}};
    verdict::Failure failure;
    failure.message = message;
    failure.at = verdict::SourceLine{"f.cpp", static_cast<int>(body.size()) + 1, body.back()};
    tell(failure, ReadSources(files));
    return failure.advice.value_or("");
}

TEST(CausesInDeclarations, ATensorDeclaredWithoutAValueIsTold) {
    const auto told = [](const std::string& message, const std::vector<std::string>& body) {
        return advice_on(message, body, tell_what_holds_nothing);
    };
    const std::string of_a_matrix = "as_eigen: a matrix is needed, the shape is (); take a slice first";
    const std::string of_an_axis = "axis 0 is out of range for rank 0, shape ()";
    EXPECT_EQ(told(of_a_matrix, {"Tensor y;", "EigenMap out = as_eigen(y);"}),
              "y holds nothing there: line 2 declares it without a value. Write Tensor y = Tensor::zeros({…}); there, "
              "with its shape.");
    EXPECT_EQ(told(of_a_matrix, {"Tensor y = x;", "EigenMap out = as_eigen(y);"}), "");
    EXPECT_EQ(told(of_a_matrix, {"Tensor y;", "EigenMap out = as_eigen(x);"}), "") << "it is x that has no axes";
    EXPECT_THAT(told(of_an_axis, {"Mask m;", "const Index T = m.size(0);"}), HasSubstr("Mask m = Mask::allow_all({"));
    EXPECT_EQ(told(of_an_axis, {"Tensor y;", "if (!y.defined()) y = Tensor::zeros({x.size(0)});"}), "");
    EXPECT_EQ(told("matmul: inner sizes differ", {"Tensor y;", "matmul(y(0), x);"}), "");
    const std::string undefined = "slice: a tensor is undefined (a Tensor{} has no shape and no storage)";
    EXPECT_THAT(told(undefined, {"Tensor y;", "y.slice(0, 0, 1).copy_from(x);"}), HasSubstr("line 2 declares it"));
    EXPECT_EQ(told(undefined, {"Tensor y = x;", "y.slice(0, 0, 1).copy_from(x);"}), "");
    EXPECT_EQ(told("element access: a tensor is undefined (a Tensor{} has no shape)", {"Tensor y;", "y(0) = 1;"}), "");
}

TEST(CausesInDeclarations, HowAnOptionalGetsAValueIsTold) {
    const auto told = [](std::vector<std::string> body) {
        body.emplace_back("return largest.value();");
        return advice_on("bad optional access", body, tell_what_an_optional_lacks);
    };
    EXPECT_EQ(told({"std::optional<float> largest;", "if (largest && a > *largest) largest = a;"}),
              "Only line 3 gives largest a value, and only where it has one already: it begins without (line 2). Where "
              "it has none yet, it takes the first: if (!largest || …).");
    EXPECT_THAT(told({"std::optional<float> largest;", "if (largest.has_value() && a > b) { largest = a; }"}),
                HasSubstr("Only line 3"));
    EXPECT_EQ(told({"std::optional<float> largest;", "f(x);"}),
              "Line 2 declares largest without a value, and nothing gives it one.");
    EXPECT_EQ(told({"std::optional<float> largest;", "if (!largest || a > *largest) largest = a;"}), "");
    EXPECT_THAT(told({"std::optional<float> largest;", "if (a > largest.value()) largest = a;"}),
                HasSubstr("Only line 3"));
    EXPECT_EQ(told({"std::optional<float> largest;", "if (largest) largest = a;", "largest = b;"}), "");
    EXPECT_EQ(told({"std::optional<float> largest;", "fill(&largest);"}), "");
    EXPECT_EQ(told({"std::optional<float> largest;", "choose(largest, a);"}), "");
    EXPECT_EQ(told({"std::optional<float> largest;", "choose(a, largest);"}), "");
    EXPECT_EQ(told({"std::optional<float> largest = a;"}), "");
}

TEST(CausesInDeclarations, AListThatBeginsWithElementsAndGrowsIsTold) {
    const auto told = [](const std::vector<std::string>& body) {
        return advice_on("Tensor::of: shape (2, 3) needs 6 values, not 12", body, tell_what_a_list_begins_with);
    };
    EXPECT_EQ(told({"std::vector<float> padded(1);", "padded.push_back(1);", "return Tensor::of({2, 3}, out);"}), "");
    EXPECT_EQ(told({"std::vector<float> out(6);", "out.push_back(1);", "return Tensor::of({2, 3}, out);"}),
              "out begins with elements (line 2), and push_back adds more behind them (line 3). Begin without any, "
              "std::vector<float> out; or write out[i] = …");
    EXPECT_EQ(told({"std::vector<float> out;", "out.push_back(1);", "return Tensor::of({2, 3}, out);"}), "");
    EXPECT_EQ(told({"std::vector<float> out(6);", "out[0] = 1;", "return Tensor::of({2, 3}, out);"}), "");
}

TEST(CausesInDeclarations, APointerIntoATensorWithoutValuesIsTold) {
    const auto told = [](const std::vector<std::string>& body) {
        return advice_on("your f crashed: SIGSEGV (it touched memory that is not its own)", body,
                         tell_what_a_pointer_points_to);
    };
    EXPECT_EQ(told({"Tensor y;", "float* out = y.data();", "out[0] = 1;"}),
              "out is y.data() (line 3), and y holds nothing: line 2 declares it without a value. Write Tensor y = "
              "Tensor::zeros({…}); there, with its shape.");
    EXPECT_EQ(told({"Tensor y = x.clone();", "float* out = y.data();", "out[0] = 1;"}), "");
    EXPECT_EQ(told({"Tensor y;", "float* out = y.data();", "in[0] = 1;"}), "");
}

TEST(CausesInDeclarations, AnElementBelow0IsTold) {
    const auto told = [](const std::vector<std::string>& body) {
        return advice_on("your f threw std::invalid_argument: no", body, tell_what_has_no_element_below_0);
    };
    EXPECT_EQ(told({"const Index d = x.shape()[-1];", "if (d < 1) throw std::invalid_argument(\"no\");"}),
              "Line 2 reads shape()[-1], and shape() is a std::vector, which has no elements below 0: what comes of it "
              "is chance. Write size(-1).");
    EXPECT_EQ(told({"const Index d = x.shape()[1];", "f(d);"}), "");
    EXPECT_EQ(told({"const Index d = x.shape()[n - 1];", "f(d);"}), "");
}

TEST(CausesInDeclarations, AChildThatNothingKeepsIsTold) {
    const auto told = [](const std::vector<std::string>& body) {
        return advice_on("register_module(\"out\"): there is no module yet: make it first", body,
                         tell_which_child_is_not_kept);
    };
    EXPECT_EQ(
        told({"const auto out = std::make_unique<nn::Linear>(2, 2);", "register_module(\"out\", *children_[3]);"}),
        "What it hands over is empty. Line 2 makes out, a variable of its own that ends with the function: assign "
        "that to what line 3 hands over.");
    EXPECT_THAT(told({"auto out = std::make_unique<nn::Linear>(2, 2);", "register_module(\"out\", *out);"}),
                HasSubstr("a pointer that holds nothing yet"));
    EXPECT_THAT(told({"register_module(\"out\", *out_);"}), HasSubstr("a pointer that holds nothing yet"));
}

}  // namespace
}  // namespace headway::cli
