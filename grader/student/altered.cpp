#include "student/altered.hpp"

#include "reference/array.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace headway::judge {

Index place_in(const Tensor& tensor) {
    if (tensor.numel() < 3) return 0;
    std::uint32_t drawn = 0;
    for (const double number : reference::exact(tensor).value)
        drawn = drawn * 31 + std::bit_cast<std::uint32_t>(static_cast<float>(number));
    return 1 + static_cast<Index>(drawn % static_cast<std::uint32_t>(tensor.numel() - 2));
}

Tensor nearly_the_same(const Tensor& tensor) {
    Tensor other = Tensor::empty(tensor.shape());
    other.copy_from(tensor);
    if (other.numel() > 2) other.data()[place_in(other)] += 1;
    return other;
}

Tensor with_two_exchanged(const Tensor& tensor) {
    Tensor other = Tensor::empty(tensor.shape());
    other.copy_from(tensor);
    if (other.numel() < 4) return other;
    const Index place = place_in(other);
    std::swap(other.data()[place], other.data()[place + 1 < other.numel() - 1 ? place + 1 : 1]);
    return other;
}

Arguments each(Arguments arguments, Tensor form(const Tensor&), Nested nested) {
    for (Tensor* tensor : tensors_in(arguments, nested)) *tensor = form(*tensor);
    return arguments;
}

Arguments each_in_its_own_layout(Arguments arguments) {
    bool is_dense = true;
    for (Tensor* tensor : tensors_in(arguments, Nested::too)) {
        *tensor = is_dense ? dense(*tensor) : column_major(*tensor);
        is_dense = !is_dense;
    }
    return arguments;
}

Arguments with_other_numbers(const Arguments& arguments) {
    return each(arguments, [](const Tensor& tensor) { return tensor * -0.5F + 0.25F; });
}

std::optional<Arguments> with_other_masks(Arguments arguments, Random& random) {
    bool any = false;
    for (wire::Field& argument : arguments)
        if (auto* mask = std::get_if<Mask>(&argument.value); mask != nullptr && mask->numel() > 0) {
            *mask = mask->clone();
            std::generate_n(mask->data(), mask->numel(), [&] { return random.integer(0, 1) == 1; });
            any = true;
        }
    return any ? std::optional(std::move(arguments)) : std::nullopt;
}

}  // namespace headway::judge
