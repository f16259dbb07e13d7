#pragma once

#include <map>
#include <string>

namespace headway::lessons {

/// Everything the lessons show that has been computed, by name. A name begins with its lesson: "01/weights".
class Blocks {
public:
    enum class Kind { block, inline_text };
    struct Block {
        Kind kind;
        std::string text;
    };

    /// Lines in a fixed-width font.
    void text(const std::string& name, const std::string& lines);
    /// Lines of markdown, such as a table.
    void markdown(const std::string& name, const std::string& lines);
    /// A few characters in the middle of a sentence.
    void number(const std::string& name, const std::string& characters);

    const std::map<std::string, Block>& all() const { return blocks_; }

private:
    void add(const std::string& name, Kind kind, const std::string& text);

    std::map<std::string, Block> blocks_;
};

}  // namespace headway::lessons
