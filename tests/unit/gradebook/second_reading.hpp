#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// A second reading of the rules in marks.hpp, which shares no code with the first. Times are hours.
namespace headway::gradebook::second_reading {

inline const std::vector<std::string> exercises = {"01_single_head", "02_head_splitting"};
inline const std::vector<std::string> students = {"anna", "ben"};
using MaybeHour = std::optional<int>;
enum class Says { person, platform };  // when something was handed in

/// An hour of January and February 2020.
inline std::string at(int hour) {
    const int day = hour / 24;
    return fmt::format("2020-{:02}-{:02}T{:02}:00:00Z", day < 31 ? 1 : 2, day % 31 + 1, hour % 24);
}

/// What can be handed in: points for 01 and 02, below 0 where it holds no such exercise.
constexpr int contents[][2] = {{10, 10}, {7, 4}, {0, 8}, {9, -1}, {-1, 5}};

/// More days for somebody: for one exercise, or for all.
struct Extension {
    int days = 0;
    int exercise = -1;

    int for_exercise(int one) const { return exercise < 0 || exercise == one ? days : 0; }
    std::string toml() const {
        return exercise < 0 ? fmt::format("{}", days) : fmt::format("{{ 0{} = {} }}", exercise + 1, days);
    }
};

struct Rules {
    bool best = true;
    int unknown_time = 0;  // open, on time, when graded
    int deadline = 0;      // hour
    int percent = 10;
    int free_days = 0;
    int last_day = 365;
    bool group = false;
    std::map<std::string, Extension> extensions = {};  // by student
    std::string counting = {};                         // how many of the two exercises: "best = 1", ...; empty: both
    int thousandths = 0;                               // to a multiple of these the total is rounded; 0: it is not

    std::string rounding() const { return thousandths > 0 ? fmt::format("round = {}\n", thousandths / 1000.0) : ""; }
    std::string toml() const {
        const std::vector<const char*> unknown = {"open", "on time", "when graded"};
        std::string extended;
        for (const auto& [student, extension] : extensions)
            extended += fmt::format("{} = {}\n", student, extension.toml());
        return counting + rounding() +
               fmt::format(
                   "attempts = '{}'\nunknown_time = '{}'\ndeadline = {}\n[late]\npercent_a_day = {}\nfree_days = {}\n"
                   "last_day = {}\ngrace_minutes = 60\n[extensions]\n{}{}",
                   best ? "best" : "last", unknown[static_cast<std::size_t>(unknown_time)], at(deadline), percent,
                   free_days, last_day, extended, group ? "[groups]\nteam = ['anna', 'ben']\n" : "");
    }
};

/// The second reading. Ids count from 1, an exercise is 0, 1, or -1 for all of them and for the total.
struct Model {
    struct HandIn {
        std::string student;
        int content, recorded;
        std::vector<int> said = {};        // by a person, in hours; the last holds
        std::vector<int> in_exports = {};  // by the platform; so it is here, where no person says any
        bool removed = false;

        MaybeHour time() const {
            const std::vector<int>& from = said.empty() ? in_exports : said;
            return from.empty() ? MaybeHour() : from.back();
        }
        bool was_exported_at(int hour) const { return std::ranges::count(in_exports, hour) > 0; }
        void say(int hour) {
            if (time() != hour) said.push_back(hour);
        }
        void tell(MaybeHour hour, Says from) {
            if (hour && from == Says::person) say(*hour);
            if (hour && from == Says::platform && !was_exported_at(*hour)) in_exports.push_back(*hour);
        }
    };
    struct Worth {
        double points;
        int days, attempt;
        bool known;
        int handed_in;  // hour; of an unknown one, that of the latest before it
    };

    std::vector<HandIn> hand_ins;
    Rules rules;
    std::map<std::string, bool> gone;
    std::map<std::pair<std::string, int>, double> adjusted;
    std::map<std::pair<std::string, int>, double> set;
    std::map<std::pair<std::string, int>, int> pinned;

    void hand_in(const std::string& student, int content, int now, MaybeHour time, Says from) {
        HandIn* last = nullptr;
        for (HandIn& one : hand_ins) {
            if (one.student != student) continue;
            last = &one;
            if (one.content != content || !time) continue;
            if (time == one.time() || (from == Says::platform && one.was_exported_at(*time))) {
                one.tell(time, from);
                return;
            }
        }
        const bool is_last = last != nullptr && last->content == content;
        const bool is_dated = from == Says::platform && last != nullptr && !last->in_exports.empty();
        if (is_last && (!time || (!is_dated && *time <= last->recorded))) {
            last->tell(time, from);
            return;
        }
        hand_ins.push_back({student, content, now});
        hand_ins.back().tell(time, from);
    }

    /// For the mark of a student, who may be in a group with the one who handed it in.
    MaybeHour late(const HandIn& one, const std::string& student, int exercise) const {
        const auto more = rules.extensions.find(student);
        const int until =
            rules.deadline + (more == rules.extensions.end() ? 0 : 24 * more->second.for_exercise(exercise));
        const auto days = [&](int hour) { return hour - 1 <= until ? 0 : (hour - 1 - until + 23) / 24; };
        if (one.time()) return days(*one.time());
        if (rules.unknown_time == 1) return 0;
        if (rules.unknown_time == 2 || days(one.recorded) == 0) return days(one.recorded);
        return {};
    }

    double after(double earned, int days, int excused) const {
        if (days > rules.last_day) return 0;
        return earned - earned * std::min(100, std::max(0, days - excused) * rules.percent) / 100.0;
    }

    /// What two exercises and what was added to both come to.
    double counted(std::vector<double> points, double more) const {
        std::ranges::sort(points);
        if (!rules.counting.empty()) points.front() = 0;
        const double sum = std::max(0.0, points[0] + points[1] + more);
        if (rules.thousandths == 0) return sum;
        const long steps = (std::lround(sum * 1000) + rules.thousandths / 2) / rules.thousandths;
        return static_cast<double>(steps * rules.thousandths) / 1000;
    }

    /// @return the total; nothing while it is open
    std::optional<double> total(const std::string& student) const {
        std::map<int, int> excused;  // by attempt
        int left = rules.free_days;
        std::vector<double> counting;  // of each exercise
        bool open = false;
        for (int exercise = 0; exercise < 2; ++exercise) {
            if (const auto fixed = set.find({student, exercise}); fixed != set.end()) {
                counting.push_back(fixed->second);
                continue;
            }
            std::vector<Worth> choices;
            int latest = -1;
            for (int id = 1; id <= static_cast<int>(hand_ins.size()); ++id) {
                const HandIn& one = hand_ins[static_cast<std::size_t>(id - 1)];
                const int earned = contents[one.content][exercise];
                if (one.student != student && !rules.group) continue;
                const int handed_in = one.time().value_or(latest);
                latest = std::max(latest, handed_in);
                if (one.removed || earned < 0) continue;
                const MaybeHour days = late(one, student, exercise);
                const int more = days ? std::clamp(*days - excused[id], 0, left) : 0;
                const double without = days ? after(earned, *days, excused[id]) : earned;
                const double with = days ? after(earned, *days, excused[id] + more) : earned;
                choices.push_back({with, with > without ? more : 0, id, days || earned == 0, handed_in});
            }
            std::ranges::stable_sort(choices, {}, &Worth::handed_in);
            const auto pin = pinned.find({student, exercise});
            const bool is_there = pin != pinned.end() && std::ranges::count(choices, pin->second, &Worth::attempt) == 1;
            if (is_there) std::erase_if(choices, [&](auto& one) { return one.attempt != pin->second; });
            if (rules.best)  // most points, fewest days, what is known, the earliest
                std::ranges::stable_sort(choices, [](auto& a, auto& b) {
                    return std::tuple(-a.points, a.days, !a.known) < std::tuple(-b.points, b.days, !b.known);
                });
            else
                std::ranges::reverse(choices);
            double points = 0;
            if (!choices.empty() && choices.front().known) {
                points = choices.front().points;
                excused[choices.front().attempt] += choices.front().days;
                left -= choices.front().days;
            }
            open |= !choices.empty() && !choices.front().known;
            const auto more = adjusted.find({student, exercise});
            counting.push_back(std::max(0.0, points + (more == adjusted.end() ? 0 : more->second)));
        }
        if (const auto fixed = set.find({student, -1}); fixed != set.end()) return fixed->second;
        if (open) return {};
        const auto more = adjusted.find({student, -1});
        return counted(counting, more == adjusted.end() ? 0 : more->second);
    }
};

}  // namespace headway::gradebook::second_reading
