#pragma once

#include "verdict/stage.hpp"
#include "verify/changed_program.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

/// The wrong submissions of tests/mutants. CONTRIBUTING.md ("Mutants") describes their three forms; whatever needs
/// their programs takes them from here, or by ./headway verify --show and --expand.
namespace headway::cli {

/// One wrong submission: what is known of it, and how its program is written down.
struct Mutant {
    std::string name;
    verdict::Stage stage = verdict::Stage::none;  ///< the first whose numbers are wrong, if any stage's are
    std::vector<std::string> functions;           ///< those that are wrong
    std::vector<std::string> diagnosis;           ///< the mistakes that must be named; none: it is not in the catalogue
    std::string reason_for_cost;                  ///< why it may cost more than 4 of 10 points
    bool extended = false;                        ///< --quick leaves it out: see CONTRIBUTING.md, "Mutants"
    bool needs_sanitizer = false;                 ///< the plain build alone does not show all of it
    bool and_more = false;                        ///< more is wrong in it than `diagnosis` names
    std::string about;                            ///< all that is known, as a mutant.toml
    std::string base;  ///< "solution", "accepted/NAME" or another mutant; empty: a program of its own
    Changes changes;   ///< what is different from the base

    bool is_whole() const { return base.empty(); }
    bool explains_all() const { return !diagnosis.empty() && !and_more; }
};

/// How many lines one program has that the other has not, on both sides. Blank ones do not count.
std::size_t lines_apart(const std::string& one, const std::string& other);

/// All mutants of an exercise: what tests/mutants/NN_name/mutants.toml lists, and folders with a mutant.toml of their
/// own.
class Mutants {
public:
    /// @param course  the folder that holds solutions/ and tests/
    /// @throws std::runtime_error, with the file and what is wrong with it
    Mutants(const std::filesystem::path& course, std::string exercise);

    /// In the order of their names.
    const std::vector<Mutant>& all() const& { return all_; }
    const std::vector<Mutant>& all() && = delete;
    /// @throws std::out_of_range if there is none of that name
    const Mutant& find(const std::string& name) const;

    /// The program: path below the exercise's folder -> text.
    /// @throws std::runtime_error if its base does not allow for its changes
    std::map<std::string, std::string> program(const Mutant& mutant) const;

    /// The whole programs that are nearly another program: few lines apart from the solution, an accepted variant or a
    /// whole mutant that comes before by name.
    std::set<std::string> near_copies() const;

    /// Makes `submission` a folder that can be graded, with all that is known in its mutant.toml.
    void write(const Mutant& mutant, const std::filesystem::path& submission) const;

private:
    void read_catalogue();
    void read_folders();
    std::filesystem::path base_of(const Mutant& mutant) const;

    std::filesystem::path course_;
    std::filesystem::path folder_;
    std::string exercise_;
    std::vector<Mutant> all_;
};

}  // namespace headway::cli
