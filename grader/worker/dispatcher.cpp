#include "worker/dispatcher.hpp"

#include "worker/fresh_memory.hpp"
#include "worker/throw_trace.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <typeinfo>

#include <cxxabi.h>

namespace headway::worker {
namespace {

constexpr std::size_t max_message_bytes = 4096;

std::string demangled(const std::type_info* type) {
    if (type == nullptr) return "an unknown type";
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(type->name(), nullptr, nullptr, &status),
                                                           &std::free);
    return status == 0 ? name.get() : type->name();
}

/// The exception in flight, as the judge hears of it.
wire::Error current_error(wire::ErrorKind kind, const char* what) {
    return {.kind = kind,
            .type = demangled(abi::__cxa_current_exception_type()).substr(0, max_message_bytes),
            .message = what == nullptr ? "" : std::string(what, strnlen(what, max_message_bytes)),
            .frames = last_throw()};
}

/// The numbers of an argument before the call: a submission that changes them damages its caller.
class Snapshot {
public:
    explicit Snapshot(const wire::Value& value) { observe(value); }

    /// Not by memcmp: of that a submission may bring its own.
    bool changed() const {
        std::byte differences{0};
        for (const Piece& piece : pieces_)
            for (std::size_t i = 0; i < piece.bytes.size(); ++i) differences |= piece.bytes[i] ^ piece.begin[i];
        return differences != std::byte{0};
    }

private:
    struct Piece {
        const std::byte* begin;
        std::vector<std::byte> bytes;
    };

    void observe(const wire::Value& value) {
        if (const auto* tensor = std::get_if<Tensor>(&value); tensor != nullptr && tensor->defined())
            observe(tensor->data() - tensor->offset(),
                    static_cast<std::size_t>(tensor->storage_size()) * sizeof(float));
        if (const auto* mask = std::get_if<Mask>(&value); mask != nullptr && mask->defined())
            observe(mask->data() - mask->layout().offset, static_cast<std::size_t>(mask->storage_size()));
        if (const auto* record = std::get_if<wire::Record>(&value))
            for (const wire::Field& field : record->fields) observe(field.value);
    }

    void observe(const void* memory, std::size_t size) {
        const auto* begin = static_cast<const std::byte*>(memory);
        pieces_.push_back({begin, {begin, begin + size}});
    }

    std::vector<Piece> pieces_;
};

/// "No copy" is seen from outside: write to one kept tensor, read another. One that a submission brings up to date
/// whenever its code is run shows the same, so it is also asked where the two lie.
void write_element(Objects& objects, wire::Handle handle, const Shape& index, double number) {
    Tensor& tensor = std::get<Tensor>(objects.get<wire::Value>(handle));
    const Index at = tensor.layout().locate(index.data(), index.size());
    (tensor.data() - tensor.offset())[at] = static_cast<float>(number);
}

const float* storage_of(Objects& objects, const wire::Value& handle) {
    const Tensor& tensor = std::get<Tensor>(objects.get<wire::Value>(std::get<wire::Handle>(handle)));
    return tensor.data() - tensor.offset();
}

/// Memory from the first element to the last.
struct Span {
    std::uintptr_t begin, end;
};

template <class Elements>
void add_span(std::vector<Span>& spans, const Elements& elements) {
    if (!elements.defined() || elements.numel() == 0) return;
    const Layout& layout = elements.layout();
    const Shape first(layout.shape.size(), 0);
    Shape last = layout.shape;
    for (Index& position : last) --position;
    const auto* storage = elements.data() - layout.offset;
    const auto at = [&](const Shape& place) {
        return reinterpret_cast<std::uintptr_t>(storage + layout.locate(place.data(), place.size()));
    };
    spans.push_back({at(first), at(last) + sizeof(*storage)});
}

std::vector<Span> spans_of(const wire::Value& value) {
    std::vector<Span> spans;
    if (const auto* tensor = std::get_if<Tensor>(&value)) add_span(spans, *tensor);
    if (const auto* mask = std::get_if<Mask>(&value)) add_span(spans, *mask);
    if (const auto* record = std::get_if<wire::Record>(&value))
        for (const wire::Field& field : record->fields)
            std::ranges::move(spans_of(field.value), std::back_inserter(spans));
    return spans;
}

wire::Value overlap(Objects& objects, const std::vector<wire::Field>& arguments) {
    const auto spans = [&](std::size_t i) {
        return spans_of(objects.get<wire::Value>(std::get<wire::Handle>(arguments[i].value)));
    };
    const std::vector<Span> a = spans(0), b = spans(1);
    return std::ranges::any_of(a, [&](const Span& one) {
        return std::ranges::any_of(b,
                                   [&](const Span& other) { return one.begin < other.end && other.begin < one.end; });
    });
}

wire::Value view_of(Objects& objects, const std::vector<wire::Field>& arguments) {
    const auto& whole = std::get<Tensor>(objects.get<wire::Value>(std::get<wire::Handle>(arguments[0].value)));
    return objects.keep(
        wire::Value(whole.as_strided(std::get<Shape>(arguments[1].value), std::get<Strides>(arguments[2].value),
                                     std::get<Index>(arguments[3].value))));
}

}  // namespace

Dispatcher::Dispatcher() {
    functions_["keep"] = {1, [](Objects& objects, const std::vector<wire::Field>& arguments) -> wire::Value {
                              return objects.keep(arguments[0].value);
                          }};
    functions_["read"] = {1, [](Objects& objects, const std::vector<wire::Field>& arguments) {
                              return objects.get<wire::Value>(std::get<wire::Handle>(arguments[0].value));
                          }};
    functions_["view_of_kept"] = {4, &view_of};
    functions_["overlap"] = {2, &overlap};
    functions_["write"] = {3, [](Objects& objects, const std::vector<wire::Field>& arguments) -> wire::Value {
                               write_element(objects, std::get<wire::Handle>(arguments[0].value),
                                             std::get<Shape>(arguments[1].value), std::get<double>(arguments[2].value));
                               return std::monostate{};
                           }};
    functions_["share_storage"] = {2, [](Objects& objects, const std::vector<wire::Field>& arguments) -> wire::Value {
                                       return storage_of(objects, arguments[0].value) ==
                                              storage_of(objects, arguments[1].value);
                                   }};
    functions_["forget"] = {1, [](Objects& objects, const std::vector<wire::Field>& arguments) -> wire::Value {
                                objects.forget(std::get<wire::Handle>(arguments[0].value));
                                return std::monostate{};
                            }};
    functions_["mark_fresh_memory"] = {
        1, [](Objects& /*objects*/, const std::vector<wire::Field>& arguments) -> wire::Value {
            mark_fresh_memory(std::get<Index>(arguments[0].value));
            return std::monostate{};
        }};
    functions_["fresh_memory"] = {
        0, [](Objects& /*objects*/, const std::vector<wire::Field>& /*arguments*/) -> wire::Value {
            const std::vector<std::int64_t> told = fresh_memory();
            return Shape(told.begin(), told.end());
        }};
}

wire::Value Dispatcher::run(const wire::Call& call) {
    const Function& function = functions_.at(call.function);
    wire::Value result = function.invoke(objects_, call.arguments);
    const bool is_nothing = std::holds_alternative<std::monostate>(result);  // a null pointer, say
    if (!call.keep || is_nothing || std::holds_alternative<wire::Handle>(result)) return result;
    return objects_.keep(std::move(result));
}

wire::Reply Dispatcher::answer(const wire::Call& call) {
    wire::Reply reply;
    reply.id = call.id;
    const auto function = functions_.find(call.function);
    if (function == functions_.end() || function->second.arity != call.arguments.size()) {
        reply.error = wire::Error{wire::ErrorKind::no_such_function, "", call.function};
        return reply;
    }
    std::vector<Snapshot> before;
    for (const wire::Field& argument : call.arguments) before.emplace_back(argument.value);
    forget_throw();
    try {
        reply.result = run(call);
    } catch (const NotImplemented& error) {
        reply.error = current_error(wire::ErrorKind::not_implemented, error.function().c_str());
    } catch (const std::invalid_argument& error) {
        reply.error = current_error(wire::ErrorKind::invalid_argument, error.what());
    } catch (const std::out_of_range& error) {
        reply.error = current_error(wire::ErrorKind::out_of_range, error.what());
    } catch (const std::exception& error) {
        reply.error = current_error(wire::ErrorKind::other_exception, error.what());
    } catch (...) {
        reply.error = current_error(wire::ErrorKind::other_exception, "");
    }
    for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i].changed()) reply.changed_arguments.push_back(call.arguments[i].name);
    return reply;
}

std::optional<wire::Error> uncaught_error() {
    if (abi::__cxa_current_exception_type() == nullptr) return std::nullopt;
    wire::Error error;
    try {
        throw;
    } catch (const std::exception& thrown) {
        error = current_error(wire::ErrorKind::other_exception, thrown.what());
    } catch (...) {
        error = current_error(wire::ErrorKind::other_exception, "");
    }
    error.uncaught = true;
    return error;
}

}  // namespace headway::worker
