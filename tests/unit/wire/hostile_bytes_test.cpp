// What a worker may send when it does not mean well: the judge must refuse it in a sentence, at bounded cost.
#include "wire/frame.hpp"
#include "wire/message.hpp"
#include "wire_generated.h"

#include <headway/random.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace headway::wire {
namespace {

using flatbuffers::FlatBufferBuilder;

Bytes finish(FlatBufferBuilder& builder, schema::Value tag, flatbuffers::Offset<void> value) {
    const auto reply = schema::CreateReply(builder, 1, tag, value);
    builder.Finish(schema::CreateMessage(builder, 0, reply));
    const auto* begin = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
    return {begin, begin + builder.GetSize()};
}

Bytes tensor_reply(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides,
                   std::int64_t offset, std::size_t storage) {
    FlatBufferBuilder builder;
    const auto table = schema::CreateTensor(builder, true, builder.CreateVector(shape), builder.CreateVector(strides),
                                            offset, builder.CreateVector(std::vector<float>(storage, 1.0F)));
    return finish(builder, schema::Value_Tensor, table.Union());
}

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

TEST(HostileBytes, TensorsThatLeaveTheirStorageAreRefused) {
    EXPECT_NO_THROW(decode_reply(tensor_reply({2, 3}, {3, 1}, 0, 6)));
    EXPECT_THROW(decode_reply(tensor_reply({2, 3}, {3, 1}, 1, 6)), MalformedMessage);
    EXPECT_THROW(decode_reply(tensor_reply({2, 3}, {4, 1}, 0, 6)), MalformedMessage);
    EXPECT_THROW(decode_reply(tensor_reply({2, 3}, {3, 1}, -1, 6)), MalformedMessage);
    EXPECT_THROW(decode_reply(tensor_reply({2, 3}, {-3, 1}, 3, 6)), MalformedMessage);
    EXPECT_THROW(decode_reply(tensor_reply({2, -3}, {3, 1}, 0, 6)), MalformedMessage);
    EXPECT_THROW(decode_reply(tensor_reply({2, 3}, {3}, 0, 6)), MalformedMessage);
    EXPECT_THROW(decode_reply(tensor_reply({1}, {1}, 0, 0)), MalformedMessage);
}

TEST(HostileBytes, SizesThatOverflowAreRefused) {
    EXPECT_THROW(decode_reply(tensor_reply({huge}, {1}, 0, 6)), MalformedMessage);
    EXPECT_THROW(decode_reply(tensor_reply({huge, huge}, {1, 1}, 0, 6)), MalformedMessage);
    EXPECT_THROW(decode_reply(tensor_reply({3, 2}, {huge, huge}, 0, 6)), MalformedMessage);
    EXPECT_THROW(decode_reply(tensor_reply({2}, {1}, huge, 6)), MalformedMessage);
    EXPECT_THROW(decode_reply(tensor_reply({std::int64_t{1} << 32U, std::int64_t{1} << 32U}, {0, 0}, 0, 6)),
                 MalformedMessage);
}

TEST(HostileBytes, ATensorWithStrideZeroMayNotStandForBillionsOfElements) {
    EXPECT_THROW(decode_reply(tensor_reply({1'000'000'000}, {0}, 0, 1)), MalformedMessage);
    EXPECT_THROW(decode_reply(tensor_reply(std::vector<std::int64_t>(9, 1), std::vector<std::int64_t>(9, 0), 0, 1)),
                 MalformedMessage);
}

TEST(HostileBytes, WhatIsTinyOnTheWireIsMeasuredUnfolded) {
    constexpr std::size_t most = std::size_t{1} << 20U;
    EXPECT_NO_THROW(decode_reply(tensor_reply({512, 500}, {0, 0}, 0, 1), most));  // 1,024,000 bytes
    EXPECT_THROW(decode_reply(tensor_reply({8000, 8000}, {0, 0}, 0, 1), most), MalformedMessage);
    EXPECT_THROW(
        decode_reply(tensor_reply(std::vector<std::int64_t>(8, 8), std::vector<std::int64_t>(8, 0), 0, 1), most),
        MalformedMessage);
    // A view of a large storage is small.
    EXPECT_NO_THROW(decode_reply(tensor_reply({3}, {1}, 5, 1'000'000), most));
}

TEST(HostileBytes, OneTextOrListNamedThousandsOfTimesIsRefused) {
    const auto refused = [](auto make) {
        FlatBufferBuilder builder;
        const auto [tag, value] = make(builder);
        std::vector<flatbuffers::Offset<schema::Field>> fields;
        for (int i = 0; i < 4096; ++i) fields.push_back(schema::CreateField(builder, 0, tag, value));
        const auto record = schema::CreateRecord(builder, builder.CreateVector(fields));
        EXPECT_THROW(decode_reply(finish(builder, schema::Value_Record, record.Union())), MalformedMessage);
    };
    refused([](FlatBufferBuilder& builder) {
        const auto text = builder.CreateString(std::string(60'000, 'x'));
        return std::pair(schema::Value_Text, schema::CreateText(builder, text).Union());
    });
    refused([](FlatBufferBuilder& builder) {
        const auto list = builder.CreateVector(std::vector<std::int64_t>(4000));
        return std::pair(schema::Value_Integers, schema::CreateIntegers(builder, list).Union());
    });
}

TEST(HostileBytes, ManyChangedArgumentsAndLongExceptionsAreRefused) {
    FlatBufferBuilder builder;
    const std::vector names(4096, builder.CreateString(std::string(60'000, 'x')));
    const auto reply = schema::CreateReply(builder, 1, schema::Value_NONE, 0, 0, builder.CreateVector(names));
    builder.Finish(schema::CreateMessage(builder, 0, reply));
    const auto* begin = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
    EXPECT_THROW(decode_reply({begin, builder.GetSize()}), MalformedMessage);
    Reply thrown;
    thrown.error = Error{ErrorKind::other_exception, "T", std::string(9000, 'x')};
    EXPECT_THROW(decode_reply(encode(thrown)), MalformedMessage);
}

TEST(HostileBytes, AWayToAThrowIsShortAndOfAddresses) {
    Reply thrown;
    thrown.error = Error{.type = "T", .frames = std::vector<std::int64_t>(most_frames, huge)};
    EXPECT_NO_THROW(decode_reply(encode(thrown)));
    thrown.error->frames.push_back(1);
    EXPECT_THROW(decode_reply(encode(thrown)), MalformedMessage);
    thrown.error->frames = {-1};
    EXPECT_THROW(decode_reply(encode(thrown)), MalformedMessage);
}

TEST(HostileBytes, OneStorageNamedThousandsOfTimesIsRefused) {
    FlatBufferBuilder builder;
    const auto shape = builder.CreateVector(std::vector<std::int64_t>{1'000'000});
    const auto strides = builder.CreateVector(std::vector<std::int64_t>{1});
    const auto storage = builder.CreateVector(std::vector<float>(1'000'000));
    const auto tensor = schema::CreateTensor(builder, true, shape, strides, 0, storage);
    std::vector<flatbuffers::Offset<schema::Field>> fields;
    for (int i = 0; i < 1000; ++i)
        fields.push_back(schema::CreateField(builder, 0, schema::Value_Tensor, tensor.Union()));
    const auto record = schema::CreateRecord(builder, builder.CreateVector(fields));
    EXPECT_THROW(decode_reply(finish(builder, schema::Value_Record, record.Union())), MalformedMessage);
}

TEST(HostileBytes, DeepNestingIsRefused) {
    FlatBufferBuilder builder;
    auto record = schema::CreateRecord(builder);
    for (int depth = 0; depth < 5000; ++depth) {
        const auto field = schema::CreateField(builder, 0, schema::Value_Record, record.Union());
        record = schema::CreateRecord(builder, builder.CreateVector(std::vector{field}));
    }
    EXPECT_THROW(decode_reply(finish(builder, schema::Value_Record, record.Union())), MalformedMessage);
}

TEST(HostileBytes, LongTextsAreRefused) {
    FlatBufferBuilder builder;
    const auto text = schema::CreateText(builder, builder.CreateString(std::string(1U << 20U, 'x')));
    EXPECT_THROW(decode_reply(finish(builder, schema::Value_Text, text.Union())), MalformedMessage);
}

TEST(HostileBytes, ACallIsNoReplyAndNothingIsNeither) {
    EXPECT_THROW(decode_reply(encode(Call{})), MalformedMessage);
    EXPECT_THROW(decode_call(encode(Reply{})), MalformedMessage);
    EXPECT_THROW(decode_reply({}), MalformedMessage);
}

TEST(HostileBytes, FramesThatAnnounceTooMuchAreRefused) {
    const Bytes header(4, std::byte{0xff});
    EXPECT_THROW(payload_size(header), MalformedMessage);
}

TEST(HostileBytes, EveryTruncationAndManyFlipsAreRefusedOrHarmless) {
    Reply reply;
    reply.result = Record{{{"context", Tensor::arange(12)}, {"mask", Mask::allow_all({3, 4})}, {"n", Index{3}}}};
    const Bytes valid = encode(reply);
    for (std::size_t size = 0; size < valid.size(); ++size) {
        const Bytes cut(valid.begin(), valid.begin() + static_cast<std::ptrdiff_t>(size));
        try {
            decode_reply(cut);
        } catch (const MalformedMessage&) {
        }
    }
    Random random(1);
    for (int round = 0; round < 20000; ++round) {
        Bytes damaged = valid;
        for (Index flips = random.integer(1, 6); flips > 0; --flips)
            damaged[static_cast<std::size_t>(random.integer(0, static_cast<Index>(damaged.size()) - 1))] =
                static_cast<std::byte>(random.integer(0, 255));
        try {
            decode_reply(damaged);
        } catch (const MalformedMessage&) {
        }
    }
}

}  // namespace
}  // namespace headway::wire
