#include "cli/start.hpp"

#include "terminal/exit_status.hpp"
#include "verdict/utf8.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// The build that this program belongs to: build/PRESET/bin/headway-cli.
fs::path build_folder() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
}

/// $HEADWAY_ROOT, which the launcher sets, or the checkout that this program was built in.
fs::path course_root() {
    const char* root = std::getenv("HEADWAY_ROOT");
    return root != nullptr && *root != '\0' ? fs::path(root) : build_folder().parent_path().parent_path();
}

/// Nobody need read it: fmt::print throws where it cannot write.
int tell(const std::string& words, int status) {
    std::fputs(("headway: " + verdict::showable(words) + "\n").c_str(), stderr);
    return status;
}

/// What was printed has to arrive, unless its reader went away.
int when_written(int status) {
    const bool is_flushed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    struct stat where {};
    if (is_flushed || ::fstat(STDOUT_FILENO, &where) != 0 || S_ISFIFO(where.st_mode)) return status;
    return tell("standard output cannot be written, so what was said is not whole", machine_at_fault);
}

}  // namespace

int run_in_course(const std::function<int(const Course&)>& action) {
    try {
        return when_written(action(Course::load(course_root(), build_folder())));
    } catch (const UsageError& error) {
        return tell(error.what(), wrong_usage);
    } catch (const fs::filesystem_error& error) {
        const std::string path = error.path2().empty() ? error.path1().string() : error.path2().string();
        return tell(path + " cannot be read or written: " + error.code().message(), machine_at_fault);
    } catch (const std::exception& error) {
        return tell(error.what(), machine_at_fault);
    }
}

}  // namespace headway::cli
