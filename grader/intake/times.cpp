#include "intake/hand_in.hpp"
#include "intake/student_id.hpp"
#include "verdict/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>

namespace headway::intake {
namespace {

constexpr const char* expected =
    "a line is a student's id, a comma or semicolon, and a time such as 2026-05-01T12:00:00Z, "
    "2026-05-01T14:00:00+02:00 or, in UTC, 2026-05-01 12:00";

/// Without blanks around it, and without the quotation marks that a spreadsheet puts there.
std::string_view bare(std::string_view field) {
    const auto trim = [&] {
        while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) field.remove_prefix(1);
        while (!field.empty() && (field.back() == ' ' || field.back() == '\t' || field.back() == '\r'))
            field.remove_suffix(1);
    };
    trim();
    if (field.size() > 1 && field.front() == '"' && field.back() == '"') {
        field.remove_prefix(1);
        field.remove_suffix(1);
        trim();
    }
    return field;
}

struct Line {
    std::string id;
    std::string time;
    bool has_both = false;
};

Line split(std::string_view text) {
    const auto at = text.find_first_of(",;");
    if (at == std::string_view::npos) return {"", std::string(bare(text))};
    return {std::string(bare(text.substr(0, at))), std::string(bare(text.substr(at + 1))), true};
}

/// A heading names its columns. A time that is written in another way has digits, and must not pass as one.
bool is_heading(const Line& line) {
    return std::none_of(line.time.begin(), line.time.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

void require_past(const std::string& time, const std::string& where) {
    constexpr std::int64_t an_hour = 3600;
    const std::string now = verdict::now();
    if (seconds_of(time) <= seconds_of(now) + an_hour) return;
    throw std::runtime_error(fmt::format(
        "{}: {} has not come yet; it is {} by this machine's clock. Correct the time, its zone, or the clock", where,
        time, now));
}

std::map<std::string, std::string> read_times(const std::filesystem::path& file) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error(fmt::format("cannot read {}", file.string()));
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    std::map<std::string, std::string> times;
    std::string text;
    for (int number = 1; std::getline(stream, text); ++number) {
        if (number == 1 && text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
        const Line line = split(text);
        if (bare(text).empty() || (number == 1 && is_heading(line))) continue;
        const auto refuse = [&](const std::string& what) {
            throw std::runtime_error(fmt::format("{}, line {}: {}; {}", file.string(), number, what, expected));
        };
        const auto time = utc(line.time);
        if (!line.has_both || line.id.empty()) refuse("there is no id and time");
        if (!time) refuse(fmt::format("'{}' is no time", line.time.substr(0, 80)));
        require_past(*time, fmt::format("{}, line {}", file.string(), number));
        const auto [known, is_new] = times.emplace(id_meant_by(line.id), *time);
        if (!is_new && known->second != *time) refuse(fmt::format("{} has two times", line.id));
    }
    if (times.empty()) throw std::runtime_error(fmt::format("{} holds no times; {}", file.string(), expected));
    return times;
}

}  // namespace headway::intake
