#include "diagnosis/asking.hpp"

#include "student/test_record.hpp"

#include <utility>

namespace headway::diagnosis {

using judge::Arguments;
using judge::Student;

namespace {

/// @param reply  what came back, until something is known
void ask_once(Student& student, const Function& function, const Arguments& arguments, Reply& reply) {
    student.test_record() = {};
    try {
        if (function.ask) {
            AnswerAndChanges asked = function.ask(student, arguments);
            reply.answer = std::move(asked.answer);
            reply.changed_arguments = std::move(asked.changed_arguments);
        } else {
            const judge::Outcome outcome = student.outcome(function.name, arguments);
            reply.answer = answer_of(outcome);
            reply.changed_arguments = outcome.changed_arguments;
            reply.out_of_range = outcome.error && outcome.error->kind == wire::ErrorKind::out_of_range;
            if (reply.out_of_range && outcome.error->message.starts_with("index "))
                reply.left_its_tensor = outcome.error->message;
        }
    } catch (const judge::StopTest& stop) {
        judge::TestRecord& record = student.test_record();
        record.stopped_by(stop);
        reply.not_written = !record.not_implemented.empty();
        reply.failure = record.failure;
        reply.answer = Answer::without_value(record.failure ? Answer::Kind::lost : Answer::Kind::not_written);
        student.fresh_worker();
    }
}

}  // namespace

Reply ask(Student& student, const Function& function, const Arguments& arguments) {
    Reply reply;
    ask_once(student, function, arguments, reply);
    if (!student.test_record().in_doubt) return reply;
    reply = {};  // a worker may have been ended by something outside
    ask_once(student, function, arguments, reply);
    return reply;
}

}  // namespace headway::diagnosis
