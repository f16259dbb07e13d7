#pragma once

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace entry {

inline std::string read_all(int descriptor) {
    std::string bytes;
    std::array<char, 4096> buffer;  // NOLINT(*-member-init): filled by read
    for (ssize_t got = 0; (got = ::read(descriptor, buffer.data(), buffer.size())) > 0;)
        bytes.append(buffer.data(), static_cast<std::size_t>(got));
    return bytes;
}

/// Instructions: words such as name=value, each with a NUL at its end.
class Words {
public:
    explicit Words(std::string text) : text_(std::move(text)) {}

    template <class Action>
    void each(std::string_view name, Action action) const {
        for (std::size_t at = 0; at < text_.size(); at += std::strlen(&text_[at]) + 1) {
            const std::string_view word = &text_[at];
            if (word.size() > name.size() && word.substr(0, name.size()) == name && word[name.size()] == '=')
                action(&text_[at + name.size() + 1]);
        }
    }

    /// Null if it is not there.
    const char* value(std::string_view name) const {
        const char* found = nullptr;
        each(name, [&](const char* value) { found = value; });
        return found;
    }

private:
    std::string text_;
};

}  // namespace entry
