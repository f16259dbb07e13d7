// Whatever a downloaded model's files hold, they are read or refused in a sentence.
#include "labs/checkpoint/safetensors.hpp"
#include "labs/gpt2/sizes.hpp"
#include "labs/gpt2/tokenizer.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace {

using namespace headway;

volatile float sink = 0;

void read_checkpoint(std::string_view bytes) {
    const auto is_mask = [](const std::string& name) { return name.ends_with("bias"); };
    for (const auto& [name, tensor] : lab::from_safetensors(bytes, "it", is_mask).tensors)
        for (headway::Index i = 0; i < tensor.numel(); ++i) sink = tensor.data()[i];
}

/// vocab.json, merges.txt and a text, with a zero byte between them.
void read_tokenizer(std::string_view bytes) {
    const std::size_t first = bytes.find('\0');
    if (first == bytes.npos) return;
    const std::size_t second = bytes.find('\0', first + 1);
    if (second == bytes.npos) return;
    const lab::Tokenizer tokenizer(bytes.substr(0, first), bytes.substr(first + 1, second - first - 1), "it");
    const auto tokens = tokenizer.encode(std::string(bytes.substr(second + 1)));
    if (tokenizer.decode(tokens) != bytes.substr(second + 1)) __builtin_trap();
    tokenizer.readable(tokens);
    for (const headway::Index token : tokens) tokenizer.label(token);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    try {
        if (data[0] == 'T') read_tokenizer(bytes);
        if (data[0] == 'C') lab::sizes_from(bytes, "it");
        if (data[0] == 'S') read_checkpoint(bytes);
    } catch (const std::runtime_error&) {
    }
    return 0;
}
