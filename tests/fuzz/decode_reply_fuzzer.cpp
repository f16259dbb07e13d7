// Whatever bytes a worker sends, the judge decodes them or refuses them, and touches every element that it accepted.
#include "wire/message.hpp"

#include <cstddef>
#include <cstdint>

namespace {

using namespace headway;

volatile float sink = 0;

void touch(const wire::Value& value) {
    if (const auto* tensor = std::get_if<Tensor>(&value); tensor != nullptr && tensor->numel() > 0) {
        const float* storage = tensor->data() - tensor->offset();
        sink = storage[tensor->layout().lowest()] + storage[tensor->layout().highest()];
        if (tensor->numel() < 4096) sink = (*tensor * 2.0F).data()[0];
    }
    if (const auto* mask = std::get_if<Mask>(&value); mask != nullptr && mask->numel() > 0)
        sink = mask->data()[0] ? 1 : 0;
    if (const auto* record = std::get_if<wire::Record>(&value))
        for (const wire::Field& field : record->fields) touch(field.value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto* bytes = reinterpret_cast<const std::byte*>(data);
    // Aligned as the judge's own buffers are.
    const wire::Bytes copy(bytes, bytes + size);
    try {
        const wire::Reply reply = wire::decode_reply(copy);
        touch(reply.result);
        wire::encode(reply);
    } catch (const wire::MalformedMessage&) {
    }
    return 0;
}
