#include "gradebook/class_toml.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include "gradebook/marking_policy.hpp"
#include "verdict/utf8.hpp"

namespace headway::gradebook {
namespace {

/// TOML allows letters beyond ASCII in quotes and comments only.
void refuse_letters_outside_quotes(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    int line = 1;
    char inside = 0;  // what ends it: a quote, or '\n' for a comment
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') {
            ++line;
            inside = 0;
        } else if (inside == 0 && (c == '#' || c == '"' || c == '\'')) {
            // Of a text of several lines nothing is known but its quotes.
            if (c != '#' && text.substr(i, 3) == std::string(3, c))
                i += 2;
            else
                inside = c == '#' ? '\n' : c;
        } else if (inside == '"' && c == '\\' && i + 1 < text.size() && text[i + 1] != '\n') {
            ++i;
        } else if (inside != 0 && c == inside) {
            inside = 0;
        } else if (inside == 0 && static_cast<unsigned char>(c) >= 0x80) {
            throw MarkingPolicyError(fmt::format(
                "class.toml, line {}: what has letters other than A to Z stands in quotes, on one line", line));
        }
    }
}

/// toml++ 3.3 has undefined behaviour where it should refuse letters: its is_non_ascii_horizontal_whitespace() for
/// U+00A1 to U+0499. So it gets ASCII alone: each other byte is a mark and two hexadecimal digits.
class InAscii {
public:
    /// @param text  in which the mark must not occur
    explicit InAscii(std::string_view text) {
        for (int n = 0; text.find(mark_) != std::string_view::npos; ++n) mark_ = fmt::format("_x{}_", n);
        for (const char c : text) {
            const auto byte = static_cast<unsigned char>(c);
            text_ += byte < 0x80 ? std::string(1, c) : fmt::format("{}{:02x}", mark_, byte);
        }
    }

    const std::string& text() const { return text_; }

    std::string original(std::string_view encoded) const {
        std::string text;
        for (std::size_t at = encoded.find(mark_); at != std::string_view::npos; at = encoded.find(mark_)) {
            const std::string_view digits = encoded.substr(at + mark_.size(), 2);
            unsigned char byte = 0;
            const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
            if (error != std::errc() || end != digits.data() + 2) break;  // an error's text that was cut short
            text += encoded.substr(0, at);
            text += static_cast<char>(byte);
            encoded.remove_prefix(at + mark_.size() + 2);
        }
        return text.append(encoded);
    }

    toml::table original(const toml::table& encoded) const;

private:
    toml::array original(const toml::array& encoded) const;
    std::string original(const toml::value<std::string>& encoded) const { return original(encoded.get()); }
    template <typename T>
    T original(const toml::value<T>& other) const {
        return other.get();
    }

    std::string mark_ = "_x_";
    std::string text_;
};

toml::table InAscii::original(const toml::table& encoded) const {
    toml::table table;
    for (const auto& [key, node] : encoded)
        node.visit([&, name = original(key.str())](const auto& value) { table.insert(name, original(value)); });
    return table;
}

toml::array InAscii::original(const toml::array& encoded) const {
    toml::array array;
    for (const toml::node& node : encoded) node.visit([&](const auto& value) { array.push_back(original(value)); });
    return array;
}

}  // namespace

toml::table parse_class_toml(std::string_view text) {
    if (verdict::valid_utf8(text) != text)
        throw MarkingPolicyError("class.toml is not UTF-8: save it in that encoding");
    refuse_letters_outside_quotes(text);
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    const InAscii ascii(text);
    try {
        return ascii.original(toml::parse(ascii.text()));
    } catch (const toml::parse_error& error) {
        throw MarkingPolicyError(
            fmt::format("class.toml, line {}: {}", error.source().begin.line, ascii.original(error.description())));
    }
}

}  // namespace headway::gradebook
