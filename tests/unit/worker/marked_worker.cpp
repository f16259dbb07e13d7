// Functions that ask for memory; fresh_memory_test.cpp asks them.
#include "worker/dispatcher.hpp"

#include <cstddef>
#include <memory>

namespace {

using headway::Index;
using headway::Tensor;

[[gnu::noinline]] Tensor scratch_of(Index size) { return Tensor::empty({size}); }

/// Of three tensors the second is never written to.
Tensor sum_from_anything(Index size) {
    const Tensor before = Tensor::zeros({size});
    Tensor sum = scratch_of(size);
    const Tensor after = Tensor::ones({size});
    for (Index i = 0; i < size; ++i) sum(i) += before(i) + after(i);
    return sum;
}

[[gnu::noinline]] std::unique_ptr<float[]> array_of(Index size) {
    return std::unique_ptr<float[]>(new float[static_cast<std::size_t>(size)]);
}

Tensor last_of_an_array(Index size) {
    const auto numbers = array_of(size);
    return Tensor::full({1}, numbers[static_cast<std::size_t>(size) - 1]);
}

Tensor written(Index size) {
    Tensor all = scratch_of(size);
    for (Index i = 0; i < size; ++i) all(i) = 1.0F;
    return all;
}

}  // namespace

void headway::worker::add_functions(Dispatcher& dispatcher) {
    dispatcher.add("sum_from_anything", sum_from_anything);
    dispatcher.add("last_of_an_array", last_of_an_array);
    dispatcher.add("written", written);
}
