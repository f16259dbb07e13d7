#pragma once

#include <headway/nn.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>

/// Tensors in a file, in the format of Hugging Face's safetensors: eight bytes with the header's length, a JSON header
/// {"name": {"dtype", "shape", "data_offsets"}, "__metadata__": {"key": "text"}}, and the numbers, all little-endian.
namespace headway::lab {

struct Checkpoint {
    nn::StateDict tensors;
    std::map<std::string, std::string> metadata;

    /// @throws std::runtime_error, naming what is missing or of which shape it is
    const Tensor& at(const std::string& name, const Shape& shape) const;
    const std::string& note(const std::string& key) const;
};

/// As F32, row-major.
std::string to_safetensors(const Checkpoint& checkpoint);

/// Whether a tensor is of no use: it may hold any type.
using Skipped = std::function<bool(const std::string& tensor)>;

/// Reads F32 and F16 (which becomes float32). Trusts nothing: whatever is wrong with the bytes is told in a sentence,
/// and nothing is allocated that they do not pay for: at most some ten times the header, of 10 MB at most.
/// @param name  what messages call it   @throws std::runtime_error
Checkpoint from_safetensors(std::string_view bytes, const std::string& name, const Skipped& skipped = {});

/// @throws std::runtime_error if the file cannot be read or is no such file
Checkpoint read_safetensors(const std::string& file, const Skipped& skipped = {});

/// In one step: an interruption leaves the old or the new file.
void write_safetensors(const std::string& file, const Checkpoint& checkpoint);

}  // namespace headway::lab
