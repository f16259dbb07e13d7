#include "verify/proof_document.hpp"

#include <gtest/gtest.h>

namespace headway::cli {
namespace {

Specimen mutant(const std::string& base, bool is_near_copy) {
    Specimen specimen;
    specimen.kind = Kind::mutant;
    specimen.mutant.base = base;
    specimen.is_near_copy = is_near_copy;
    return specimen;
}

TEST(ProofDocument, TellsProgramsOfTheirOwnFromCopiesAndChanges) {
    ExerciseInfo info;
    info.name = "01_a";
    Proof proof;
    ExerciseProof& exercise = proof.exercises.emplace_back();
    exercise.info = &info;
    exercise.specimens = {mutant("", false),         mutant("", false),         mutant("", true),
                          mutant("solution", false), mutant("solution", false), mutant("accepted/b", false)};
    proof.catalogue = {{.id = "scale", .mutants = 3, .whole = 1, .caught = 3, .named = 2}};
    const std::string text = proof_document(proof);
    EXPECT_NE(text.find("| 01_a | 6 | 2 | 1 | 3 | 2 | 2 |"), std::string::npos) << text;
    EXPECT_NE(text.find("| `scale` | 3 | 1 | 3 | 2 |"), std::string::npos) << text;
    EXPECT_NE(text.find("| **all 1** | 3 | 1 | 3 | 2 |"), std::string::npos) << text;
}

}  // namespace
}  // namespace headway::cli
