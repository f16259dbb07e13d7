#include "judge/run_suite.hpp"
#include "judge/verbs.hpp"

#include "student/own_memory.hpp"
#include "wire/frame.hpp"

#include <fstream>
#include <stdexcept>

namespace headway::judge {

nlohmann::json record(const Case& asked, const std::string& test, const std::filesystem::path& file) {
    const auto& suite = suite_of(asked.exercise);
    const Workshop workshop(asked.run);
    bound_own_memory(workshop.own_memory());
    Student student = workshop.student({asked.worker, asked.sanitized}, workshop.limits());
    std::ofstream frames(file, std::ios::binary);
    student.recorded_by([&](const wire::Call& call) {
        const wire::Bytes frame = wire::framed(wire::encode(call));
        frames.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
    });
    nlohmann::json result = run_suite(suite, {student, asked.seed, asked.sanitized}, test);
    if (!frames.flush()) throw std::runtime_error("cannot write " + file.string());
    return result;
}

}  // namespace headway::judge
