#include "intake/hand_in.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <regex>

namespace headway::intake {

std::optional<std::string> utc(const std::string& text) {
    static const std::regex form(
        R"((\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)? ?(Z|UTC|([+-])(\d\d):?(\d\d))?)");
    std::smatch match;
    if (text.size() > 64 || !std::regex_match(text, match, form)) return std::nullopt;
    const auto number = [&](std::size_t group) { return match[group].matched ? std::stoi(match[group]) : 0; };
    const std::chrono::year_month_day date(std::chrono::year(number(1)),
                                           std::chrono::month(static_cast<unsigned>(number(2))),
                                           std::chrono::day(static_cast<unsigned>(number(3))));
    constexpr int leap_second = 60;
    // With its offset the year must still have four digits.
    if (number(1) < 1000 || number(1) > 9998 || !date.ok()) return std::nullopt;
    if (number(4) > 23 || number(5) > 59 || number(6) > leap_second || number(9) > 23 || number(10) > 59)
        return std::nullopt;
    std::tm time{};
    time.tm_year = number(1) - 1900;
    time.tm_mon = number(2) - 1;
    time.tm_mday = number(3);
    time.tm_hour = number(4);
    time.tm_min = number(5);
    time.tm_sec = number(6);
    const int offset = (number(9) * 60 + number(10)) * 60 * (match[8] == "-" ? -1 : 1);
    return utc_of(::timegm(&time) - offset);
}

std::string utc_of(std::int64_t seconds) { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds)); }

std::int64_t seconds_of(const std::string& utc) {
    std::tm time{};
    ::strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time);
    return ::timegm(&time);
}

}  // namespace headway::intake
