#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headway::report {

/// Writes elements, indented; everything that is given to it as text is escaped. HTML 5 is written with it too: void
/// elements are `empty`, all others have an end tag.
class Xml {
public:
    using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

    static constexpr std::string_view declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    explicit Xml(std::string_view prologue = declaration) : document_(prologue) {}

    void open(std::string_view name, Attributes attributes = {});
    void close();
    void empty(std::string_view name, Attributes attributes = {});
    void text(std::string_view name, Attributes attributes, std::string_view content);

    /// Content of the element that is open, between others.
    void words(std::string_view content);

    /// The document; every element is closed.
    std::string take();

private:
    void start(std::string_view name, Attributes attributes);

    std::string document_;
    std::vector<std::string> open_;
};

enum class XmlContext { text, attribute };

/// `text` for element content or for an attribute in double quotes. What XML 1.0 forbids, drives the terminal that
/// prints a report, reorders a line or hides is spelled out; see verdict::showable.
std::string xml_escaped(std::string_view text, XmlContext context);

}  // namespace headway::report
