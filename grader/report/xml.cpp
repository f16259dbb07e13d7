#include "xml.hpp"

#include "../verdict/utf8.hpp"

namespace headway::report {
namespace {

bool is_allowed(char32_t c) {
    if (c < 0x20) return c == U'\t' || c == U'\n' || c == U'\r';
    return !(c >= 0x7F && c <= 0x9F) && c != 0xFFFE && c != 0xFFFF;
}

}  // namespace

std::string xml_escaped(std::string_view text, XmlContext context) {
    std::string escaped;
    while (!text.empty()) {
        const char32_t c = verdict::take_code_point(text);
        switch (c) {
            case U'&':
                escaped += "&amp;";
                continue;
            case U'<':
                escaped += "&lt;";
                continue;
            case U'>':
                escaped += "&gt;";
                continue;
            case U'"':
                escaped += "&quot;";
                continue;
            case U'\r':
                escaped += "&#13;";
                continue;  // else parsers make it \n
            default:
                break;
        }
        // Parsers make spaces of these in attributes.
        const bool spelled = context == XmlContext::attribute && (c == U'\n' || c == U'\t');
        if (spelled) {
            escaped += c == U'\n' ? "&#10;" : "&#9;";
        } else {
            verdict::append_utf8(escaped, is_allowed(c) ? c : verdict::replacement_character);
        }
    }
    return escaped;
}

void Xml::start(std::string_view name, Attributes attributes) {
    document_ += std::string(2 * open_.size(), ' ') + "<" + std::string(name);
    for (const auto& [key, value] : attributes)
        document_ += " " + std::string(key) + "=\"" + xml_escaped(value, XmlContext::attribute) + "\"";
}

void Xml::open(std::string_view name, Attributes attributes) {
    start(name, attributes);
    document_ += ">\n";
    open_.emplace_back(name);
}

void Xml::close() {
    const std::string name = std::move(open_.back());
    open_.pop_back();
    document_ += std::string(2 * open_.size(), ' ') + "</" + name + ">\n";
}

void Xml::empty(std::string_view name, Attributes attributes) {
    start(name, attributes);
    document_ += "/>\n";
}

void Xml::text(std::string_view name, Attributes attributes, std::string_view content) {
    start(name, attributes);
    document_ += ">" + xml_escaped(content, XmlContext::text) + "</" + std::string(name) + ">\n";
}

void Xml::words(std::string_view content) { document_ += xml_escaped(content, XmlContext::text) + "\n"; }

std::string Xml::take() { return std::move(document_); }

}  // namespace headway::report
