#include "intake/hand_in.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <regex>

namespace headway::intake {

std::optional<std::string> utc(const std::string& text) {
    static const std::regex form(
        R"((\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)? ?(Z|UTC|([+-])(\d\d):?(\d\d))?)");
    std::smatch match;
    if (text.size() > 64 || !std::regex_match(text, match, form)) return std::nullopt;
    const auto number = [&](std::size_t group) { return match[group].matched ? std::stoi(match[group]) : 0; };
    std::tm time{};
    time.tm_year = number(1) - 1900;
    time.tm_mon = number(2) - 1;
    time.tm_mday = number(3);
    time.tm_hour = number(4);
    time.tm_min = number(5);
    time.tm_sec = number(6);
    if (time.tm_mon > 11 || time.tm_mday < 1 || time.tm_mday > 31 || time.tm_hour > 23 || time.tm_min > 59)
        return std::nullopt;
    const int offset = (number(9) * 60 + number(10)) * 60 * (match[8] == "-" ? -1 : 1);
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(::timegm(&time) - offset));
}

std::int64_t seconds_of(const std::string& utc) {
    std::tm time{};
    ::strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time);
    return ::timegm(&time);
}

std::map<std::string, std::string> read_times(const std::filesystem::path& file) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error(fmt::format("cannot read {}", file.string()));
    std::map<std::string, std::string> times;
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
        if (line.ends_with('\r')) line.pop_back();
        const auto comma = line.find(',');
        const auto time = comma == std::string::npos ? std::nullopt : utc(line.substr(comma + 1));
        if (line.empty() || (number == 1 && !time)) continue;  // a heading
        if (!time)
            throw std::runtime_error(
                fmt::format("{}, line {}: write a student's id, a comma and a time such as 2024-05-01T12:00:00Z",
                            file.string(), number));
        times[line.substr(0, comma)] = *time;
    }
    return times;
}

}  // namespace headway::intake
