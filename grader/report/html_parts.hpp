#pragma once

#include <string>
#include <string_view>

#include "report/xml.hpp"
#include "verdict/verdict.hpp"

/// The parts of the page, each in a file of its own. Pages about a class are made of them, too.
namespace headway::report {

extern const std::string_view html_style;

/// Style and title; forbids the page to fetch or run anything. @param more_style  CSS that only this page needs
void write_head(Xml& page, const std::string& title, const std::string& more_style = {});

/// All that is known of one exercise; its element's id is "exercise-03".
void write_exercise(Xml& page, const verdict::Exercise& exercise, const std::string& submission);

/// The steps of attention in their order, with shapes; the first wrong one is marked.
void write_stages(Xml& page, const verdict::Exercise& exercise);

void write_diagnosis(Xml& page, const verdict::Exercise& exercise);

/// Yours, expected and difference, as tables whose cells are coloured.
void write_heatmaps(Xml& page, const verdict::Window& window);

}  // namespace headway::report
