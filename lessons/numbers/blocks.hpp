#pragma once

#include "picture.hpp"

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

    /// A picture: "01/arrows" is the block "01/picture-arrows", which shows the file pictures/01-arrows.svg.
    /// @param words  the same as the picture, for a reader who cannot see it and for terminals
    void picture(const std::string& name, const Picture& picture, const std::string& words);

    const std::map<std::string, Block>& all() const { return blocks_; }
    /// Every picture's text by the name of its file.
    const std::map<std::string, std::string>& pictures() const { return pictures_; }

private:
    void add(const std::string& name, Kind kind, const std::string& text);

    std::map<std::string, Block> blocks_;
    std::map<std::string, std::string> pictures_;
};

}  // namespace headway::lessons
