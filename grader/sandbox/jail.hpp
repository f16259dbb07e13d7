#pragma once

#include "sandbox/policy.hpp"
#include "sandbox/process.hpp"
#include "sandbox/protections.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace headway::sandbox {

/// How this machine can jail a program: bubblewrap (or, where the kernel grants it no namespaces, headway-guard), the
/// kernel's limits and filter, and what watches from outside.
class Jail {
public:
    /// @param entry  the program headway-enter
    Jail(Inmate inmate, std::filesystem::path entry, Policy policy)
        : inmate_(inmate), entry_(std::move(entry)), policy_(std::move(policy)) {}
    /// There is no jail, and commands run as they are, in a process of their own: who asks for this has to see to it
    /// that the program is one's own (require_jail).
    static Jail absent_jail(Policy policy);

    bool exists() const { return inmate_.has_value(); }
    /// Whether it is the one without namespaces: it has the gaps() of weaker_jail.hpp.
    bool is_weaker() const { return inmate_ && sandbox::is_weaker(*inmate_); }
    /// Only where there is one.
    Inmate inmate() const { return inmate_.value(); }
    const Policy& policy() const { return policy_; }

    /// `command`, in a jail; without one the same command.
    /// @param contents  what it needs to see
    Launch lock(Command command, const JailContents& contents) const;

    /// lock() for a program that leaves one file behind, which is copied to `product` when it succeeds. It must
    /// write to product_place().
    Launch lock(Command command, const JailContents& contents, const std::filesystem::path& product) const;
    std::filesystem::path product_place(const std::filesystem::path& product) const;

    /// `command`, in a jail in which it finds an empty folder parcel_place(); what it leaves there is packed into
    /// `parcel`, however it ends. Only where there is a jail.
    Launch lock_with_parcel(Command command, const JailContents& contents, const std::filesystem::path& parcel) const;
    static std::filesystem::path parcel_place() { return "/tmp/parcel"; }

    /// "pool_user", "own_namespace", "another_user", "same_user", "none": for the judge's command line.
    std::string name() const;
    static Jail from_name(const std::string& name, std::filesystem::path entry, Policy policy);

private:
    explicit Jail(Policy policy) : policy_(std::move(policy)) {}

    std::optional<Inmate> inmate_;
    std::filesystem::path entry_;
    Policy policy_;
};

/// bubblewrap; empty if it is not installed.
std::filesystem::path bubblewrap();

/// Read in the program itself, which takes no start of it: an option's name is a word in there.
Bubblewrap late_options(const std::filesystem::path& program);
const Bubblewrap& bubblewrap_here();

/// Whether root may give away user numbers that nobody has.
bool has_pool_users();

}  // namespace headway::sandbox
