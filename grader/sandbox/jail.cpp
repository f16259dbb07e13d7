#include "sandbox/jail.hpp"

#include "sandbox/chance.hpp"
#include "sandbox/control_group.hpp"
#include "sandbox/weaker_jail.hpp"

#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace headway::sandbox {
namespace {

namespace fs = std::filesystem;

// Pool users: so many that two jails that run at the same time do not draw the same.
constexpr std::uint64_t first_pool_user = 1'000'000'000;
constexpr std::uint64_t pool_users = std::uint64_t{1} << 28U;

constexpr std::pair<std::string_view, Inmate> inmate_names[] = {{"pool_user", Inmate::pool_user},
                                                                {"own_namespace", Inmate::own_namespace},
                                                                {"another_user", Inmate::another_user},
                                                                {"same_user", Inmate::same_user}};

/// Processes that have ended and still count in a control group: some kernels take them off seconds later, and a judge
/// starts a worker that crashes again and again. Processes that live are bounded by the entry.
constexpr std::uint64_t lingering = 512;

/// A user that nobody else on this machine is: two jails cannot signal each other, nor share a limit on processes.
/// Drawn, not counted from the grader's process number, which graders in two containers of one machine may share.
std::uint64_t next_pool_user() { return first_pool_user + random_number() % pool_users; }

std::string joined(const std::vector<std::string>& words) {
    std::string bytes;
    for (const std::string& word : words) (bytes += word) += '\0';
    return bytes;
}

/// What is not a protection, but makes the jail one.
Plan draw_up(const Command& command, const JailContents& contents, Inmate inmate, const fs::path& entry,
             const Policy& policy) {
    Plan plan{
        .command = command, .contents = contents, .inmate = inmate, .entry = entry, .bubblewrap = bubblewrap_here()};
    for (const Protection& protection : protections()) {
        if (!policy.switched_off.contains(std::string(protection.name)))
            protection.apply(plan);
        else if (protection.without != nullptr)
            protection.without(plan);
    }
    if (is_weaker(inmate))
        make_weaker(plan, policy.switched_off.contains("no_host_files") ? RuleForFiles::no : RuleForFiles::yes);
    return plan;
}

std::vector<std::string> instructions(const Plan& plan) {
    std::vector<std::string> words;
    for (const std::string& word : plan.instructions)
        words.push_back(word == "become-pool-user" ? "user=" + std::to_string(next_pool_user()) : word);
    for (const std::string& variable : plan.command.environment) words.push_back("env=" + variable);
    if (plan.command.delivery_is_parcel)
        words.push_back("pack=" + Jail::parcel_place().string());
    else if (!plan.command.delivery.empty())
        words.emplace_back("deliver=/tmp/product");
    words.push_back("directory=" + (plan.contents.tools ? plan.command.directory.string() : std::string("/tmp")));
    words.emplace_back("--");
    const auto& arguments = plan.command.arguments;
    words.push_back(plan.contents.program.empty() ? arguments.at(0) : plan.program_inside);
    words.insert(words.end(), arguments.begin() + 1, arguments.end());
    return words;
}

/// A child that nobody waits for leaves no trace, and one's own memory is forgotten with the program.
bool stays_alone(Offspring offspring, const std::shared_ptr<ControlGroup>& group) {
    if (offspring == Offspring::any) return false;
    return offspring == Offspring::none || !group || !group->reset_peak_memory();
}

}  // namespace

fs::path bubblewrap() {
    for (const char* path : {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"})
        if (::access(path, X_OK) == 0) return path;
    return {};
}

Bubblewrap late_options(const fs::path& program) {
    std::ostringstream whole;
    whole << std::ifstream(program, std::ios::binary).rdbuf();
    const std::string bytes = std::move(whole).str();
    const auto knows = [&](const char* option) { return bytes.find(std::string(option) + '\0') != std::string::npos; };
    return {.knows_size = knows("--size"), .knows_perms = knows("--perms")};
}

const Bubblewrap& bubblewrap_here() {
    static const Bubblewrap here = late_options(bubblewrap());
    return here;
}

bool has_pool_users() {
    if (::geteuid() != 0) return false;
    std::ifstream map("/proc/self/uid_map");
    std::uint64_t inside = 0;
    std::uint64_t outside = 0;
    std::uint64_t count = 0;
    while (map >> inside >> outside >> count)
        if (inside <= first_pool_user && inside + count >= first_pool_user + pool_users) return true;
    return false;
}

Launch Jail::lock(Command command, const JailContents& contents) const {
    if (!inmate_) return Launch(std::move(command));
    const Plan plan = draw_up(command, contents, *inmate_, entry_, policy_);
    Command locked;
    locked.jailed = true;
    locked.delivery = command.delivery;
    locked.limits.resident = command.limits.resident;
    locked.limits.stack = command.limits.stack;  // the first program's, and so everybody's
    const std::string filter = system_call_filter(plan.refused);
    // Watching from outside comes first; the kernel's bound is for what it cannot see, or is too slow for.
    std::string ignored;
    if (command.limits.resident > 0)
        locked.group = ControlGroup::make({.memory = command.limits.resident + contents.folder + mebibytes(128),
                                           .processes = command.limits.processes + lingering},
                                          ignored);
    locked.alone = stays_alone(command.offspring, locked.group);
    std::vector<std::string> entry = with_private_folder(plan, instructions(plan));
    if (locked.alone) entry.insert(entry.begin(), "alone=yes");
    locked.attachments.push_back({number::entry, joined(entry)});
    if (is_weaker()) {
        locked.guarded = true;
        locked.arguments = {(entry_.parent_path() / "headway-guard").string()};
        locked.attachments.push_back({number::jail, joined(guard_instructions(plan, entry))});
        locked.attachments.push_back({number::system_calls, filter});
    } else {
        locked.arguments = {bubblewrap().string(), "--args", std::to_string(number::jail)};
        locked.attachments.push_back({number::jail, joined(plan.jail)});
        if (!filter.empty()) {
            locked.arguments.insert(locked.arguments.end(), {"--seccomp", std::to_string(number::system_calls)});
            locked.attachments.push_back({number::system_calls, filter});
        }
    }
    locked.arguments.push_back(plan.entry_inside);
    return Launch(std::move(locked));
}

Launch Jail::lock(Command command, const JailContents& contents, const fs::path& product) const {
    if (inmate_) command.delivery = product;
    return lock(std::move(command), contents);
}

Launch Jail::lock_with_parcel(Command command, const JailContents& contents, const fs::path& parcel) const {
    if (!inmate_) throw std::logic_error("without a jail there is nothing that packs");
    command.delivery = parcel;
    command.delivery_is_parcel = true;
    return lock(std::move(command), contents);
}

fs::path Jail::product_place(const fs::path& product) const { return inmate_ ? fs::path("/tmp/product") : product; }

std::string Jail::name() const {
    for (const auto& [name, inmate] : inmate_names)
        if (inmate_ == inmate) return std::string(name);
    return "none";
}

Jail Jail::absent_jail(Policy policy) { return Jail(std::move(policy)); }

Jail Jail::from_name(const std::string& name, fs::path entry, Policy policy) {
    if (name == "none") return absent_jail(std::move(policy));
    for (const auto& [known, inmate] : inmate_names)
        if (name == known) return {inmate, std::move(entry), std::move(policy)};
    throw std::runtime_error("there is no jail called " + name);
}

}  // namespace headway::sandbox
