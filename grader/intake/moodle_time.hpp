#pragma once

#include <optional>
#include <string>

/// Times as Moodle's grading worksheet writes them: in words, in the language and on the clock of the person who took
/// it, and without saying which.
namespace headway::intake {

/// Whether this names a clock: "Europe/Berlin" (of this machine's list of time zones), "+02:00" or "UTC".
bool is_zone(const std::string& zone);

/// "Friday, 1 May 2026, 2:00 PM", "Freitag, 1. Mai 2026, 14:00", "vendredi 1 mai 2026, 14:00", "viernes, 1 de mayo de
/// 2026, 14:00", or a time that utc() reads without an offset. Where clocks are set back, an hour comes twice: the
/// first is taken, for the student's sake.
/// @param zone  see is_zone()
/// @return ISO 8601, UTC; nothing where it is no such time, or one that this clock never shows
std::optional<std::string> moodle_time(const std::string& text, const std::string& zone);

}  // namespace headway::intake
