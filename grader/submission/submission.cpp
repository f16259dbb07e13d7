#include "submission/submission.hpp"

#include "submission/digest.hpp"
#include "submission/handed_in_file.hpp"

#include "verdict/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace headway::build {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_bytes = 4U << 20U;
constexpr std::size_t most_files = 200;
/// File systems end at 255, and ".digest.4194304.new" is added to the name of an object while its stamp is written.
constexpr std::size_t longest_object_name = 230;

bool is_one_of(const std::string& extension, std::initializer_list<std::string_view> known) {
    return std::find(known.begin(), known.end(), extension) != known.end();
}

/// Files that the course provides: the header and the visible test.
std::vector<SourceFile> read_course_files(const fs::path& folder) {
    std::vector<SourceFile> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".hpp") files.push_back({entry.path().filename(), read_file(entry.path())});
    return files;
}

/// Also what lies in a folder of that name, which could not be written beside it.
bool is_provided(const fs::path& relative, const std::vector<SourceFile>& course_files) {
    return relative == "visible_test.cpp" || is_replay(relative) ||
           std::any_of(course_files.begin(), course_files.end(),
                       [&](const SourceFile& file) { return file.path == *relative.begin(); });
}

std::string_view without_spaces_in_front(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

/// Whether what follows any "#`directive`" is as asked, be it in a comment: to take a file that does without Eigen for
/// one that includes it costs time only. (Not with std::regex, which overflows the stack on a long line.)
template <class Asked>
bool any_directive(std::string_view text, std::string_view directive, Asked asked) {
    for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
        const std::string_view found = without_spaces_in_front(text.substr(at + 1));
        if (found.starts_with(directive) && asked(without_spaces_in_front(found.substr(directive.size())))) return true;
    }
    return false;
}

}  // namespace

bool is_source(const fs::path& path) {
    // What macOS keeps of a file beside it, in archives.
    if (path.filename().string().starts_with("._")) return false;
    return is_one_of(path.extension().string(), {".cpp", ".cc", ".cxx", ".hpp", ".h", ".hh", ".hxx", ".ipp", ".inl"});
}

bool is_replay(const fs::path& relative) {
    return relative.string().starts_with("replay_") && relative.extension() == ".cpp";
}

bool SourceFile::is_compiled() const { return is_one_of(path.extension().string(), {".cpp", ".cc", ".cxx"}); }

std::string SourceFile::object_name() const {
    std::string name;
    for (const char c : path.string())
        if (c == '/')
            name += "+-";
        else if (c == '+')
            name += "++";
        else
            name += c;
    return name + ".o";
}

std::string why_unusable(const fs::path& source) {
    const std::string name = source.string();
    const auto is_option = [](const fs::path& part) { return part.string().find_first_of("@-") == 0; };
    if (std::any_of(source.begin(), source.end(), is_option))
        return fmt::format("{}: compilers take names that begin with '@' or '-' for options. Rename it.", name);
    const std::string shown = verdict::showable(name);
    if (shown != name || name.find_first_of("\n\t") != std::string::npos)
        return fmt::format("{}: its name has characters that cannot be shown. Rename it.", shown);
    if (SourceFile{source, {}}.object_name().size() > longest_object_name)
        return fmt::format("{}...: its path is too long. Rename it, or its folders.", name.substr(0, 60));
    return {};
}

bool Submission::has_source() const {
    return std::any_of(files.begin(), files.end(), [](const SourceFile& file) { return file.is_compiled(); });
}

bool Submission::includes_eigen() const {
    const auto says = [&](std::string_view directive, std::initializer_list<std::string_view> beginnings) {
        return std::any_of(files.begin(), files.end(), [&](const SourceFile& file) {
            return any_directive(file.text, directive, [&](std::string_view rest) {
                return std::any_of(beginnings.begin(), beginnings.end(),
                                   [&](std::string_view beginning) { return rest.starts_with(beginning); });
            });
        });
    };
    return says("include", {"<Eigen/", "\"Eigen/", "<eigen3/Eigen/", "<headway/eigen", "\"headway/eigen"}) &&
           !says("define", {"EIGEN_", "eigen_"});
}

std::string Submission::digest() const {
    Digest digest;
    digest.add(exercise);
    for (const auto* group : {&files, &course_files})
        for (const SourceFile& file : *group) digest.add(file.path.string()).add(file.text);
    return digest.hex();
}

Submission select_files(std::vector<SourceFile> files, const fs::path& course_folder) {
    Submission submission{course_folder.filename().string(), {}, std::move(files), {}};
    const std::vector<SourceFile> course_files = read_course_files(course_folder);
    std::erase_if(submission.files, [&](const SourceFile& file) {
        return !is_source(file.path) || is_provided(file.path, course_files);
    });
    std::uintmax_t bytes = 0;
    for (const SourceFile& file : submission.files) {
        if (const std::string why = why_unusable(file.path); !why.empty()) throw BadSubmission(why);
        bytes += file.text.size();
    }
    if (bytes > most_bytes) throw BadSubmission(submission.exercise + ": more than 4 MiB of sources");
    if (submission.files.size() > most_files) throw BadSubmission(submission.exercise + ": more than 200 source files");
    std::sort(submission.files.begin(), submission.files.end(),
              [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
    return submission;
}

namespace {

/// Why a source that is no file is not read: links are not followed, and a pipe would be waited for.
std::string why_no_file(const fs::path& source, bool is_link) {
    return fmt::format("{} is {}: hand in the file itself", source.string(), is_link ? "a link" : "no ordinary file");
}

/// A file or folder that its owner has closed is the submission's, not this machine's trouble.
[[noreturn]] void refuse_closed(const fs::path& path) {
    throw BadSubmission(fmt::format("{} may not be read: permission denied. `chmod -R u+rX` opens it.", path.string()));
}

Submission read_open_submission(const fs::path& folder, const fs::path& course_folder) {
    if (fs::is_symlink(folder))
        throw BadSubmission(folder.string() + " is a link to another folder; hand in the folder itself");
    if (!fs::is_directory(folder)) throw BadSubmission(folder.string() + " is not a folder");
    Submission submission{course_folder.filename().string(), folder, {}, read_course_files(course_folder)};
    std::uintmax_t bytes = 0;
    std::string passed_over;
    // Links are not followed: a submission is what is in its folder.
    for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator(); ++entry) {
        const fs::path relative = entry->path().lexically_relative(folder);
        if (entry.depth() > 8) throw BadSubmission(folder.string() + ": folders are nested too deeply");
        if (!is_source(relative) || is_provided(relative, submission.course_files)) continue;
        if (entry->is_symlink() || !entry->is_regular_file()) {
            if (!entry->is_directory() && why_unusable(relative).empty())
                passed_over = why_no_file(relative, entry->is_symlink());
            continue;
        }
        if (const std::string why = why_unusable(relative); !why.empty()) throw BadSubmission(why);
        if (bytes + entry->file_size() > most_bytes)
            throw BadSubmission(folder.string() + ": more than 4 MiB of sources");
        if (submission.files.size() == most_files)
            throw BadSubmission(folder.string() + ": more than 200 source files");
        if (::access(entry->path().c_str(), R_OK) != 0 && errno == EACCES) refuse_closed(entry->path());
        submission.files.push_back({relative, read_handed_in(folder, relative, most_bytes - bytes)});
        bytes += submission.files.back().text.size();
    }
    if (!submission.has_source() && !passed_over.empty()) throw BadSubmission(passed_over);
    std::sort(submission.files.begin(), submission.files.end(),
              [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
    return submission;
}

}  // namespace

Submission read_submission(const fs::path& folder, const fs::path& course_folder) {
    try {
        return read_open_submission(folder, course_folder);
    } catch (const fs::filesystem_error& error) {
        if (error.code() != std::errc::permission_denied) throw;
        refuse_closed(error.path1().empty() ? folder : error.path1());
    }
}

}  // namespace headway::build
