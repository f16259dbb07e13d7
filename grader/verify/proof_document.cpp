#include "verify/proof_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace headway::cli {
namespace {

constexpr const char* introduction =
    R"(# The catalogue, proven

Written by `./headway verify --proof FILE`. A mutant is a wrong submission of `tests/mutants/`. Some are programs of their
own; of these, some are nearly another one, at most 12 lines apart from it or from a right program. The others are a base
with changes: a solution, an accepted variant or a mutant of the first kind, in which functions or lines are written
differently. No mutant is derived from the model of `grader/diagnosis/`.
)";

/// Where the mutants of an exercise come from.
std::string origins(const ExerciseProof& exercise) {
    int mutants = 0;
    int whole = 0;
    int copies = 0;
    std::map<std::string, int> on_base;
    for (const Specimen& specimen : exercise.specimens) {
        if (specimen.kind != Kind::mutant) continue;
        ++mutants;
        if (specimen.is_near_copy)
            ++copies;
        else if (specimen.mutant.is_whole())
            ++whole;
        else
            ++on_base[specimen.mutant.base];
    }
    int most = 0;
    for (const auto& [base, count] : on_base) most = std::max(most, count);
    return fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", exercise.info->name, mutants, whole, copies,
                       mutants - whole - copies, on_base.size(), most);
}

}  // namespace

std::string proof_document(const Proof& proof) {
    std::string text = introduction;
    text +=
        "\n| exercise | mutants | programs of their own | nearly another | changed bases | different bases | most on "
        "one "
        "base |\n"
        "|---|---:|---:|---:|---:|---:|---:|\n";
    for (const ExerciseProof& exercise : proof.exercises) text += origins(exercise);
    text +=
        "\nHow many mutants make a mistake, how many of these are programs of their own, how many the hidden tests "
        "catch,\n"
        "and how many get exactly the names that they must get:\n\n"
        "| mistake | mutants | programs of their own | caught | named |\n|---|---:|---:|---:|---:|\n";
    EntryProof all;
    const auto row = [&](const std::string& name, const EntryProof& entry) {
        text +=
            fmt::format("| {} | {} | {} | {} | {} |\n", name, entry.mutants, entry.whole, entry.caught, entry.named);
    };
    for (const EntryProof& entry : proof.catalogue) {
        row("`" + entry.id + "`", entry);
        all.mutants += entry.mutants;
        all.whole += entry.whole;
        all.caught += entry.caught;
        all.named += entry.named;
    }
    row(fmt::format("**all {}**", proof.catalogue.size()), all);
    return text;
}

}  // namespace headway::cli
