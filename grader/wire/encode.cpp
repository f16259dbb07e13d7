#include "wire/message.hpp"
#include "wire_generated.h"

#include <algorithm>
#include <cstring>

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
        const auto shape = builder_.CreateVector(to_int64(tensor.shape()));
        const auto strides = builder_.CreateVector(to_int64(tensor.strides()));
        const float* storage = tensor.data() - tensor.offset();
        const auto numbers = builder_.CreateVector(storage, static_cast<std::size_t>(tensor.storage_size()));
        return tagged(schema::Value_Tensor,
                      schema::CreateTensor(builder_, true, shape, strides, tensor.offset(), numbers));
    }

    Encoded encode(const Mask& mask) {
        if (!mask.defined()) return tagged(schema::Value_Mask, schema::CreateMask(builder_, false));
        const auto shape = builder_.CreateVector(to_int64(mask.shape()));
        const auto strides = builder_.CreateVector(to_int64(mask.strides()));
        const bool* storage = mask.data() - mask.layout().offset;
        std::vector<std::uint8_t> blocked(static_cast<std::size_t>(mask.storage_size()));
        // Not a copy of bools: a submission may have left any byte there.
        const auto* bytes = reinterpret_cast<const unsigned char*>(storage);
        std::transform(bytes, bytes + blocked.size(), blocked.begin(),
                       [](unsigned char byte) { return static_cast<std::uint8_t>(byte != 0); });
        return tagged(schema::Value_Mask, schema::CreateMask(builder_, true, shape, strides, mask.layout().offset,
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
        error = schema::CreateError(builder, to_schema(reply.error->kind), builder.CreateString(reply.error->type),
                                    builder.CreateString(reply.error->message),
                                    builder.CreateVector(reply.error->frames), reply.error->uncaught);
    const auto changed = builder.CreateVectorOfStrings(reply.changed_arguments);
    const auto table = schema::CreateReply(builder, reply.id, result.tag, result.offset, error, changed);
    return encoder.finish(schema::CreateMessage(builder, Offset<schema::Call>(), table));
}

}  // namespace headway::wire
