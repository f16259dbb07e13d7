#pragma once

#include <headway/mask.hpp>

#include <string>
#include <vector>

// Pictures as SVG. A picture has its own ground and a light and a dark look, so it can be read on any page; at most
// 520 units wide, with 15 units to the letter, it can be read on a phone too.
namespace headway::lessons {

struct Point {
    double x = 0;
    double y = 0;
};

/// x and y are those of the upper left corner.
struct Box {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;

    Point middle() const { return {x + width / 2, y + height / 2}; }
};

/// Colours that people with any kind of colour vision tell apart, in both looks.
enum class Tone { ink, faint, blue, orange, green, purple };

enum class Dash { no, yes };
enum class Anchor { start, middle, end };
enum class Type { normal, small, strong };

struct Lettering {
    Tone tone = Tone::ink;
    Anchor anchor = Anchor::start;
    Type type = Type::normal;
};

/// The value as fixed() shows it. What is drawn from it is then the same on every machine, and is what a label says.
double rounded(double value, int decimals = 3);

/// "&lt;" for "<", and so on: text as XML has it.
std::string escaped(const std::string& text);

class Picture {
public:
    Picture(double width, double height) : width_(width), height_(height) {}

    void line(Point from, Point to, Tone tone, Dash dash = Dash::no);
    void arrow(Point from, Point to, Tone tone, Dash dash = Dash::no);
    /// An arrow that swings up (or down, if `rise` is negative) between its ends.
    void arc(Point from, Point to, double rise, Tone tone, double thickness = 2);
    void bar(const Box& box, Tone tone);
    /// A bar that is only an outline, such as for what is missing.
    void frame(const Box& box, Tone tone, Dash dash = Dash::no);
    /// @param share  how strongly it is coloured, from 0 to 1
    void cell(const Box& box, Tone tone, double share, const std::string& text = "");
    /// @param at  where the letters stand: the middle of their height
    void label(Point at, const std::string& text, const Lettering& lettering = {});
    /// A mask of queries by keys: a cell for each pair, and a line between what may and what may not be attended to.
    void staircase(Point corner, double side, const Mask& mask);

    /// @param title  what a reader hears who cannot see it
    std::string svg(const std::string& title) const;

private:
    void head(Point from, Point to, Tone tone);

    double width_;
    double height_;
    std::string body_;
};

}  // namespace headway::lessons
