#include "intake/moodle_time.hpp"

#include "intake/hand_in.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <regex>
#include <string_view>

namespace headway::intake {
namespace {

constexpr std::size_t longest_time = 80;

struct MonthName {
    std::string_view begin;
    int month;
};
/// English, German, French and Spanish.
constexpr MonthName month_names[] = {
    {"jan", 0}, {"jän", 0}, {"ene", 0}, {"feb", 1}, {"fév", 1},  {"mar", 2},  {"mär", 2},  {"apr", 3},  {"avr", 3},
    {"abr", 3}, {"may", 4}, {"mai", 4}, {"jun", 5}, {"juin", 5}, {"jul", 6},  {"juil", 6}, {"aug", 7},  {"août", 7},
    {"ago", 7}, {"sep", 8}, {"oct", 9}, {"okt", 9}, {"nov", 10}, {"dec", 11}, {"dez", 11}, {"déc", 11}, {"dic", 11}};

/// Days of the week that begin as a month does: French "mardi", Spanish "martes".
bool is_weekday(const std::string& word) { return word == "mardi" || word == "martes"; }

std::optional<int> month_in(const std::string& text) {
    // What is beyond ASCII is part of words here.
    static const std::regex word(R"([^\s\d,.:]+)");
    for (auto match = std::sregex_iterator(text.begin(), text.end(), word); match != std::sregex_iterator(); ++match) {
        const std::string one = match->str();
        if (is_weekday(one)) continue;
        for (const MonthName& name : month_names)
            if (one.starts_with(name.begin)) return name.month;
    }
    return std::nullopt;
}

std::optional<int> number_in(const std::string& text, const std::regex& form) {
    std::smatch match;
    return std::regex_search(text, match, form) ? std::optional(std::stoi(match[1])) : std::nullopt;
}

/// The time of day, out of the text: what is left holds day and year.
bool take_time_of_day(std::string& text, std::tm& wall) {
    static const std::regex form(R"((\d{1,2})[:h](\d\d)(?::(\d\d))?(\D*[ap]\.?m\b)?)");
    std::smatch match;
    if (!std::regex_search(text, match, form)) return false;
    const bool has_halves = match[4].matched;
    const bool is_afternoon = has_halves && match[4].str().find('p') != std::string::npos;
    const int hour = std::stoi(match[1]);
    if (has_halves && (hour < 1 || hour > 12)) return false;
    wall.tm_hour = has_halves ? hour % 12 + (is_afternoon ? 12 : 0) : hour;
    wall.tm_min = std::stoi(match[2]);
    wall.tm_sec = match[3].matched ? std::stoi(match[3]) : 0;
    text = match.prefix().str() + " " + match.suffix().str();
    return wall.tm_hour < 24 && wall.tm_min < 60 && wall.tm_sec < 60;
}

std::optional<std::tm> wall_time(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return c < 128 ? std::tolower(c) : c; });
    std::tm wall{};
    if (!take_time_of_day(text, wall)) return std::nullopt;
    static const std::regex year_form(R"(\b(\d{4})\b)");
    static const std::regex day_form(R"(\b(\d{1,2})\b)");
    const auto year = number_in(text, year_form);
    const auto day = number_in(text, day_form);
    const auto month = month_in(text);
    if (!year || !month || !day) return std::nullopt;
    wall.tm_year = *year - 1900;
    wall.tm_mon = *month;
    wall.tm_mday = *day;
    return wall;
}

/// The C library's clock, as long as this lives. Nothing else may run in this process meanwhile.
class ClockOf {
public:
    explicit ClockOf(const std::string& zone) {
        if (const char* before = std::getenv("TZ")) before_ = before;
        ::setenv("TZ", zone.c_str(), 1);
        ::tzset();
    }
    ~ClockOf() {
        before_ ? ::setenv("TZ", before_->c_str(), 1) : ::unsetenv("TZ");
        ::tzset();
    }
    ClockOf(const ClockOf&) = delete;
    ClockOf& operator=(const ClockOf&) = delete;

private:
    std::optional<std::string> before_;
};

bool shows(const std::tm& a, const std::tm& b) {
    return a.tm_year == b.tm_year && a.tm_mon == b.tm_mon && a.tm_mday == b.tm_mday && a.tm_hour == b.tm_hour &&
           a.tm_min == b.tm_min;
}

/// The first moment at which the clock shows this.
std::optional<std::time_t> first_moment(const std::tm& wall, const std::string& zone) {
    const ClockOf clock(zone);
    std::optional<std::time_t> first;
    for (const int summer : {1, 0}) {
        std::tm asked = wall;
        asked.tm_isdst = summer;
        const std::time_t moment = std::mktime(&asked);
        std::tm shown{};
        ::localtime_r(&moment, &shown);
        if (shows(shown, wall) && (!first || moment < *first)) first = moment;
    }
    return first;
}

bool is_offset(const std::string& zone) {
    static const std::regex form(R"([+-]\d\d:?\d\d)");
    return zone == "UTC" || std::regex_match(zone, form);
}

std::string iso(const std::tm& wall) {
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", wall.tm_year + 1900, wall.tm_mon + 1, wall.tm_mday,
                       wall.tm_hour, wall.tm_min, wall.tm_sec);
}

}  // namespace

bool is_zone(const std::string& zone) {
    static const std::regex form(R"([A-Z][A-Za-z0-9_+-]*(/[A-Z][A-Za-z0-9_+-]*){0,2})");
    if (is_offset(zone)) return utc("2026-05-01 12:00 " + zone).has_value();
    std::error_code none;
    return zone.size() < longest_time && std::regex_match(zone, form) &&
           std::filesystem::is_regular_file("/usr/share/zoneinfo/" + zone, none);
}

std::optional<std::string> moodle_time(const std::string& text, const std::string& zone) {
    if (text.size() > longest_time) return std::nullopt;
    std::optional<std::tm> wall = wall_time(text);
    if (const auto as_utc = utc(text)) {
        if (text.find_first_of("Z+") != std::string::npos || text.ends_with("UTC")) return as_utc;
        wall.emplace();
        ::strptime(as_utc->c_str(), "%Y-%m-%dT%H:%M:%SZ", &*wall);
    }
    if (!wall || !utc(iso(*wall))) return std::nullopt;  // the second: no such date
    if (is_offset(zone)) return utc(iso(*wall) + " " + zone);
    const std::optional<std::time_t> moment = first_moment(*wall, zone);
    if (!moment) return std::nullopt;
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(*moment));
}

}  // namespace headway::intake
