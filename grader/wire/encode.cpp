#include "wire/message.hpp"
#include "wire_generated.h"

#include <algorithm>
#include <utility>

namespace headway::wire {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// A union in FlatBuffers is a tag and an untyped offset.
struct Encoded {
    schema::Value tag = schema::Value_Nothing;
    Offset<void> offset;
};

std::vector<std::int64_t> to_int64(const std::vector<Index>& values) { return {values.begin(), values.end()}; }

/// Numbers row by row, of a view that lies anywhere in its storage.
template <class Element>
std::vector<Element> row_major(const Element* storage, const Layout& layout) {
    std::vector<Element> numbers;
    numbers.reserve(static_cast<std::size_t>(layout.numel()));
    Shape at(layout.shape.size(), 0);
    for (Index left = layout.numel(); left > 0; --left) {
        numbers.push_back(storage[layout.locate(at.data(), at.size())]);
        for (std::size_t axis = at.size(); axis-- > 0 && ++at[axis] == layout.shape[axis];) at[axis] = 0;
    }
    return numbers;
}

/// What is sent of a view. Of a large storage that is the part between its first number and its last, or the numbers
/// alone, row-major, where they lie far apart: a submission may keep all its tensors in one.
template <class Element>
class Excerpt {
public:
    Excerpt(const Element* storage, Index size, Layout layout)
        : begin_(storage), size_(size), layout_(std::move(layout)) {
        constexpr Index too_many = 1 << 16;  // of those that the view does not show
        const Index shown = layout_.numel();
        if (size_ - shown <= too_many) return;
        const Index first = shown == 0 ? 0 : layout_.lowest();
        const Index reached = shown == 0 ? 0 : layout_.highest() - first + 1;
        if (reached - shown <= too_many) {
            begin_ += first;
            size_ = reached;
            layout_.offset = shown == 0 ? 0 : layout_.offset - first;
            return;
        }
        gathered_ = row_major(storage, layout_);
        begin_ = gathered_.data();
        size_ = shown;
        layout_ = Layout::contiguous(layout_.shape);
    }
    Excerpt(const Excerpt&) = delete;
    Excerpt& operator=(const Excerpt&) = delete;

    const Element* begin() const { return begin_; }
    std::size_t size() const { return static_cast<std::size_t>(size_); }
    const Layout& layout() const { return layout_; }

private:
    const Element* begin_;
    Index size_;
    Layout layout_;
    std::vector<Element> gathered_;
};

class Encoder {
public:
    Encoded value(const Value& value) {
        return std::visit([this](const auto& held) { return encode(held); }, value);
    }

    Offset<flatbuffers::Vector<Offset<schema::Field>>> fields(const std::vector<Field>& fields) {
        std::vector<Offset<schema::Field>> encoded;
        encoded.reserve(fields.size());
        for (const Field& field : fields) {
            const auto name = builder_.CreateString(field.name);
            const Encoded held = value(field.value);
            encoded.push_back(schema::CreateField(builder_, name, held.tag, held.offset));
        }
        return builder_.CreateVector(encoded);
    }

    Bytes finish(Offset<schema::Message> message) {
        builder_.Finish(message);
        const auto* begin = reinterpret_cast<const std::byte*>(builder_.GetBufferPointer());
        return {begin, begin + builder_.GetSize()};
    }

    FlatBufferBuilder& builder() { return builder_; }

private:
    template <class Table>
    static Encoded tagged(schema::Value tag, Offset<Table> table) {
        return {tag, table.Union()};
    }

    Encoded encode(std::monostate) { return tagged(schema::Value_Nothing, schema::CreateNothing(builder_)); }
    Encoded encode(Index value) { return tagged(schema::Value_Integer, schema::CreateInteger(builder_, value)); }
    Encoded encode(double value) { return tagged(schema::Value_Real, schema::CreateReal(builder_, value)); }
    Encoded encode(bool value) { return tagged(schema::Value_Flag, schema::CreateFlag(builder_, value)); }
    Encoded encode(Handle value) { return tagged(schema::Value_Handle, schema::CreateHandle(builder_, value.id)); }
    Encoded encode(const std::string& value) {
        return tagged(schema::Value_Text, schema::CreateText(builder_, builder_.CreateString(value)));
    }
    Encoded encode(const Shape& value) {
        return tagged(schema::Value_Integers, schema::CreateIntegers(builder_, builder_.CreateVector(to_int64(value))));
    }
    Encoded encode(const Record& record) {
        return tagged(schema::Value_Record, schema::CreateRecord(builder_, fields(record.fields)));
    }

    Encoded encode(const Tensor& tensor) {
        if (!tensor.defined()) return tagged(schema::Value_Tensor, schema::CreateTensor(builder_, false));
        const Excerpt<float> sent(tensor.data() - tensor.offset(), tensor.storage_size(), tensor.layout());
        const auto shape = builder_.CreateVector(to_int64(sent.layout().shape));
        const auto strides = builder_.CreateVector(to_int64(sent.layout().strides));
        const auto numbers = builder_.CreateVector(sent.begin(), sent.size());
        return tagged(schema::Value_Tensor,
                      schema::CreateTensor(builder_, true, shape, strides, sent.layout().offset, numbers));
    }

    Encoded encode(const Mask& mask) {
        if (!mask.defined()) return tagged(schema::Value_Mask, schema::CreateMask(builder_, false));
        // Not bools: a submission may have left any byte there.
        const auto* storage = reinterpret_cast<const unsigned char*>(mask.data() - mask.layout().offset);
        const Excerpt<unsigned char> sent(storage, mask.storage_size(), mask.layout());
        const auto shape = builder_.CreateVector(to_int64(sent.layout().shape));
        const auto strides = builder_.CreateVector(to_int64(sent.layout().strides));
        std::vector<std::uint8_t> blocked(sent.size());
        std::transform(sent.begin(), sent.begin() + sent.size(), blocked.begin(),
                       [](unsigned char byte) { return static_cast<std::uint8_t>(byte != 0); });
        return tagged(schema::Value_Mask, schema::CreateMask(builder_, true, shape, strides, sent.layout().offset,
                                                             builder_.CreateVector(blocked)));
    }

    FlatBufferBuilder builder_;
};

schema::ErrorKind to_schema(ErrorKind kind) { return static_cast<schema::ErrorKind>(kind); }

}  // namespace

Bytes encode(const Call& call) {
    Encoder encoder;
    auto& builder = encoder.builder();
    const auto function = builder.CreateString(call.function);
    const auto arguments = encoder.fields(call.arguments);
    const auto table = schema::CreateCall(builder, call.id, function, arguments, call.keep);
    return encoder.finish(schema::CreateMessage(builder, table));
}

Bytes encode(const Reply& reply) {
    Encoder encoder;
    auto& builder = encoder.builder();
    const Encoded result = encoder.value(reply.result);
    Offset<schema::Error> error;
    if (reply.error)
        error =
            schema::CreateError(builder, to_schema(reply.error->kind), builder.CreateString(reply.error->type),
                                builder.CreateString(reply.error->message), builder.CreateVector(reply.error->frames),
                                reply.error->uncaught, reply.error->before_main);
    const auto changed = builder.CreateVectorOfStrings(reply.changed_arguments);
    const auto table = schema::CreateReply(builder, reply.id, result.tag, result.offset, error, changed);
    return encoder.finish(schema::CreateMessage(builder, Offset<schema::Call>(), table));
}

}  // namespace headway::wire
