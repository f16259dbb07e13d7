#include "diagnosis/overruns.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace headway::diagnosis {
namespace {

constexpr const char* overrun = "reads_out_of_bounds";

/// Whether some number is none, where one is due: so the model says that what is read lies beyond a storage.
bool leaves_its_storage(const Answer& made, const Answer& due) {
    if (!made.is_value() || !due.is_value()) return false;
    for (std::size_t part = 0; part < std::min(made.parts.size(), due.parts.size()); ++part) {
        const Array &a = made.parts[part].second, &b = due.parts[part].second;
        for (std::size_t i = 0; i < std::min(a.value.size(), b.value.size()); ++i)
            if (std::isnan(a.value[i]) && std::isfinite(b.value[i])) return true;
    }
    return false;
}

}  // namespace

void leave_overruns_to(verdict::FunctionDiagnosis& diagnosis, const Findings& findings, const Function& function,
                       const std::function<Answer(const Observation&)>& predict) {
    const auto named = std::ranges::find(diagnosis.mistakes, overrun);
    const auto found = std::ranges::find(findings.mistakes, overrun);
    if (!predict) return;
    if (named == diagnosis.mistakes.end() || found == findings.mistakes.end() || diagnosis.mistakes.size() < 2) return;
    bool some = false;
    for (const Findings::Question& question : findings.questions) {
        if (!question.overran) continue;
        const Observation one{question.arguments, question.reply.answer, function.model(question.arguments)};
        if (!one.predict || !leaves_its_storage(predict(one), predicted(one, right()))) return;
        some = true;
    }
    if (!some) return;
    const std::string& sentence = findings.sentences[static_cast<std::size_t>(found - findings.mistakes.begin())];
    std::erase(diagnosis.sentences, sentence);
    diagnosis.mistakes.erase(named);
}

void leave_overruns_to(verdict::FunctionDiagnosis& diagnosis, const Findings& findings, const Function& function,
                       const MistakeSet& set) {
    leave_overruns_to(diagnosis, findings, function,
                      [choices = with(set)](const Observation& one) { return predicted(one, choices); });
}

}  // namespace headway::diagnosis
