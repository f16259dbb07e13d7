#include "classroom/marks_in_words.hpp"

#include "classroom/csv.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headway::classroom {
namespace {

using gradebook::Adjustment;
using gradebook::ExerciseMark;
using gradebook::Mark;
using gradebook::Standing;
using report::counted;

std::string by_the_tests(const ExerciseMark& one) {
    const std::string text = fmt::format("{} of {} by the tests", one.score.points, one.score.max_points);
    if (one.score.max_points == one.max_points) return text + ".";
    const double earned = one.score.max_points > 0 ? one.max_points * one.score.points / one.score.max_points : 0;
    return fmt::format("{}, which are {} of the {} that the exercise counts.", text, two_decimals(earned),
                       two_decimals(one.max_points));
}

std::string lateness(const ExerciseMark& one) {
    std::string text = counted(static_cast<std::size_t>(one.days_late), "day") + " late";
    if (one.free_days > 0) text += fmt::format(", {} of your free days used", one.free_days);
    if (one.deducted <= 0) return text + ": nothing is taken off.";
    return fmt::format("{}, which takes {} off.", text, two_decimals(one.deducted));
}

}  // namespace

std::string time_in_words(const std::string& utc) {
    constexpr std::size_t to_the_minute = std::string_view("2026-05-03T10:00").size();
    std::string text = utc.substr(0, to_the_minute);
    if (text.size() == to_the_minute) text[10] = ' ';
    return text + " UTC";
}

std::string total_in_words(const Mark& mark) {
    if (mark.complete) return fmt::format("{} of {} points", two_decimals(mark.points), two_decimals(mark.max_points));
    return "No mark yet";
}

std::string points_in_words(const ExerciseMark& one) {
    return fmt::format("{} / {}", one.open ? "-" : two_decimals(one.points), two_decimals(one.max_points));
}

std::vector<std::string> adjustments_in_words(const Mark& mark, const std::string& exercise) {
    std::vector<std::string> sentences;
    for (const Adjustment& adjustment : mark.adjustments)
        if (adjustment.exercise == exercise)
            sentences.push_back(fmt::format("{}{} by {} on {}: {}", adjustment.points > 0 ? "+" : "",
                                            two_decimals(adjustment.points), adjustment.author,
                                            adjustment.made.substr(0, std::string_view("2026-05-03").size()),
                                            adjustment.reason));
    return sentences;
}

std::vector<std::string> reasons_in_words(const ExerciseMark& one, const Mark& mark) {
    std::vector<std::string> reasons;
    switch (one.standing) {
        case Standing::missing:
            reasons.emplace_back("Nothing was handed in.");
            break;
        case Standing::malformed:
            reasons.emplace_back(one.open ? "What was handed in could not be read: no points yet, and no zero."
                                          : "What was handed in could not be read.");
            break;
        case Standing::pending:
            reasons.emplace_back("Not graded yet: no points, and no zero.");
            break;
        case Standing::untimed:
            reasons.emplace_back("Nobody has said yet when it was handed in: no points until then, and no zero.");
            break;
        case Standing::graded:
            reasons.push_back(by_the_tests(one));
            if (one.days_late > 0) reasons.push_back(lateness(one));
            break;
    }
    if (one.is_pinned) reasons.emplace_back("Your instructor has chosen which attempt counts.");
    if (one.set_to) reasons.push_back(fmt::format("Set to {} by your instructor.", two_decimals(*one.set_to)));
    if (one.cut > 0)
        reasons.push_back(fmt::format("No exercise falls below 0: {} are not taken off.", two_decimals(one.cut)));
    if (one.extra_credit) reasons.emplace_back("Extra credit: it comes on top.");
    for (std::string& sentence : adjustments_in_words(mark, one.exercise)) reasons.push_back(std::move(sentence));
    if (one.is_dropped) reasons.emplace_back("Not in the total: it is among your lowest, which are dropped.");
    return reasons;
}

std::string comment_in_words(const Mark& mark) {
    std::string text = total_in_words(mark) + ".";
    for (const ExerciseMark& one : mark.exercises)
        text += fmt::format(" {}: {}. {}", one.exercise.substr(0, 2), points_in_words(one),
                            fmt::join(reasons_in_words(one, mark), " "));
    for (const std::string& sentence : adjustments_in_words(mark, "")) text += " In all: " + sentence;
    if (mark.rounded_from) text += fmt::format(" In all: rounded from {:g}.", *mark.rounded_from);
    return text;
}

}  // namespace headway::classroom
