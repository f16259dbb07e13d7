#include "submission/written.hpp"

#include "submission/digest.hpp"

namespace headway::build {

void write_submission(const Submission& submission, const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    for (const SourceFile& file : submission.files) {
        std::filesystem::create_directories((folder / file.path).parent_path());
        write_file(folder / file.path, file.text);
    }
}

}  // namespace headway::build
