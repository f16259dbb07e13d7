#include "student/sweep.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace headway::judge {
namespace {

using verdict::Failure;
using verdict::FailureKind;

/// Puts the record of the test back as it was.
class Undone {
public:
    explicit Undone(TestRecord& record)
        : record_(record),
          story_(record.story.size()),
          credits_(record.credits.size()),
          function_(record.function),
          asked_(record.asked),
          shown_(record.shown),
          answered_bytes_(record.answered_bytes) {}

    void undo() {
        record_.story.resize(std::min(story_, record_.story.size()));
        record_.objects.resize(std::min(record_.story.size(), record_.objects.size()));
        record_.credits.erase(record_.credits.begin() + static_cast<std::ptrdiff_t>(credits_), record_.credits.end());
        record_.waits_for.clear();
        record_.function = function_;
        record_.asked = asked_;
        record_.shown = shown_;
        record_.answered_bytes = answered_bytes_;
    }
    bool gave_credit() const { return record_.credits.size() > credits_; }

private:
    TestRecord& record_;
    std::size_t story_, credits_;
    std::string function_;
    std::set<std::string> asked_, shown_;
    std::uint64_t answered_bytes_;
};

/// What costs a worker, or time, is not asked once more.
bool may_be_asked_again(FailureKind kind) {
    return kind == FailureKind::wrong_value || kind == FailureKind::wrong_shape ||
           kind == FailureKind::wrong_behaviour || kind == FailureKind::exception;
}

struct Answered {
    bool on_credit = false;
    std::optional<StopTest> wrong = {};
    bool rightly() const { return !on_credit && !wrong; }
};

/// @throws StopTest  if the worker was lost, or the machine or a stub ends the test
Answered ask_without_trace(Student& student, const DrawAndAsk& question, std::uint64_t seed) {
    Undone record(student.test_record());
    Answered answered;
    try {
        student.outside_story([&] {
            Random own(seed);
            question(own);
        });
        answered.on_credit = record.gave_credit();
    } catch (const StopTest& stop) {
        if (!stop.failure || !may_be_asked_again(stop.failure->kind)) throw;
        answered.wrong = stop;
    }
    record.undo();
    return answered;
}

/// What the wrong ones from `first` on have in common, those before being right; empty if that cannot be asked.
std::string pattern_of_wrong(Student& student, const std::vector<DrawAndAsk>& questions,
                             const std::vector<std::uint64_t>& seeds, std::size_t first, const Pattern& pattern) {
    std::vector<bool> wrong(questions.size(), false);
    wrong[first] = true;
    Undone record(student.test_record());
    try {
        for (std::size_t i = first + 1; i < questions.size(); ++i)
            wrong[i] = !ask_without_trace(student, questions[i], seeds[i]).rightly();
        Random other(seeds[first]);
        if (!stay_wrong(wrong, [&](std::size_t i) {
                return !ask_without_trace(student, questions[i], other.next()).rightly();
            }))
            return "";
    } catch (const StopTest&) {  // the worker is lost
        record.undo();
        return "";
    }
    return pattern(wrong);
}

}  // namespace

bool stay_wrong(const std::vector<bool>& wrong, const std::function<bool(std::size_t)>& is_wrong_again) {
    constexpr std::ptrdiff_t few = 2;
    constexpr int times = 4, least_wrong = 3;
    if (std::count(wrong.begin(), wrong.end(), true) > few) return true;
    for (std::size_t i = 0; i < wrong.size(); ++i) {
        int again = 0;
        for (int time = 0; wrong[i] && time < times; ++time) again += is_wrong_again(i) ? 1 : 0;
        if (wrong[i] && again < least_wrong) return false;
    }
    return true;
}

void ask_in_turn(Student& student, Random& random, const std::vector<DrawAndAsk>& questions, const Pattern& pattern) {
    TestRecord& record = student.test_record();
    if (!record.credits.empty()) return;
    struct Computed {  // which need not be shown once more
        bool& noted;
        ~Computed() { noted = false; }
    };
    record.has_computed = record.shown.contains(record.function);
    const Computed computed{record.has_computed};
    std::vector<std::uint64_t> seeds;
    for (std::size_t i = 0; i < questions.size(); ++i) seeds.push_back(random.next());
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const Answered answered = ask_without_trace(student, questions[i], seeds[i]);
        if (answered.rightly()) continue;
        const std::string where =
            answered.wrong && pattern ? pattern_of_wrong(student, questions, seeds, i, pattern) : "";
        try {
            const std::size_t let_through = record.let_through.size();
            Random own(seeds[i]);
            questions[i](own);
            if (record.let_through.size() > let_through) continue;
            if (answered.wrong)
                throw StopTest{*answered.wrong};  // right the second time: it remembers, or it is chance
        } catch (StopTest& stop) {
            if (stop.failure && !where.empty()) stop.failure->pattern = where;
            throw;
        }
        if (answered.on_credit) return;
    }
}

void for_every_relation(Student& student, Random& random, const std::string& text,
                        const std::function<void(const AxisSizes&, Random&)>& ask) {
    const Axes axes(text);
    const std::vector<AxisSizes> rows = every_relation(random, axes);
    std::vector<DrawAndAsk> questions;
    questions.reserve(rows.size());
    for (const AxisSizes& row : rows) questions.emplace_back([&](Random& own) { ask(row, own); });
    const SweepInTurn noted(student, "sizes", text, rows.size());
    ask_in_turn(student, random, questions,
                [&](const std::vector<bool>& wrong) { return what_tells_apart(axes, rows, wrong); });
}

void for_every_mask(Student& student, Random& random, const Shape& scores,
                    const std::function<void(const Mask&, Random&)>& ask) {
    std::vector<DrawAndAsk> questions;
    questions.reserve(all_mask_forms);
    for (int form = 0; form < all_mask_forms; ++form)
        questions.emplace_back([&, form](Random& own) { ask(mask_of_form(form, own, scores), own); });
    const SweepInTurn noted(student, "masks", "", questions.size());
    ask_in_turn(student, random, questions);
}

Mask mask_of_form(int form, Random& random, const Shape& scores) {
    const Index B = scores[0], H = scores[1], T = scores[2], S = scores[3];
    const std::vector<Shape> shapes{{S},          {1, S},       {T, S},       {1, T, S},    {H, 1, S},    {H, T, S},
                                    {B, 1, 1, S}, {B, 1, T, S}, {1, H, 1, S}, {1, H, T, S}, {B, H, 1, S}, {B, H, T, S}};
    const auto plain = static_cast<int>(shapes.size());
    if (form < plain) return random_mask(random, shapes[static_cast<std::size_t>(form)]);
    Mask one_key = Mask::allow_all({S});
    switch (form - plain) {
        case 0:
            return random_mask(random, {T, S}).expand({B, H, T, S});
        case 1:
            return transposed_mask(random, T, S);
        case 2:
            return cut_mask(random, {B, H, T, S});
        case 3:
            one_key(random.integer(0, S - 1)) = true;
            return one_key;
        case 4: {  // some queries see nothing
            Mask queries = Mask::allow_all({T, 1});
            for (Index t = 0; t < T; ++t) queries(t, 0) = random.integer(0, 2) == 0;
            return queries;
        }
        case 5: {  // the sequences end early, one of them before its first key
            Mask padding = Mask::allow_all({B, 1, 1, S});
            for (Index b = 0; b < B; ++b)
                for (Index s = b == 0 ? 0 : random.integer(0, S); s < S; ++s) padding(b, 0, 0, s) = true;
            return padding;
        }
        case 6:
            return cut_mask(random, {T, S});
        case 7:
            return cut_mask(random, {1, H, T, S});
        default:
            return cut_mask(random, {B, 1, 1, S});
    }
}

Mask mask_of_any_form(Random& random, const Shape& scores) {
    const auto form = static_cast<int>(random.integer(-1, mask_forms - 1));
    return form < 0 ? Mask{} : mask_of_form(form, random, scores);
}

}  // namespace headway::judge
