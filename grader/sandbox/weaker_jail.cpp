#include "sandbox/weaker_jail.hpp"

#include "sandbox/entry/landlock.hpp"
#include "sandbox/protections.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <random>
#include <string>
#include <system_error>

#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/fsverity.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headway::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view shared_folder = "/tmp";

void refuse(Plan& plan, std::initializer_list<const char*> names) {
    for (const char* name : names) plan.refused.push_back({name, EPERM});
}

/// A rule can allow a folder, but not all of it but one. So where the secret lies in it, its neighbours are allowed.
void see(Plan& plan, const fs::path& path, const fs::path& secret) {
    std::error_code ignored;
    if (secret.empty() || !lies_in(secret, fs::weakly_canonical(path, ignored))) {
        plan.guard.push_back("see=" + path.string());
        return;
    }
    if (path == secret) return;
    for (const auto& entry : fs::directory_iterator(path, ignored)) see(plan, entry.path(), secret);
}

void see_what_is_needed(Plan& plan) {
    const char* const libraries[] = {"/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/local/lib"};
    const char* const rest[] = {"/lib", "/lib64", "/lib32", "/etc/ld.so.cache"};
    const char* const tools[] = {"/usr", "/bin", "/sbin", "/etc/alternatives"};
    for (const char* folder : libraries) see(plan, folder, plan.contents.secret);
    for (const char* folder : rest) see(plan, folder, plan.contents.secret);
    if (plan.contents.tools)
        for (const char* folder : tools) see(plan, folder, plan.contents.secret);
    plan.guard.push_back("see=" + plan.entry.string());
    if (!plan.contents.program.empty()) plan.guard.push_back("see=" + plan.contents.program.string());
    for (const fs::path& path : plan.contents.readable) plan.guard.push_back("see=" + path.string());
    plan.guard.emplace_back("device=/dev/null");
    if (plan.contents.own_processes_visible) plan.guard.emplace_back("own-processes=yes");
    plan.guard.emplace_back("landlock=yes");
}

/// What a namespace of its own would keep from it. The kernel keeps the rest from another user.
void refuse_letter_boxes(Plan& plan) {
    refuse(plan,
           {"shmat", "shmctl", "shmdt", "semop", "semtimedop", "semctl", "msgsnd", "msgrcv", "msgctl", "mq_unlink"});
}

/// A process may do these to every other of its user, and Landlock does not say no.
void refuse_meddling(Plan& plan) {
    refuse(plan, {"setpriority", "ioprio_set", "migrate_pages", "move_pages", "process_mrelease"});
    for (const char* name : {"prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"})
        plan.refused.push_back({.name = name, .error = EPERM, .only_on_others = true});
}

/// A process that is not dumpable keeps its memory from us; where /proc is mounted with hidepid, it is not even seen,
/// and nobody watches it. What delivers a file does that itself, and is not measured.
void refuse_to_be_shut(Plan& plan) {
    if (plan.command.delivery.empty())
        plan.refused.push_back({.name = "prctl", .error = EPERM, .first = PR_SET_DUMPABLE});
}

/// Asked of a file or a folder that is open for reading, these change its attributes, or make and remove folders in it.
constexpr unsigned long relabelling[] = {FS_IOC_SETFLAGS,
                                         FS_IOC_SETVERSION,
                                         FS_IOC_FSSETXATTR,
                                         FS_IOC_SET_ENCRYPTION_POLICY,
                                         FS_IOC_ENABLE_VERITY,
                                         BTRFS_IOC_SUBVOL_CREATE,
                                         BTRFS_IOC_SNAP_CREATE,
                                         BTRFS_IOC_SUBVOL_CREATE_V2,
                                         BTRFS_IOC_SNAP_CREATE_V2,
                                         BTRFS_IOC_SNAP_DESTROY,
                                         BTRFS_IOC_SNAP_DESTROY_V2,
                                         BTRFS_IOC_SUBVOL_SETFLAGS,
                                         BTRFS_IOC_SET_RECEIVED_SUBVOL};

/// What a file is called, and what is in it, is Landlock's; whose it is, who may open it, its times and its attributes
/// are not: of a file that every user may write, another user may change these two as well.
void refuse_relabelling(Plan& plan) {
    refuse(plan,
           {"chmod",      "fchmodat",    "fchmodat2",    "chown",        "fchown",        "lchown",      "fchownat",
            "utime",      "utimes",      "futimesat",    "utimensat",    "setxattr",      "lsetxattr",   "fsetxattr",
            "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat", "file_setattr"});
    for (const unsigned long request : relabelling)
        plan.refused.push_back({.name = "ioctl", .error = EPERM, .what = static_cast<std::uint32_t>(request)});
    if (plan.contents.tools) return;  // a linker makes executable what it has written
    refuse(plan, {"fchmod", "getxattr", "lgetxattr", "fgetxattr", "getxattrat", "listxattr", "llistxattr", "flistxattr",
                  "listxattrat"});
}

/// Nobody can guess it, so nobody can have made it first.
fs::path fresh_folder() {
    std::random_device random;
    std::string name = "headway";
    for (int i = 0; i < 4; ++i) name += '-' + std::to_string(random());
    return fs::path(shared_folder) / name;
}

/// Of all processes of this user: the kernel counts the jailed ones with them.
std::uint64_t own_threads() {
    std::uint64_t threads = 64;  // some more may start meanwhile
    std::error_code error;
    for (const auto& process : fs::directory_iterator("/proc", error)) {
        struct stat about {};
        if (::stat(process.path().c_str(), &about) != 0 || about.st_uid != ::geteuid()) continue;
        std::ifstream status(process.path() / "status");
        for (std::string name; status >> name;)
            if (std::uint64_t count = 0; name == "Threads:" && status >> count) threads += count;
    }
    return threads;
}

bool applies(const Gap& gap, Inmate inmate, bool has_landlock) {
    switch (gap.ground) {
        case Ground::anywhere:
            return true;
        case Ground::without_landlock:
            return !has_landlock;
        case Ground::same_user:
            return inmate == Inmate::same_user;
    }
    return true;
}

}  // namespace

std::span<const Gap> gaps() {
    static constexpr Gap all[] = {
        {"no_host_files", Ground::anywhere,
         "it can tell that a file exists, its size and time, and where it lies itself"},
        {"no_host_files", Ground::without_landlock, "it reads what every user here may read"},
        {"own_processes", Ground::anywhere, "it can tell which process numbers are in use, and the judge's"},
        {"own_processes", Ground::without_landlock, "it sees which programs run, and their arguments"},
        {"bounded_folder", Ground::anywhere, "each file is bounded, but not all of them together"},
        {"bounded_folder", Ground::without_landlock, "it writes to /tmp and /dev/shm too"},
        {"read_only_files", Ground::without_landlock, "it writes where every user here may"},
        {"bounded_processes", Ground::same_user, "they are counted with the grader's own"},
        {"no_privileges", Ground::same_user, "it is the user who grades, held by Landlock and the filter"},
        {"no_network", Ground::anywhere, "the network is there; the filter refuses every socket"},
        {"own_letter_boxes", Ground::anywhere, "it sees the name of this machine"},
        {"own_letter_boxes", Ground::without_landlock, "it can leave files for the next submission"},
    };
    return all;
}

std::string gaps_of(std::string_view protection, Inmate inmate, bool has_landlock) {
    std::string text;
    for (const Gap& gap : gaps())
        if (gap.protection == protection && applies(gap, inmate, has_landlock))
            (text += text.empty() ? "" : "; ") += gap.what;
    return text;
}

void make_weaker(Plan& plan, RuleForFiles rule_for_files) {
    plan.entry_inside = plan.entry.string();
    plan.program_inside = plan.contents.program.string();
    if (plan.contents.tools || !plan.command.delivery.empty()) {
        plan.folder = fresh_folder();
        plan.guard.push_back("folder=" + plan.folder.string());
    }
    if (landlock_version() > 0 && rule_for_files == RuleForFiles::yes) see_what_is_needed(plan);
    refuse_letter_boxes(plan);
    refuse_relabelling(plan);
    if (plan.inmate != Inmate::same_user) return;
    refuse_meddling(plan);
    refuse_to_be_shut(plan);
    for (std::string& word : plan.instructions)
        if (word.starts_with("nproc=")) word = "nproc=" + std::to_string(plan.command.limits.processes + own_threads());
}

std::vector<std::string> guard_instructions(const Plan& plan, const std::vector<std::string>& entry) {
    std::vector<std::string> words = plan.guard;
    for (const std::string& word : entry) {
        if (word == "--") break;
        if (word.starts_with("user=")) words.push_back(word);
    }
    return words;
}

std::vector<std::string> with_private_folder(const Plan& plan, std::vector<std::string> entry) {
    if (plan.folder.empty()) return entry;
    const auto is_place = [](std::string_view text) {
        return text == shared_folder || text == "/tmp/product" || text == "/tmp/parcel" ||
               text.starts_with("/tmp/parcel/");
    };
    for (std::string& word : entry) {
        const std::size_t name = word.rfind('=');  // TMPDIR=/tmp, deliver=/tmp/product
        const std::size_t begin = name == std::string::npos ? 0 : name + 1;
        if (is_place(std::string_view(word).substr(begin)))
            word.replace(begin, shared_folder.size(), plan.folder.string());
    }
    return entry;
}

int landlock_version() { return landlock::version(); }

}  // namespace headway::sandbox
