// Checkpoints: what is written is read back bit for bit; whatever else the bytes are, they are refused in a sentence.
#include "labs/checkpoint/safetensors.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

namespace headway::lab {
namespace {

using testing::HasSubstr;

std::string file_of(const std::string& header, const std::string& data = "") {
    const std::uint64_t length = header.size();
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    return bytes + header + data;
}

/// Why the bytes are refused; empty if they are read.
std::string refusal(const std::string& bytes) {
    try {
        from_safetensors(bytes, "it.safetensors");
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

std::string one_tensor(const std::string& entry, std::size_t bytes) {
    return file_of("{\"w\":" + entry + "}", std::string(bytes, '\0'));
}

Checkpoint sample() {
    return {.tensors = {{"w", Tensor::of({2, 2}, {1.5F, -0.0F, 1e-42F, 3e38F})}, {"b", Tensor::of({3}, {1, 2, 3})}},
            .metadata = {{"step", "7"}}};
}

TEST(Safetensors, BringsBackEveryBit) {
    const Checkpoint back = from_safetensors(to_safetensors(sample()), "it");
    EXPECT_EQ(back.note("step"), "7");
    const Tensor& w = back.at("w", {2, 2});
    EXPECT_EQ(std::memcmp(w.data(), sample().tensors[0].second.data(), 16), 0);
    EXPECT_EQ(back.at("b", {3})(2), 3);
}

TEST(Safetensors, WritesViewsAsTheyAreSeen) {
    const Tensor view = Tensor::rows({{1, 2}, {3, 4}}).as_strided({2, 2}, {1, 2});
    const Checkpoint back = from_safetensors(to_safetensors({.tensors = {{"w", view}}, .metadata = {}}), "it");
    EXPECT_EQ(back.at("w", {2, 2})(0, 1), 3);
}

TEST(Safetensors, ReadsHalfPrecision) {
    const std::uint16_t halves[] = {0x3C00, 0xC000, 0x0001, 0x7C00};
    const Checkpoint back = from_safetensors(file_of(R"({"w":{"dtype":"F16","shape":[4],"data_offsets":[0,8]}})",
                                                     {reinterpret_cast<const char*>(halves), 8}),
                                             "it");
    const Tensor& w = back.at("w", {4});
    EXPECT_EQ(w(0), 1.0F);
    EXPECT_EQ(w(1), -2.0F);
    EXPECT_EQ(w(2), std::ldexp(1.0F, -24));
    EXPECT_TRUE(std::isinf(w(3)));
}

TEST(Safetensors, RefusesEveryCutOfAFile) {
    const std::string whole = to_safetensors(sample());
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_THAT(refusal(whole.substr(0, length)), HasSubstr("it.safetensors is no safetensors file")) << length;
}

TEST(Safetensors, RefusesHeaderBombs) {
    EXPECT_THAT(refusal(std::string(8, '\xFF') + "{}"), HasSubstr("is not there"));
    EXPECT_THAT(refusal(file_of(std::string(1'000'000, '['))), HasSubstr("nested too deeply"));
    EXPECT_THAT(refusal(file_of(R"({"w":{"a":{"b":{"c":{"d":{"e":1}}}}}})")), HasSubstr("nested too deeply"));
    // 2^32 · 2^32 elements wrap around to 0 bytes.
    EXPECT_THAT(refusal(one_tensor(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]})", 0)),
                HasSubstr("too large"));
    EXPECT_THAT(refusal(one_tensor(R"({"dtype":"F32","shape":[1000000],"data_offsets":[0,4000000]})", 4)),
                HasSubstr("outside of the file"));
}

TEST(Safetensors, RefusesHeadersThatDoNotFit) {
    EXPECT_THAT(refusal(file_of("[]")), HasSubstr("not a JSON object"));
    EXPECT_THAT(refusal(file_of("{\"w\"")), HasSubstr("not JSON"));
    EXPECT_THAT(refusal(file_of("{\"\xFF\":1}")), HasSubstr("not JSON"));
    EXPECT_THAT(refusal(file_of(R"({"w":1})")), HasSubstr("lacks dtype"));
    EXPECT_THAT(refusal(one_tensor(R"({"dtype":"I64","shape":[1],"data_offsets":[0,8]})", 8)),
                HasSubstr("F32 and F16"));
    EXPECT_THAT(refusal(one_tensor(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})", 4)),
                HasSubstr("not a number"));
    EXPECT_THAT(refusal(one_tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})", 4)),
                HasSubstr("needs 8 bytes"));
    EXPECT_THAT(refusal(one_tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})", 4)), HasSubstr("outside"));
    EXPECT_THAT(refusal(one_tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})", 9)), HasSubstr("no tensor"));
    const std::string w = R"("w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
    EXPECT_THAT(refusal(file_of("{" + w + "," + w + "}", "1234")), HasSubstr("stands twice"));
    const std::string v = R"("v":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
    EXPECT_THAT(refusal(file_of("{" + w + "," + v + "}", "1234")), HasSubstr("overlaps"));
    EXPECT_THAT(refusal(file_of(R"({"__metadata__":{"step":7}})")), HasSubstr("not text"));
}

TEST(Safetensors, SaysWhichTensorIsMissingOrMisshaped) {
    EXPECT_THAT([] { sample().at("x", {1}); }, testing::ThrowsMessage<std::runtime_error>(HasSubstr("no x")));
    EXPECT_THAT([] { sample().at("b", {4}); }, testing::ThrowsMessage<std::runtime_error>(HasSubstr("(3), not (4)")));
}

/// Whatever single byte of the header is changed: read or refused, never anything else.
TEST(Safetensors, SurvivesEveryChangedByte) {
    const std::string whole = to_safetensors(sample());
    for (std::size_t i = 0; i < whole.size(); ++i)
        for (const char other : {'\0', '9', '"', '\x80', '{'}) {
            std::string changed = whole;
            changed[i] = other;
            refusal(changed);
        }
}

}  // namespace
}  // namespace headway::lab
