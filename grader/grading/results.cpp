#include "grading/results.hpp"

#include "grading/grading.hpp"

#include "submission/digest.hpp"
#include "submission/submission.hpp"

namespace headway::cli {

std::optional<verdict::Exercise> last_result(const Course& course, const std::filesystem::path& submission,
                                             const ExerciseInfo& info) {
    const auto file = work_folder(course, submission, info.name) / "result.json";
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return std::nullopt;
    try {
        return verdict::exercise_from_json(nlohmann::json::parse(build::read_file(file)));
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

std::optional<verdict::Exercise> current_result(const Course& course, const std::filesystem::path& submission,
                                                const ExerciseInfo& info, std::uint64_t seed) {
    auto result = last_result(course, submission, info);
    if (!result) return std::nullopt;
    const auto sources = build::read_submission(submission / info.name, course.folder(info));
    if (result->digest != digest_of(course, sources, info, seed)) return std::nullopt;
    return result;
}

}  // namespace headway::cli
