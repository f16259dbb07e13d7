#include "sandbox/protections.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <linux/fscrypt.h>
#include <sched.h>
#include <sys/resource.h>

namespace headway::sandbox {
namespace {

namespace fs = std::filesystem;

void add(std::vector<std::string>& words, std::initializer_list<std::string> more) {
    words.insert(words.end(), more.begin(), more.end());
}

void instruct(Plan& plan, const std::string& what, std::uint64_t value) {
    if (value > 0) plan.instructions.push_back(what + "=" + std::to_string(value));
}

void refuse(Plan& plan, int error, std::initializer_list<const char*> names) {
    for (const char* name : names) plan.refused.push_back({name, error});
}

/// The folders above a mount; bwrap would make them for root alone, since it knows --perms.
void make_way(Plan& plan, const fs::path& path) {
    fs::path above = "/";
    for (const fs::path& part : path.parent_path().relative_path()) {
        above /= part;
        const std::string folder = above.string();
        if (std::find(plan.jail.begin(), plan.jail.end(), folder) != plan.jail.end()) continue;
        if (plan.bubblewrap.knows_perms) add(plan.jail, {"--perms", "0755"});
        add(plan.jail, {"--dir", folder});
    }
}

void show(Plan& plan, const fs::path& outside, const fs::path& inside) {
    make_way(plan, inside);
    add(plan.jail, {"--ro-bind", outside.string(), inside.string()});
}

/// A folder of the system as it is here: a link (/lib -> usr/lib) or a folder.
void show_system_folder(Plan& plan, const fs::path& path) {
    std::error_code ignored;
    if (fs::is_symlink(path, ignored)) {
        make_way(plan, path);
        add(plan.jail, {"--symlink", fs::read_symlink(path, ignored).string(), path.string()});
    } else if (fs::exists(path, ignored)) {
        show(plan, path, path);
    }
}

// ---- files ----------------------------------------------------------------------------------------------------------

/// Attack: read the hidden tests, another student's work, /etc/shadow, the grader's memory in /proc.
/// A file system of its own, in which only what the program needs is mounted.
void no_host_files(Plan& plan) {
    const char* const libraries[] = {"/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/local/lib"};
    const char* const rest[] = {"/lib", "/lib64", "/lib32", "/etc/ld.so.cache"};
    const char* const tools[] = {"/bin", "/sbin", "/etc/alternatives"};
    if (plan.contents.tools)
        show_system_folder(plan, "/usr");
    else
        for (const char* folder : libraries) show_system_folder(plan, folder);
    for (const char* folder : rest) show_system_folder(plan, folder);
    if (plan.contents.tools)
        for (const char* folder : tools) show_system_folder(plan, folder);
    make_way(plan, "/dev/null");
    add(plan.jail, {"--dev-bind", "/dev/null", "/dev/null"});
    show(plan, plan.entry, plan.entry_inside);
    if (!plan.contents.program.empty()) show(plan, plan.contents.program, plan.program_inside);
}

void all_host_files(Plan& plan) {
    add(plan.jail, {"--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--ro-bind", "/proc", "/proc"});
    plan.entry_inside = plan.entry.string();
    plan.program_inside = plan.contents.program.string();
}

bool hides_secret(const Plan& plan) { return !plan.contents.secret.empty() && lies_in(plan.contents.secret, "/usr"); }

/// Attack: #include or open the hidden suites where the course lies within a folder that must be readable.
/// An empty folder in place of the course; what is needed of it is mounted on top.
void no_hidden_suites(Plan& plan) {
    if (!hides_secret(plan)) return;
    if (plan.bubblewrap.knows_size) add(plan.jail, {"--size", "4096"});
    add(plan.jail, {"--tmpfs", plan.contents.secret.string()});
}

/// The program and what it reads, on top of a folder in memory that may hide them.
void show_above_tmp(Plan& plan) {
    if (lies_in(plan.entry_inside, "/tmp")) show(plan, plan.entry, plan.entry_inside);
    if (lies_in(plan.program_inside, "/tmp")) show(plan, plan.contents.program, plan.program_inside);
    for (const fs::path& path : plan.contents.readable) show(plan, path, path);
}

/// One folder in memory, for everybody.
void add_folder(Plan& plan) {
    if (plan.bubblewrap.knows_perms)
        add(plan.jail, {"--perms", "1777"});
    else if (plan.inmate == Inmate::pool_user)
        plan.instructions.emplace_back("open=/tmp");
    add(plan.jail, {"--tmpfs", "/tmp"});
    show_above_tmp(plan);
}

/// Attack: fill the disk, or the memory, with files.
/// The folder is of limited size. Where bubblewrap knows none, nothing is written there but what has to come out.
void bounded_folder(Plan& plan) {
    if (plan.bubblewrap.knows_size) add(plan.jail, {"--size", std::to_string(plan.contents.folder)});
    add_folder(plan);
    const bool writes = plan.contents.tools || plan.command.delivery_is_parcel || !plan.command.delivery.empty();
    if (!plan.bubblewrap.knows_size && !writes) add(plan.jail, {"--remount-ro", "/tmp"});
}

/// Attack: change the compiler, the course's headers or libraries for the submission that is graded next.
/// Everything is mounted read-only, the root of the file system too, which is memory without a bound.
void read_only_files(Plan& plan) {
    add(plan.jail, {"--remount-ro", "/"});
    if (hides_secret(plan) && !plan.bubblewrap.knows_size)
        add(plan.jail, {"--remount-ro", plan.contents.secret.string()});
}

void writable_files(Plan& plan) {
    std::replace(plan.jail.begin(), plan.jail.end(), std::string("--ro-bind"), std::string("--bind"));
}

/// Attack: a file of 1 TiB, or an object of 1 GiB; all files open that the machine can have open.
void bounded_files(Plan& plan) {
    instruct(plan, "fsize", plan.command.limits.file_size);
    instruct(plan, "nofile", plan.command.limits.files);
}

// ---- processes ------------------------------------------------------------------------------------------------------

/// Attack: kill(-1), SIGSTOP to the grader, a daemon that waits for the next submission.
/// Processes of its own, which all die with the first. That one is the entry where it is the same user: bwrap's own
/// could be written to through /proc.
void own_processes(Plan& plan) {
    add(plan.jail, {"--unshare-pid", "--new-session"});
    if (plan.inmate == Inmate::own_namespace) {
        add(plan.jail, {"--as-pid-1"});
        plan.instructions.emplace_back("first=yes");
    }
    if (plan.contents.own_processes_visible) add(plan.jail, {"--proc", "/proc"});
}

/// Attack: outlive a grader that was killed.
void dies_with_grader(Plan& plan) { add(plan.jail, {"--die-with-parent"}); }

/// Attack: a fork bomb.
void bounded_processes(Plan& plan) { instruct(plan, "nproc", plan.command.limits.processes); }

/// Attack: ask for all memory there is.
/// Addresses, where no sanitizer reserves terabytes of them; resident memory is watched from outside as well.
void bounded_addresses(Plan& plan) { instruct(plan, "as", plan.command.limits.address_space); }

/// Attack: compute for ever; or step behind all others, so that a busy machine never lets it come to an end.
/// Processor time of a compilation; of a worker the judge watches each call.
void bounded_time(Plan& plan) {
    instruct(plan, "cpu", static_cast<std::uint64_t>(plan.command.limits.cpu.count()));
    refuse(plan, EPERM, {"setpriority", "sched_setscheduler", "sched_setattr", "sched_setparam"});
}

/// Attack: crash where core_pattern names a program (apport, systemd-coredump). The kernel starts that as root, outside
/// of every jail, and hands it all the memory of the crashed one, unless the limit on core files is 1: child.cpp sets
/// it. A program may lower it to 0, which stops nothing. That is answered as if it had worked: AddressSanitizer does so
/// when it starts, and gives up where it gets an error.
void no_core_dumps(Plan& plan) {
    plan.refused.push_back({.name = "setrlimit", .error = 0, .first = RLIMIT_CORE});
    plan.refused.push_back({.name = "prlimit64", .error = 0, .what = RLIMIT_CORE, .only_with_third = true});
}

/// Attack: read or write another process's memory (the judge's, a sibling's); cheat the sanitizer.
void no_tracing(Plan& plan) {
    refuse(plan, EPERM,
           {"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp",
            "perf_event_open"});
}

/// Attack: hide memory where no process's resident size shows it, and leave it behind; fill large pipes with it, or the
/// attributes of files, which no size of a folder bounds.
void no_hidden_memory(Plan& plan) {
    refuse(plan, EPERM,
           {"memfd_create", "memfd_secret", "shmget", "msgget", "semget", "mq_open", "setxattr", "lsetxattr",
            "fsetxattr", "setxattrat"});
    plan.refused.push_back({.name = "fcntl", .error = EPERM, .what = F_SETPIPE_SZ});
}

// ---- privileges -----------------------------------------------------------------------------------------------------

/// Attack: as root, mount the disk again, this time writable; load a module; become somebody else.
/// A user without any rights: one that nobody else is, or nobody in a namespace.
void no_privileges(Plan& plan) {
    if (plan.inmate == Inmate::pool_user) {
        // The entry needs these two to become the pool user, which takes them away.
        add(plan.jail, {"--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"});
        plan.instructions.emplace_back("become-pool-user");
    } else if (plan.inmate == Inmate::another_user) {
        plan.instructions.emplace_back("become-pool-user");
    } else {
        add(plan.jail, {"--unshare-user", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"});
    }
}

void all_privileges(Plan& plan) {
    if (plan.inmate == Inmate::own_namespace) add(plan.jail, {"--unshare-user"});
}

/// Attack: `unshare -Ur`, to be root in a namespace and reach more of the kernel.
void no_new_namespaces(Plan& plan) {
    constexpr std::uint64_t namespaces =
        CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
    refuse(plan, EPERM, {"unshare", "setns"});
    plan.refused.push_back({"clone", EPERM, namespaces});
    refuse(plan, ENOSYS, {"clone3"});  // a filter cannot see its flags; libc falls back to clone
}

/// Attack: a mistake of the kernel in what no submission needs. Take the key away that opens the home of the user who
/// grades, where that is encrypted: keyctl by way of a file.
void no_kernel_doors(Plan& plan) {
    refuse(
        plan, EPERM,
        {"bpf", "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "keyctl", "add_key",
         "request_key", "mount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick",
         "move_mount", "open_tree", "open_tree_attr", "mount_setattr", "init_module", "finit_module", "delete_module",
         "kexec_load", "kexec_file_load", "open_by_handle_at", "name_to_handle_at", "quotactl", "quotactl_fd", "swapon",
         "swapoff", "acct", "reboot", "fanotify_init", "lookup_dcookie", "syslog", "settimeofday", "clock_settime",
         "iopl", "ioperm", "modify_ldt", "vmsplice", "statmount", "listmount", "lsm_set_self_attr",
         // What the whole machine shares: its disks, flushed again and again, and its few asynchronous requests.
         "sync", "syncfs", "io_setup", "io_submit"});
    for (const unsigned long request : {FS_IOC_ADD_ENCRYPTION_KEY, FS_IOC_REMOVE_ENCRYPTION_KEY})
        plan.refused.push_back({.name = "ioctl", .error = EPERM, .what = static_cast<std::uint32_t>(request)});
}

// ---- the rest of the world ------------------------------------------------------------------------------------------

/// Attack: send the hidden inputs away, fetch an answer, talk to a server on this machine.
/// A network of its own, without a single address.
void no_network(Plan& plan) { add(plan.jail, {"--unshare-net"}); }

/// Attack: AF_VSOCK, which no network namespace keeps from the host; AF_UNIX, to the next submission.
void no_sockets(Plan& plan) { refuse(plan, EPERM, {"socket", "socketpair"}); }

/// Attack: System V memory and message queues as letter boxes; the name of the machine. Locks on a library, which every
/// jail sees; and news of who opens which library. A filter cannot tell whose file a descriptor is, so no lock is
/// given.
void own_letter_boxes(Plan& plan) {
    add(plan.jail, {"--unshare-ipc", "--unshare-uts", "--hostname", "jail", "--unshare-cgroup-try"});
    refuse(plan, EPERM, {"flock", "inotify_init", "inotify_init1", "inotify_add_watch"});
    for (const int lock :
         {F_SETLK, F_SETLKW, F_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_OFD_GETLK, F_SETLEASE, F_GETLEASE, F_NOTIFY})
        plan.refused.push_back({.name = "fcntl", .error = EPERM, .what = static_cast<std::uint32_t>(lock)});
}

}  // namespace

bool lies_in(const fs::path& path, const fs::path& folder) {
    const fs::path relative = path.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != "..";
}

std::span<const Protection> protections() {
    static constexpr Protection all[] = {
        {"no_host_files", "sees no file of this machine", no_host_files, all_host_files},
        {"no_hidden_suites", "sees no hidden suite", no_hidden_suites, nullptr},
        {"own_processes", "sees no process of this machine", own_processes, nullptr},
        {"bounded_folder", "writes to one small folder", bounded_folder, add_folder},
        {"read_only_files", "changes no file", read_only_files, writable_files},
        {"bounded_files", "writes no huge file, and opens few", bounded_files, nullptr},
        {"dies_with_grader", "dies with the grader", dies_with_grader, nullptr},
        {"bounded_processes", "starts few processes", bounded_processes, nullptr},
        {"bounded_addresses", "has bounded memory", bounded_addresses, nullptr},
        {"bounded_time", "has bounded time", bounded_time, nullptr},
        {"no_core_dumps", "hands no core dump to this machine", no_core_dumps, nullptr},
        {"no_tracing", "reads no other process", no_tracing, nullptr},
        {"no_hidden_memory", "hides no memory", no_hidden_memory, nullptr},
        {"no_privileges", "has no privileges", no_privileges, all_privileges},
        {"no_new_namespaces", "makes no namespaces", no_new_namespaces, nullptr},
        {"no_kernel_doors", "reaches little of the kernel", no_kernel_doors, nullptr},
        {"no_network", "has no network", no_network, nullptr},
        {"no_sockets", "opens no socket", no_sockets, nullptr},
        {"own_letter_boxes", "leaves nothing to read", own_letter_boxes, nullptr},
    };
    return all;
}

}  // namespace headway::sandbox
