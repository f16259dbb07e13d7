#include "judge/answered_calls.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "temporary_folder.hpp"

namespace headway::judge {
namespace {

const Arguments two_arguments{{"x", Tensor::of({2, 2}, {1, 2, 3, 4})}, {"H", Index{2}}};

class AnsweredCalls : public testing::Test {
protected:
    build::TemporaryFolder folder_;
    const std::filesystem::path path_ = folder_.path() / "answered_calls";
};

TEST_F(AnsweredCalls, ComesBackAsItWasAnswered) {
    AnsweredCallsFile file(path_);
    file.add("f", two_arguments, {Tensor::of({2}, {5, 6}), std::nullopt, {}});
    file.add("g", two_arguments,
             {{}, wire::Error{wire::ErrorKind::invalid_argument, "std::invalid_argument", "no"}, {}});
    file.close();
    const auto answered_calls = read_answered_calls(path_);
    ASSERT_EQ(answered_calls.size(), 2U);
    EXPECT_EQ(answered_calls[0].function, "f");
    EXPECT_EQ(std::get<Index>(answered_calls[0].arguments[1].value), 2);
    EXPECT_EQ(answered_calls[0].answer.parts.at(0).second.value, (std::vector<double>{5, 6}));
    EXPECT_EQ(answered_calls[1].answer.kind, diagnosis::Answer::Kind::refused);
}

TEST_F(AnsweredCalls, WhatLivesInTheWorkerIsLeftOut) {
    AnsweredCallsFile file(path_);
    file.add("f", two_arguments, {wire::Handle{3}, std::nullopt, {}});
    file.add("f", {{"cache", wire::Handle{3}}}, {Tensor::ones({2}), std::nullopt, {}});
    file.close();
    EXPECT_TRUE(read_answered_calls(path_).empty());
}

TEST_F(AnsweredCalls, WhatIsTooLargeIsLeftOutAndNothingFails) {
    AnsweredCallsFile file(path_);
    const Tensor wide = Tensor::zeros({(Index{64} << 20) / 4 - 64});
    for (int i = 0; i < 3; ++i) file.add("f", {{"x", wide.slice(0, 0, 1)}}, {wide.slice(0, 0, 1), std::nullopt, {}});
    file.close();
    EXPECT_TRUE(read_answered_calls(path_).empty());
    EXPECT_LT(std::filesystem::file_size(path_), 1U << 20U);
}

TEST_F(AnsweredCalls, AFileThatEndsTooSoonIsSaid) {
    AnsweredCallsFile file(path_);
    file.add("f", two_arguments, {Tensor::ones({2}), std::nullopt, {}});
    file.close();
    std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 1);
    EXPECT_THROW(read_answered_calls(path_), std::exception);
}

TEST_F(AnsweredCalls, ADiskThatIsFullIsSaid) {
    AnsweredCallsFile file("/dev/full");
    file.add("f", two_arguments, {Tensor::ones({2}), std::nullopt, {}});
    EXPECT_THROW(file.close(), std::runtime_error);
}

}  // namespace
}  // namespace headway::judge
