#pragma once

#include "labs/checkpoint/safetensors.hpp"

#include <headway/mask.hpp>
#include <headway/nn.hpp>
#include <headway/tensor.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

/// What values.safetensors holds.
namespace headway::beside_pytorch {

/// The tensors of one case: what stands behind its name and a slash.
class Case {
public:
    explicit Case(const std::string& name) : prefix_(name + "/") {}

    /// Undefined if there is none of this name.
    Tensor find(const std::string& name) const {
        const nn::StateDict& all = values().tensors;
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.first == prefix_ + name; });
        return found == all.end() ? Tensor{} : found->second;
    }

    Tensor operator[](const std::string& name) const {
        const Tensor found = find(name);
        if (!found.defined()) throw std::runtime_error("values.safetensors holds no " + prefix_ + name);
        return found;
    }

    Mask mask() const {
        const Tensor stored = find("mask");
        if (!stored.defined()) return {};
        Mask mask = Mask::allow_all(stored.shape());
        for (Index i = 0; i < stored.numel(); ++i) mask.data()[i] = stored.data()[i] == 1.0F;
        return mask;
    }

private:
    static const lab::Checkpoint& values() {
        static const lab::Checkpoint read = lab::read_safetensors(VALUES);
        return read;
    }

    std::string prefix_;
};

/// Tests that run on several cases of the file.
class Values : public testing::TestWithParam<const char*> {
protected:
    const Case value{GetParam()};
};
inline std::string as_test_name(const testing::TestParamInfo<const char*>& info) {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
}
#define HEADWAY_CASES(Fixture, ...) \
    INSTANTIATE_TEST_SUITE_P(PyTorch, Fixture, testing::Values(__VA_ARGS__), as_test_name)

}  // namespace headway::beside_pytorch
