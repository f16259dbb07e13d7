#include "wire/message.hpp"
#include "wire_generated.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace headway::wire {
namespace {

constexpr std::size_t max_rank = 8;
constexpr std::size_t max_fields = 4096;
constexpr std::size_t max_text_bytes = std::size_t{64} << 10U;
constexpr std::size_t max_error_bytes = std::size_t{8} << 10U;  // type and message
constexpr std::size_t max_changed = 64;                         // no function has so many arguments
// Tables nest as Message > Reply > Record > Field > Record > ...: room for records within records, not for a bomb.
constexpr flatbuffers::uoffset_t max_depth = 16;
constexpr flatbuffers::uoffset_t max_tables = 3 * max_fields;

/// Builds values out of a verified buffer, and bounds what they may cost: a few bytes can name one storage many times,
/// or a tensor with stride 0 and 2^60 elements.
class Decoder {
public:
    explicit Decoder(std::size_t most_unfolded) : most_unfolded_(most_unfolded) {}

    /// `tag` and `table` come from a union that the verifier has checked.
    Value value(schema::Value tag, const void* table) {
        if (table == nullptr) return std::monostate{};
        switch (tag) {
            case schema::Value_Tensor:
                return tensor(*static_cast<const schema::Tensor*>(table));
            case schema::Value_Mask:
                return mask(*static_cast<const schema::Mask*>(table));
            case schema::Value_Integer:
                return Index{static_cast<const schema::Integer*>(table)->value()};
            case schema::Value_Integers:
                return integers(static_cast<const schema::Integers*>(table)->values(), "a list", max_fields);
            case schema::Value_Real:
                return static_cast<const schema::Real*>(table)->value();
            case schema::Value_Flag:
                return static_cast<const schema::Flag*>(table)->value();
            case schema::Value_Text:
                return text(static_cast<const schema::Text*>(table)->value());
            case schema::Value_Handle:
                return Handle{static_cast<const schema::Handle*>(table)->id()};
            case schema::Value_Record:
                return Record{fields(static_cast<const schema::Record*>(table)->fields())};
            default:
                return std::monostate{};
        }
    }

    std::vector<Field> fields(const flatbuffers::Vector<flatbuffers::Offset<schema::Field>>* sent) {
        std::vector<Field> fields;
        if (sent == nullptr) return fields;
        if (sent->size() > max_fields)
            throw MalformedMessage("a record of " + std::to_string(sent->size()) + " fields");
        spend(unfolded_, sent->size() * sizeof(Field), most_unfolded_);
        for (const schema::Field* field : *sent)
            fields.push_back({text(field->name()), value(field->value_type(), field->value())});
        return fields;
    }

    /// Fields may share one text.
    std::string text(const flatbuffers::String* string) {
        if (string == nullptr) return {};
        if (string->size() > max_text_bytes)
            throw MalformedMessage("a text of " + std::to_string(string->size()) + " bytes");
        spend(unfolded_, string->size(), most_unfolded_);
        return string->str();
    }

    std::vector<std::int64_t> frames(const flatbuffers::Vector<std::int64_t>* sent) {
        std::vector<std::int64_t> addresses = integers(sent, "a way to a throw", most_frames);
        if (std::any_of(addresses.begin(), addresses.end(), [](std::int64_t address) { return address < 0; }))
            throw MalformedMessage("an address below zero");
        return addresses;
    }

private:
    void spend(std::size_t& spent, std::size_t bytes, std::size_t most) {
        if (bytes > most - spent)
            throw MalformedMessage("more than the " + std::to_string(most >> 20U) +
                                   " MiB that an answer may take with every element written out");
        spent += bytes;
    }

    std::vector<Index> integers(const flatbuffers::Vector<std::int64_t>* values, const char* what, std::size_t most) {
        if (values == nullptr) return {};
        if (values->size() > most)
            throw MalformedMessage(std::string(what) + " with " + std::to_string(values->size()) + " entries");
        // The verifier aligns the length in front of them, which is smaller than they are; an empty list needs no more.
        if (values->size() > 0 && reinterpret_cast<std::uintptr_t>(values->Data()) % alignof(std::int64_t) != 0)
            throw MalformedMessage(std::string(what) + " at an odd address");
        spend(unfolded_, values->size() * sizeof(Index), most_unfolded_);
        return {values->begin(), values->end()};
    }

    template <class Sent>
    Layout layout(const Sent& sent) {
        return {integers(sent.shape(), "a shape", max_rank), integers(sent.strides(), "strides", max_rank),
                sent.offset()};
    }

    /// `as_strided` checks ranks, signs, overflow and bounds; what it refuses is no tensor.
    template <class Strided>
    Strided checked_view(const Strided& storage, const Layout& layout, std::size_t element_bytes) {
        try {
            Strided view = storage.as_strided(layout.shape, layout.strides, layout.offset);
            spend(unfolded_, saturated(static_cast<std::size_t>(view.numel()), element_bytes), most_unfolded_);
            return view;
        } catch (const std::invalid_argument& error) {
            throw MalformedMessage(std::string("a tensor that leaves its storage: ") + error.what());
        }
    }

    Tensor tensor(const schema::Tensor& sent) {
        if (!sent.defined()) return {};
        const std::size_t size = sent.storage() == nullptr ? 0 : sent.storage()->size();
        spend(stored_, size * sizeof(float), max_frame_bytes);
        Tensor storage = Tensor::empty({static_cast<Index>(size)});
        if (size > 0) std::copy(sent.storage()->begin(), sent.storage()->end(), storage.data());
        return checked_view(storage, layout(sent), sizeof(float));
    }

    Mask mask(const schema::Mask& sent) {
        if (!sent.defined()) return {};
        const std::size_t size = sent.storage() == nullptr ? 0 : sent.storage()->size();
        spend(stored_, size, max_frame_bytes);
        Mask storage = Mask::allow_all({static_cast<Index>(size)});
        if (size > 0)
            std::transform(sent.storage()->begin(), sent.storage()->end(), storage.data(),
                           [](std::uint8_t blocked) { return blocked != 0; });
        return checked_view(storage, layout(sent), sizeof(bool));
    }

    static std::size_t saturated(std::size_t count, std::size_t each) {
        return count > max_frame_bytes ? count : count * each;
    }

    std::size_t most_unfolded_;
    std::size_t unfolded_ = 0;
    std::size_t stored_ = 0;  ///< bytes of storage that came over the wire, and may be named many times
};

const schema::Message& verified(std::span<const std::byte> bytes) {
    if (bytes.size() > max_frame_bytes) throw MalformedMessage("a frame of " + std::to_string(bytes.size()) + " bytes");
    const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
    flatbuffers::Verifier verifier(begin, bytes.size(), max_depth, max_tables);
    if (!schema::VerifyMessageBuffer(verifier)) throw MalformedMessage("bytes that are not a message");
    return *schema::GetMessage(begin);
}

}  // namespace

Call decode_call(std::span<const std::byte> bytes) {
    const schema::Call* call = verified(bytes).call();
    if (call == nullptr) throw MalformedMessage("a message that is not a call");
    Decoder decoder(max_frame_bytes);
    std::string function = decoder.text(call->function());
    return {call->id(), std::move(function), decoder.fields(call->arguments()), call->keep()};
}

Reply decode_reply(std::span<const std::byte> bytes, std::size_t most_unfolded) {
    const schema::Reply* sent = verified(bytes).reply();
    if (sent == nullptr) throw MalformedMessage("a message that is not a reply");
    Decoder decoder(most_unfolded);
    Reply reply;
    reply.id = sent->id();
    if (const schema::Error* error = sent->error()) {
        const auto kind = error->kind();
        if (kind < schema::ErrorKind_MIN || kind > schema::ErrorKind_MAX)
            throw MalformedMessage("an unknown kind of error");
        reply.error =
            Error{static_cast<ErrorKind>(kind),    decoder.text(error->type()), decoder.text(error->message()),
                  decoder.frames(error->frames()), error->uncaught(),           error->before_main()};
        if (reply.error->type.size() + reply.error->message.size() > max_error_bytes)
            throw MalformedMessage("an exception with a text of more than 8 KiB");
    } else {
        reply.result = decoder.value(sent->result_type(), sent->result());
    }
    if (const auto* changed = sent->changed_arguments()) {
        if (changed->size() > max_changed) throw MalformedMessage("too many changed arguments");
        for (const flatbuffers::String* name : *changed) reply.changed_arguments.push_back(decoder.text(name));
    }
    return reply;
}

}  // namespace headway::wire
