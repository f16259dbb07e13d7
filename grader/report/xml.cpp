#include "report/xml.hpp"

#include "verdict/utf8.hpp"

namespace headway::report {
std::string xml_escaped(std::string_view text, XmlContext context) {
    // Parsers make spaces of line ends and tabs in attributes.
    const bool in_attribute = context == XmlContext::attribute;
    std::string escaped;
    for (const char c : verdict::showable(text)) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            case '\n':
                escaped += in_attribute ? "&#10;" : "\n";
                break;
            case '\t':
                escaped += in_attribute ? "&#9;" : "\t";
                break;
            default:
                escaped += c;
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
