#include "wire/frame.hpp"
#include "wire/message.hpp"
#include "wire/whereabouts.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include <sys/socket.h>
#include <unistd.h>

namespace headway::wire {
namespace {

Value round_trip(const Value& value) {
    Call call;
    call.id = 7;
    call.function = "f";
    call.arguments = {{"x", value}};
    return decode_call(encode(call)).arguments.at(0).value;
}

TEST(Wire, ViewsKeepShapeStridesOffsetAndStorage) {
    const Tensor x = Tensor::arange(3 * 5 * 7).view({3, 5, 7}).transpose(0, 2).slice(1, 2, 4);
    const auto y = std::get<Tensor>(round_trip(x));
    EXPECT_EQ(y.layout(), x.layout());
    EXPECT_EQ(y.storage_size(), 105);
    for (Index i = 0; i < 7; ++i)
        for (Index j = 0; j < 2; ++j)
            for (Index k = 0; k < 3; ++k) EXPECT_EQ(std::as_const(y)(i, j, k), std::as_const(x)(i, j, k));
}

TEST(Wire, OfALargeStorageOnlyThePartThatAViewShowsIsSent) {
    const Tensor pool = Tensor::arange(1 << 20);
    const Tensor x = pool.as_strided({3, 5}, {1, 3}, 70'000);
    EXPECT_LT(encode(Call{.id = 1, .function = "f", .arguments = {{"x", x}}, .keep = false}).size(), 1000U);
    const auto y = std::get<Tensor>(round_trip(x));
    EXPECT_EQ(y.strides(), x.strides());
    EXPECT_EQ(y.storage_size(), 15);
    const auto far_apart = std::get<Tensor>(round_trip(pool.as_strided({2, 3}, {1, 400'000}, 9)));
    EXPECT_EQ(far_apart.storage_size(), 6);
    for (Index i = 0; i < 3; ++i) {
        for (Index j = 0; j < 5; ++j) EXPECT_EQ(std::as_const(y)(i, j), static_cast<float>(70'000 + i + 3 * j));
        for (Index j = 0; j < 2; ++j)
            EXPECT_EQ(std::as_const(far_apart)(j, i), static_cast<float>(9 + j + 400'000 * i));
    }
    EXPECT_EQ(std::get<Tensor>(round_trip(pool.as_strided({0, 4}, {4, 1}, 900'000))).shape(), (Shape{0, 4}));
    EXPECT_EQ(std::get<Tensor>(round_trip(pool.as_strided({}, {}, 900'000))).data()[0], 900'000.0F);
}

TEST(Wire, OfALargeMaskToo) {
    Mask pool = Mask::allow_all({1 << 20});
    pool(500'001) = true;
    const auto y = std::get<Mask>(round_trip(pool.as_strided({2, 2}, {2, 1}, 500'000)));
    EXPECT_EQ(y.storage_size(), 4);
    EXPECT_TRUE(std::as_const(y)(0, 1));
    EXPECT_FALSE(std::as_const(y)(1, 1));
    const auto far_apart = std::get<Mask>(round_trip(pool.as_strided({2}, {500'001}, 0)));
    EXPECT_EQ(far_apart.storage_size(), 2);
    EXPECT_TRUE(std::as_const(far_apart)(1));
}

TEST(Wire, NumbersArriveBitForBit) {
    const Tensor x = Tensor::of({5}, {-0.0F, std::numeric_limits<float>::infinity(), std::nanf(""), 1e-45F, 3.0e38F});
    const auto y = std::get<Tensor>(round_trip(x));
    EXPECT_TRUE(std::signbit(y.data()[0]));
    EXPECT_TRUE(std::isinf(y.data()[1]));
    EXPECT_TRUE(std::isnan(y.data()[2]));
    EXPECT_EQ(y.data()[3], 1e-45F);
    EXPECT_EQ(y.data()[4], 3.0e38F);
}

TEST(Wire, UndefinedTensorsAndMasksStayUndefined) {
    EXPECT_FALSE(std::get<Tensor>(round_trip(Tensor{})).defined());
    EXPECT_FALSE(std::get<Mask>(round_trip(Mask{})).defined());
}

TEST(Wire, MasksKeepTheirEntries) {
    const Mask mask = Mask::of({2, 3}, {true, false, false, true, true, false});
    const auto y = std::get<Mask>(round_trip(mask.expand({4, 2, 3})));
    EXPECT_EQ(y.shape(), (Shape{4, 2, 3}));
    EXPECT_TRUE(std::as_const(y)(3, 0, 0));
    EXPECT_FALSE(std::as_const(y)(2, 1, 2));
}

TEST(Wire, ScalarsListsTextsAndRecordsArrive) {
    EXPECT_EQ(std::get<Index>(round_trip(Index{-5})), -5);
    EXPECT_EQ(std::get<Shape>(round_trip(Shape{3, -1, 4})), (Shape{3, -1, 4}));
    EXPECT_EQ(std::get<double>(round_trip(0.25)), 0.25);
    EXPECT_EQ(std::get<bool>(round_trip(true)), true);
    EXPECT_EQ(std::get<std::string>(round_trip(std::string("a\0b", 3))), std::string("a\0b", 3));
    EXPECT_EQ(std::get<Handle>(round_trip(Handle{42})), Handle{42});
    const auto record = std::get<Record>(round_trip(Record{{{"a", Index{1}}, {"b", Record{{{"c", 2.5}}}}}}));
    EXPECT_EQ(std::get<double>(std::get<Record>(record.find("b")->value).find("c")->value), 2.5);
    EXPECT_EQ(record.find("d"), nullptr);
}

TEST(Wire, RepliesCarryErrorsAndChangedArguments) {
    Reply reply;
    reply.id = 9;
    reply.error = Error{ErrorKind::out_of_range, "std::out_of_range", "axis 3", {0x1234, 0}, true};
    reply.changed_arguments = {"q", "k"};
    const Reply back = decode_reply(encode(reply));
    EXPECT_EQ(back.id, 9U);
    ASSERT_TRUE(back.error);
    EXPECT_EQ(back.error->kind, ErrorKind::out_of_range);
    EXPECT_EQ(back.error->message, "axis 3");
    EXPECT_EQ(back.error->frames, (std::vector<std::int64_t>{0x1234, 0}));
    EXPECT_TRUE(back.error->uncaught);
    EXPECT_FALSE(back.error->before_main);
    reply.error->before_main = true;
    EXPECT_TRUE(decode_reply(encode(reply)).error->before_main);
    EXPECT_EQ(back.changed_arguments, (std::vector<std::string>{"q", "k"}));
}

TEST(Wire, WhereaboutsAreAReplyThatNeedsNoMemory) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    Whereabouts whereabouts;
    whereabouts.set(0, 0x1234);
    whereabouts.set(most_frames - 1, 0x0fff'ffff'ffff'ffff);
    whereabouts.send(ends[0]);
    const auto payload = read_frame(ends[1]);
    ASSERT_TRUE(payload);
    const Reply reply = decode_reply(*payload);
    ASSERT_TRUE(reply.error);
    EXPECT_EQ(reply.error->kind, ErrorKind::interrupted);
    std::vector<std::int64_t> expected(most_frames, 0);
    expected.front() = 0x1234;
    expected.back() = 0x0fff'ffff'ffff'ffff;
    EXPECT_EQ(reply.error->frames, expected);
    for (const int end : ends) ::close(end);
}

TEST(Wire, WhereaboutsSayThatTheStackIsUsedUp) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    Whereabouts().send(ends[0]);
    Whereabouts(Whereabouts::Stack::is_used_up).send(ends[0]);
    for (const char* type : {"", stack_is_used_up}) {
        const auto payload = read_frame(ends[1]);
        ASSERT_TRUE(payload);
        const Reply reply = decode_reply(*payload);
        ASSERT_TRUE(reply.error);
        EXPECT_EQ(reply.error->kind, ErrorKind::interrupted);
        EXPECT_EQ(reply.error->type, type);
    }
    for (const int end : ends) ::close(end);
}

TEST(Wire, FramesCrossASocketInPieces) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    const Bytes payload(1000, std::byte{5});
    write_frame(ends[0], payload);
    write_frame(ends[0], {});
    ::close(ends[0]);
    EXPECT_EQ(read_frame(ends[1]), payload);
    EXPECT_EQ(read_frame(ends[1]), Bytes{});
    EXPECT_EQ(read_frame(ends[1]), std::nullopt);
    ::close(ends[1]);
}

}  // namespace
}  // namespace headway::wire
