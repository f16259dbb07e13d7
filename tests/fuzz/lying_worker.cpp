// A worker that has the right answers and tells some of them wrong, in ways that the course's own dispatcher never
// would: a record without a field, a number for a tensor, strides without end. A submission can do so, since the socket
// to the judge is open in its process. The hidden tests must take it for a wrong answer, never for a fault of the
// machine.
//
// Every other one lies as a student does who mixes up axes: all that a function answers is of another shape, in the
// same way each time.
//
// Which answers, and how, follows from the number at the end of its own name: "lying_03.17".
#include "wire/frame.hpp"
#include "worker/dispatcher.hpp"

#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <random>
#include <string>

namespace {

using namespace headway;

constexpr int channel = 3;

class Liar {
public:
    explicit Liar(std::uint32_t seed) : random_(seed), seed_(seed), every_(2 + seed % 7) {}

    wire::Reply bend(const std::string& function, wire::Reply reply) {
        if (seed_ % 2 == 0) {
            std::mt19937 of_function(static_cast<std::uint32_t>(std::hash<std::string>{}(function)) ^ seed_);
            reply.result = of_another_shape(std::move(reply.result), of_function() % 12);
            return reply;
        }
        if (pick(every_) != 0) return reply;
        if (reply.error) {
            if (pick(2) == 0)
                reply.error->kind = wire::ErrorKind::other_exception;
            else
                reply.error.reset();
            return reply;
        }
        if (pick(8) == 0) reply.changed_arguments = {"no such argument", "x", "x"};
        reply.result = bent(std::move(reply.result), 0);
        return reply;
    }

private:
    std::size_t pick(std::size_t of) { return random_() % of; }

    /// Functions of half the numbers tell the truth.
    static wire::Value of_another_shape(wire::Value value, std::size_t how) {
        if (auto* record = std::get_if<wire::Record>(&value))
            for (wire::Field& field : record->fields) field.value = of_another_shape(std::move(field.value), how);
        const auto* tensor = std::get_if<Tensor>(&value);
        if (tensor == nullptr || !tensor->defined() || tensor->rank() == 0 || tensor->numel() == 0) return value;
        const auto rank = static_cast<Index>(tensor->rank());
        switch (how) {
            case 0:
                return rank > 1 ? tensor->transpose(-2, -1) : *tensor;
            case 1:
                return tensor->transpose(0, rank - 1);
            case 2:
                return rank > 2 ? tensor->transpose(1, 2) : *tensor;
            case 3:  // one number
                return tensor->as_strided({}, {}, tensor->offset());
            case 4:
                return tensor->select(0, 0);
            case 5:
                return tensor->slice(-1, 0, 1);
            default:
                return value;
        }
    }

    wire::Value bent(wire::Value value, int depth) {
        if (pick(4) == 0) return any(depth);
        if (auto* record = std::get_if<wire::Record>(&value)) {
            bend(*record, depth);
            return value;
        }
        if (const auto* tensor = std::get_if<Tensor>(&value); tensor != nullptr && tensor->defined())
            return bent(*tensor);
        if (const auto* mask = std::get_if<Mask>(&value); mask != nullptr && mask->defined())
            return pick(2) == 0 ? wire::Value(Mask{}) : wire::Value(Mask::block_all({1, 2, 3}));
        if (const auto* list = std::get_if<Shape>(&value)) {
            Shape other = *list;
            if (!other.empty() && pick(2) == 0)
                other.pop_back();
            else
                other.push_back(std::numeric_limits<Index>::min());
            return other;
        }
        return any(depth);
    }

    void bend(wire::Record& record, int depth) {
        auto& fields = record.fields;
        if (fields.empty() || pick(6) == 0) {
            fields.push_back({"extra", any(depth + 1)});
            return;
        }
        wire::Field& one = fields[pick(fields.size())];
        switch (pick(5)) {
            case 0:
                fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(&one - fields.data()));
                break;
            case 1:
                std::swap(one.value, fields.front().value);
                break;
            case 2:
                one.name += "_";
                break;
            case 3:
                fields.push_back(one);
                break;
            default:
                one.value = bent(std::move(one.value), depth + 1);
        }
    }

    Tensor bent(const Tensor& tensor) {
        const Shape shape = tensor.shape();
        switch (pick(8)) {
            case 0:
                return {};
            case 1:  // one number, seen many times
                return Tensor::full(Shape(shape.size(), 1), 0.5F).as_strided(shape, Shape(shape.size(), 0), 0);
            case 2:
                return Tensor::full({1}, 0.5F).as_strided({1, 1 << 20, 4}, {Index{1} << 40, 0, 0}, 0);
            case 3:
                return Tensor::full({0}, 0).as_strided({0, 3}, {Index{1} << 40, Index{1} << 41}, 0);
            case 4:
                return Tensor::full(shape, std::numeric_limits<float>::quiet_NaN());
            case 5:
                return Tensor::full({}, std::numeric_limits<float>::infinity());
            case 6: {
                Shape longer = shape;
                longer.insert(longer.begin(), 1);
                return Tensor::full(longer, 1);
            }
            default: {
                Shape other = shape;
                if (!other.empty()) ++other[pick(other.size())];
                return Tensor::full(other, 1);
            }
        }
    }

    wire::Value any(int depth) {
        switch (pick(depth > 3 ? 9 : 10)) {
            case 0:
                return std::monostate{};
            case 1:
                return Tensor{};
            case 2:
                return Tensor::full({2, 3}, 1);
            case 3:
                return Mask::allow_all({2, 3});
            case 4:
                return Index{-1};
            case 5:
                return Shape{1, -2, std::numeric_limits<Index>::max()};
            case 6:
                return std::numeric_limits<double>::quiet_NaN();
            case 7:
                return std::string("\x1b[2J<fuzz \xff");
            case 8:
                return wire::Handle{pick(4)};
            default:
                return wire::Record{{{"context", any(depth + 1)}, {"report", any(depth + 1)}}};
        }
    }

    std::mt19937 random_;
    std::uint32_t seed_;
    std::size_t every_;
};

std::uint32_t seed_in(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string::npos ? 0 : static_cast<std::uint32_t>(std::strtoul(name.c_str() + dot + 1, nullptr, 10));
}

}  // namespace

int main(int, char** argv) {
    using namespace headway;
    try {
        worker::Dispatcher dispatcher;
        worker::add_functions(dispatcher);
        Liar liar(seed_in(argv[0]));
        while (const auto frame = wire::read_frame(channel)) {
            const wire::Call call = wire::decode_call(*frame);
            wire::write_frame(channel, wire::encode(liar.bend(call.function, dispatcher.answer(call))));
        }
        return EXIT_SUCCESS;
    } catch (const std::exception&) {
        return EXIT_FAILURE;
    }
}
