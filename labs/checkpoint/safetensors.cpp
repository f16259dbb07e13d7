#include "labs/checkpoint/safetensors.hpp"

#include "labs/frame/files.hpp"

#include <fmt/format.h>
#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

static_assert(std::endian::native == std::endian::little, "the numbers of the file are copied as they are");

namespace headway::lab {
namespace {

using nlohmann::json;

constexpr std::size_t length_bytes = 8;
/// A header becomes some ten times as large in memory. That of the largest GPT-2 has not a hundredth of this.
constexpr std::uint64_t most_header = 10'000'000;
constexpr int deepest = 4;
constexpr std::size_t most_axes = 8;

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
    throw std::runtime_error(fmt::format("{} is no safetensors file that can be read: {}", file, why));
}

/// Names that stand twice in an object would hide each other; deep nesting serves nobody.
json parse_header(std::string_view text, const std::string& file) {
    std::vector<std::set<std::string>> names;
    const auto look = [&](int depth, json::parse_event_t event, json& parsed) {
        if (depth > deepest) refuse(file, "its header is nested too deeply");
        if (event == json::parse_event_t::object_start) names.emplace_back();
        if (event == json::parse_event_t::object_end) names.pop_back();
        if (event == json::parse_event_t::key && !names.back().insert(parsed.get<std::string>()).second)
            refuse(file, fmt::format("{} stands twice in its header", parsed.dump()));
        return true;
    };
    try {
        json header = json::parse(text, look);
        if (!header.is_object()) refuse(file, "its header is not a JSON object");
        return header;
    } catch (const json::exception&) {
        refuse(file, "its header is not JSON");
    }
}

/// One entry of the header, checked as far as it can be alone.
struct Entry {
    std::string name;
    Shape shape;
    std::uint64_t begin = 0, end = 0;
    bool is_half = false;
    bool is_skipped = false;
};

std::uint64_t number_in(const json& value, const std::string& what, const std::string& file) {
    if (!value.is_number_unsigned()) refuse(file, what + " is not a number of bytes or elements");
    return value.get<std::uint64_t>();
}

Entry entry_of(const std::string& name, const json& value, std::uint64_t size, bool skipped, const std::string& file) {
    if (!value.is_object() || !value.contains("dtype") || !value.contains("shape") || !value.contains("data_offsets"))
        refuse(file, name + " lacks dtype, shape or data_offsets");
    const json &dtype = value.at("dtype"), &shape = value.at("shape"), &offsets = value.at("data_offsets");
    if (!skipped && dtype != "F32" && dtype != "F16")
        refuse(file, fmt::format("{} holds {}; F32 and F16 are read", name, dtype.dump()));
    if (!shape.is_array() || shape.size() > most_axes) refuse(file, "the shape of " + name + " is none");
    if (!offsets.is_array() || offsets.size() != 2) refuse(file, "data_offsets of " + name + " are not two numbers");
    Entry entry{name,           {},     number_in(offsets[0], name, file), number_in(offsets[1], name, file),
                dtype == "F16", skipped};
    if (entry.begin > entry.end || entry.end > size)
        refuse(file, fmt::format("{} lies outside of the file; it may have been cut off", name));
    if (skipped) return entry;
    std::uint64_t bytes = entry.is_half ? 2 : 4;
    for (const json& axis : shape) {
        const std::uint64_t length = number_in(axis, "an axis of " + name, file);
        if (__builtin_mul_overflow(bytes, length, &bytes) || length > std::uint64_t{1} << 40U)
            refuse(file, name + " is too large");
        entry.shape.push_back(static_cast<Index>(length));
    }
    if (bytes != entry.end - entry.begin)
        refuse(file, fmt::format("{} of shape {} needs {} bytes, and has {}", name, to_string(entry.shape), bytes,
                                 entry.end - entry.begin));
    return entry;
}

/// Every byte of the data belongs to one tensor: no overlap, no gap, nothing left over.
void require_no_gaps(std::vector<Entry> entries, std::uint64_t size, const std::string& file) {
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
    std::uint64_t at = 0;
    for (const Entry& entry : entries) {
        if (entry.begin != at) refuse(file, entry.name + " overlaps another tensor, or leaves a gap");
        at = entry.end;
    }
    if (at != size) refuse(file, fmt::format("{} bytes at its end belong to no tensor", size - at));
}

Tensor numbers_of(const Entry& entry, std::string_view data) {
    Tensor tensor = Tensor::empty(entry.shape);
    const char* from = data.data() + entry.begin;
    if (!entry.is_half) {
        std::memcpy(tensor.data(), from, entry.end - entry.begin);
        return tensor;
    }
    std::vector<Eigen::half> halves(static_cast<std::size_t>(tensor.numel()));
    std::memcpy(halves.data(), from, entry.end - entry.begin);
    std::ranges::transform(halves, tensor.data(), [](Eigen::half half) { return static_cast<float>(half); });
    return tensor;
}

}  // namespace

const Tensor& Checkpoint::at(const std::string& name, const Shape& shape) const {
    for (const auto& [key, tensor] : tensors) {
        if (key != name) continue;
        if (tensor.shape() == shape) return tensor;
        throw std::runtime_error(
            fmt::format("{} has shape {}, not {}", name, to_string(tensor.shape()), to_string(shape)));
    }
    throw std::runtime_error(fmt::format("there is no {} in it", name));
}

const std::string& Checkpoint::note(const std::string& key) const {
    const auto found = metadata.find(key);
    if (found == metadata.end()) throw std::runtime_error(fmt::format("its metadata says nothing of {}", key));
    return found->second;
}

std::string to_safetensors(const Checkpoint& checkpoint) {
    json header = json::object();
    if (!checkpoint.metadata.empty()) header["__metadata__"] = checkpoint.metadata;
    std::string data;
    for (const auto& [name, tensor] : checkpoint.tensors) {
        const Tensor dense = tensor.contiguous();
        const std::size_t begin = data.size();
        data.append(reinterpret_cast<const char*>(dense.data()),
                    static_cast<std::size_t>(dense.numel()) * sizeof(float));
        header[name] = {{"dtype", "F32"}, {"shape", dense.shape()}, {"data_offsets", {begin, data.size()}}};
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the numbers are aligned
    const std::uint64_t length = text.size();
    std::string bytes(length_bytes, '\0');
    std::memcpy(bytes.data(), &length, length_bytes);
    return bytes + text + data;
}

Checkpoint from_safetensors(std::string_view bytes, const std::string& name, const Skipped& skipped) {
    std::uint64_t length = 0;
    if (bytes.starts_with("version https://git-lfs"))
        refuse(name, "it is a pointer of git-lfs; download the file itself, which is much larger");
    if (bytes.starts_with("<")) refuse(name, "it is a web page; download the file itself, which is much larger");
    if (bytes.size() < length_bytes) refuse(name, "it is too short to have a header");
    std::memcpy(&length, bytes.data(), length_bytes);
    if (length > most_header || length > bytes.size() - length_bytes)
        refuse(name, fmt::format("its header should be {} bytes long, and is not there", length));
    const std::string_view data = bytes.substr(length_bytes + length);
    const json header = parse_header(bytes.substr(length_bytes, length), name);

    Checkpoint checkpoint;
    std::vector<Entry> entries;
    for (const auto& [key, value] : header.items()) {
        if (key != "__metadata__") {
            entries.push_back(entry_of(key, value, data.size(), skipped && skipped(key), name));
            continue;
        }
        if (!value.is_object()) refuse(name, "its metadata is not an object");
        for (const auto& [note, text] : value.items()) {
            if (!text.is_string()) refuse(name, "its metadata is not text");
            checkpoint.metadata[note] = text;
        }
    }
    require_no_gaps(entries, data.size(), name);
    for (const Entry& entry : entries)
        if (!entry.is_skipped) checkpoint.tensors.emplace_back(entry.name, numbers_of(entry, data));
    return checkpoint;
}

Checkpoint read_safetensors(const std::string& file, const Skipped& skipped) {
    return from_safetensors(read_file(file), file, skipped);
}

void write_safetensors(const std::string& file, const Checkpoint& checkpoint) {
    write_file(file, to_safetensors(checkpoint));
}

}  // namespace headway::lab
