#include "picture.hpp"

#include "format.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace headway::lessons {
namespace {

/// What one tone looks like. Letters in ink can be read on every area.
struct Look {
    const char* letters;
    const char* line;
    const char* area;
};
struct Colours {
    const char* name;
    Look light;
    Look dark;
};
constexpr std::array<Colours, 6> colours{
    {{"ink", {"#1f2328", "#1f2328", "#aeb6c0"}, {"#e6e9ee", "#e6e9ee", "#59626e"}},
     {"faint", {"#59636e", "#c3cad2", "#dde2e8"}, {"#9aa4b0", "#4a525d", "#333a44"}},
     {"blue", {"#0b5cad", "#0b5cad", "#7fb8ee"}, {"#6cb2f5", "#6cb2f5", "#2a63a8"}},
     {"orange", {"#a84300", "#a84300", "#f7b27c"}, {"#ffa657", "#ffa657", "#96500f"}},
     {"green", {"#17703f", "#17703f", "#86d3a6"}, {"#56d08a", "#56d08a", "#1f7444"}},
     {"purple", {"#7a3ea8", "#7a3ea8", "#cfabef"}, {"#c99cf5", "#c99cf5", "#6b3f9c"}}}};

const char* name_of(Tone tone) { return colours.at(static_cast<std::size_t>(tone)).name; }

/// A coordinate with at most one decimal. What lies between two goes up, so that the last bits do not matter.
std::string at(double value) {
    const double tenths = std::floor(value * 10 + 0.5 + 1e-6);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f", tenths == 0 ? 0 : tenths / 10);
    const std::string digits = text.data();
    return digits.ends_with(".0") ? digits.substr(0, digits.size() - 2) : digits;
}

/// In hundredths, rounded in the same way.
std::string opacity(double share) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f", std::floor(share * 100 + 0.5 + 1e-6) / 100);
    return text.data();
}

std::string attribute(const char* name, double value) { return std::string(" ") + name + "=\"" + at(value) + "\""; }

std::string box_attributes(const Box& box) {
    return attribute("x", box.x) + attribute("y", box.y) + attribute("width", box.width) +
           attribute("height", box.height);
}

std::string classes(const std::string& names) { return " class=\"" + names + "\""; }
std::string stroke(Tone tone, Dash dash = Dash::no) {
    return classes(std::string("line-") + name_of(tone) + (dash == Dash::yes ? " dashed" : ""));
}
std::string point(Point p) { return at(p.x) + " " + at(p.y); }

std::string rules(Look Colours::*look) {
    std::string css;
    for (const Colours& colour : colours) {
        const std::string name = colour.name;
        css += ".line-" + name + "{stroke:" + (colour.*look).line + "}.head-" + name + "{fill:" + (colour.*look).line +
               "}.text-" + name + "{fill:" + (colour.*look).letters + "}.area-" + name +
               "{fill:" + (colour.*look).area + "}";
    }
    return css;
}

std::string style() {
    return "<style>\n"
           "text{font:15px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
           "dominant-baseline:central}.small{font-size:14px}.strong{font-weight:600}\n"
           "line,path{fill:none;stroke-width:2}.dashed{stroke-dasharray:5 4}.outline{fill:none;stroke-width:1.5}\n"
           ".ground{fill:#f6f8fa}" +
           rules(&Colours::light) + "\n@media (prefers-color-scheme:dark){.ground{fill:#1a1e24}" +
           rules(&Colours::dark) + "}\n</style>\n";
}

}  // namespace

double rounded(double value, int decimals) { return std::stod(fixed(value, decimals)); }

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        if (c == '&')
            safe += "&amp;";
        else if (c == '<')
            safe += "&lt;";
        else if (c == '>')
            safe += "&gt;";
        else if (c == '"')
            safe += "&quot;";
        else
            safe += c;
    }
    return safe;
}

void Picture::line(Point from, Point to, Tone tone, Dash dash) {
    body_ += "<line" + attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) +
             attribute("y2", to.y) + stroke(tone, dash) + "/>\n";
}

void Picture::head(Point from, Point to, Tone tone) {
    constexpr double length = 11;
    constexpr double half_width = 4.5;
    const double distance = std::sqrt((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y));
    const Point along{(to.x - from.x) / distance, (to.y - from.y) / distance};
    const Point back{to.x - along.x * length, to.y - along.y * length};
    body_ += "<polygon points=\"" + point(to) + " " +
             point({back.x - along.y * half_width, back.y + along.x * half_width}) + " " +
             point({back.x + along.y * half_width, back.y - along.x * half_width}) + "\"" +
             classes(std::string("head-") + name_of(tone)) + "/>\n";
}

void Picture::arrow(Point from, Point to, Tone tone, Dash dash) {
    // The line ends within the head, whose point would be blunt otherwise.
    const double distance = std::sqrt((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y));
    const double kept = (distance - 6) / distance;
    line(from, {from.x + (to.x - from.x) * kept, from.y + (to.y - from.y) * kept}, tone, dash);
    head(from, to, tone);
}

void Picture::arc(Point from, Point to, double rise, Tone tone, double thickness) {
    const Point above{(from.x + to.x) / 2, (from.y + to.y) / 2 - 2 * rise};
    body_ += "<path d=\"M" + point(from) + "Q" + point(above) + " " + point(to) + "\"" + stroke(tone) +
             " style=\"stroke-width:" + at(thickness) + "\"/>\n";
    head(above, to, tone);
}

void Picture::bar(const Box& box, Tone tone) {
    body_ += "<rect" + box_attributes(box) + classes(std::string("area-") + name_of(tone)) + "/>\n";
}

void Picture::frame(const Box& box, Tone tone, Dash dash) {
    body_ += "<rect" + box_attributes(box) +
             classes(std::string("outline line-") + name_of(tone) + (dash == Dash::yes ? " dashed" : "")) + "/>\n";
}

void Picture::cell(const Box& box, Tone tone, double share, const std::string& text) {
    body_ += "<rect" + box_attributes({box.x + 1, box.y + 1, box.width - 2, box.height - 2}) + " rx=\"3\"" +
             classes("area-faint") + "/>\n";
    if (share > 0)
        body_ += "<rect" + box_attributes({box.x + 1, box.y + 1, box.width - 2, box.height - 2}) + " rx=\"3\"" +
                 classes(std::string("area-") + name_of(tone)) + " fill-opacity=\"" + opacity(share) + "\"/>\n";
    if (!text.empty()) label(box.middle(), text, {.anchor = Anchor::middle});
}

void Picture::label(Point where, const std::string& text, const Lettering& lettering) {
    std::string names = std::string("text-") + name_of(lettering.tone);
    if (lettering.type == Type::small) names += " small";
    if (lettering.type == Type::strong) names += " strong";
    body_ += "<text" + attribute("x", where.x) + attribute("y", where.y) + classes(names);
    if (lettering.anchor != Anchor::start)
        body_ += std::string(" text-anchor=\"") + (lettering.anchor == Anchor::middle ? "middle" : "end") + "\"";
    body_ += ">" + escaped(text) + "</text>\n";
}

void Picture::staircase(Point corner, double side, const Mask& mask) {
    const Index T = mask.size(0);
    const Index S = mask.size(1);
    const auto x = [&](Index s) { return corner.x + side * static_cast<double>(s); };
    const auto y = [&](Index t) { return corner.y + side * static_cast<double>(t); };
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s)
            cell({x(s), y(t), side, side}, mask(t, s) ? Tone::ink : Tone::blue, mask(t, s) ? 0 : 1,
                 mask(t, s) ? "×" : "");
    std::string border;
    const auto edge = [&](Point from, Point to) { border += "M" + point(from) + "L" + point(to); };
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) {
            if (s + 1 < S && mask(t, s) != mask(t, s + 1)) edge({x(s + 1), y(t)}, {x(s + 1), y(t + 1)});
            if (t + 1 < T && mask(t, s) != mask(t + 1, s)) edge({x(s), y(t + 1)}, {x(s + 1), y(t + 1)});
        }
    if (!border.empty()) body_ += "<path d=\"" + border + "\"" + stroke(Tone::ink) + "/>\n";
}

std::string Picture::svg(const std::string& title) const {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"" + at(width_) + "\" height=\"" +
           at(height_) + "\" viewBox=\"0 0 " + at(width_) + " " + at(height_) + "\">\n<title>" + escaped(title) +
           "</title>\n" + style() + "<rect class=\"ground\" width=\"" + at(width_) + "\" height=\"" + at(height_) +
           "\" rx=\"8\"/>\n" + body_ + "</svg>\n";
}

}  // namespace headway::lessons
