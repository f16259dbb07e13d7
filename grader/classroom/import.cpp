#include "classroom/import.hpp"

#include <filesystem>

namespace headway::classroom {
namespace {

using Recorded = gradebook::Gradebook::Recorded;

/// The student's row, with the sources or with the reason why there are none.
std::vector<build::Submission> read(const intake::HandIn& hand_in, const std::vector<intake::Wanted>& wanted,
                                    gradebook::Attempt& attempt) {
    try {
        std::vector<build::Submission> sources = intake::read_hand_in(hand_in, wanted);
        for (const build::Submission& source : sources) attempt.sources[source.exercise] = source.digest();
        return sources;
    } catch (const intake::Malformed& error) {
        attempt.problem = error.what();
        return {};
    }
}

}  // namespace

Imported import_hand_ins(gradebook::Gradebook& gradebook, const std::vector<intake::Wanted>& wanted,
                         const std::vector<intake::HandIn>& hand_ins, const std::function<bool()>& stop) {
    Imported imported;
    for (const intake::HandIn& hand_in : hand_ins) {
        if (stop()) break;
        ++imported.students;
        gradebook::Attempt attempt{
            0,  hand_in.student,  hand_in.paths.front().filename().string(), hand_in.submitted, hand_in.note, "", {},
            "", hand_in.time_from};
        try {
            const std::vector<build::Submission> sources = read(hand_in, wanted, attempt);
            const Recorded recorded = gradebook.record(attempt, sources);
            ++(recorded == Recorded::anew ? imported.anew : imported.unchanged);
            if (recorded == Recorded::timed) ++imported.timed;
            if (recorded == Recorded::retimed) imported.retimed.emplace_back(hand_in.student, *hand_in.submitted);
            if (!attempt.problem.empty()) imported.malformed.emplace_back(hand_in.student, attempt.problem);
        } catch (const gradebook::DatabaseError&) {
            throw;
        } catch (const std::exception& error) {  // a file that cannot be read: not the student's fault
            imported.unreadable.emplace_back(hand_in.student, error.what());
        }
    }
    return imported;
}

}  // namespace headway::classroom
