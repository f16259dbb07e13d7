#include "diagnosis/examination.hpp"
#include "diagnosis/search.hpp"
#include "judge/verbs.hpp"

#include "student/own_memory.hpp"

#include <fmt/format.h>

namespace headway::judge {
namespace {

/// Kind, names, shapes and changed arguments in words, and the numbers in order. JSON has no NaN.
nlohmann::json row(const std::string& function, const diagnosis::Reply& reply, bool right) {
    std::string words = function + ": " + std::to_string(static_cast<int>(reply.answer.kind));
    if (reply.failure) words += " " + verdict::to_string(reply.failure->kind);
    for (const std::string& argument : reply.changed_arguments) words += ", changes " + argument;
    nlohmann::json numbers = nlohmann::json::array();
    for (const auto& [name, part] : reply.answer.parts) {
        words += ", " + name + headway::to_string(part.shape);
        for (const double number : part.value) numbers.push_back(fmt::format("{:.6g}", number));
    }
    return {{"words", std::move(words)}, {"numbers", std::move(numbers)}, {"right", right}};
}

}  // namespace

nlohmann::json probe(const Case& asked, int count) {
    nlohmann::json document = nlohmann::json::array();
    const auto subject = diagnosis::subjects().find(asked.exercise);
    if (subject == diagnosis::subjects().end()) return document;
    const Workshop workshop(asked.run);
    bound_own_memory(workshop.own_memory());
    CallLimits limits = workshop.limits_of_diagnosis();
    limits.budget = nullptr;  // verify asks more than a diagnosis does
    Student student = workshop.student({asked.worker, asked.sanitized}, limits);
    student.ends_with_trouble();
    for (int i = 0; i < count; ++i)
        for (const diagnosis::Function& function : subject->second.functions) {
            Random random(asked.seed + static_cast<std::uint64_t>(i));
            for (const auto& question : function.questions(random)) {
                const diagnosis::Reply reply = ask(student, function, question.arguments);
                const diagnosis::Observation seen{question.arguments, reply.answer, function.model(question.arguments)};
                document.push_back(
                    row(function.name, reply, fit(predicted(seen, diagnosis::right()), reply.answer).has_value()));
            }
        }
    student.fresh_worker();
    return document;
}

}  // namespace headway::judge
