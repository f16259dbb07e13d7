#pragma once

#include "build/source_lines.hpp"
#include "submission/mask_reads.hpp"
#include "verdict/verdict.hpp"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// What the student's source shows of why a call failed, beside what its words say.
namespace headway::cli {

/// The files of a submission, read for many failures: most of them are at the same few lines. Each file is made words
/// of once, and each line is asked about once, however many tests fail there. What is too long to be read for advice
/// has no words here, and defines nothing.
class ReadSources {
public:
    /// @param files  outlive this
    explicit ReadSources(const std::vector<build::SourceFile>& files) : files_(files), lines_(files) {}

    const build::SourceLines& lines() const { return lines_; }
    /// Whether they are short enough to be read for advice.
    bool are_read() const;
    /// Where it is defined, if it is.
    const std::optional<build::FoundAt>& definition_of(const std::string& function) const;
    /// What a file defines; nothing if nobody handed it in.
    const std::vector<build::DefinedFunction>& functions_of(const std::string& file) const;

    enum class Question {
        what_continue_skips,
        for_what_it_goes_on,
        what_counts,
        how_a_sum_begins,
        which_is_not_cut,
        what_was_never_made,
        what_stays_empty
    };
    /// What `answer()` gives, which is asked once for a line.
    template <typename Answer>
    const std::optional<std::string>& about(Question question, const verdict::SourceLine& at,
                                            const Answer& answer) const {
        const auto [known, is_new] = known_.try_emplace({question, at.file, at.line});
        if (is_new) known->second = answer();
        return known->second;
    }
    /// Of a file; none if nobody handed it in.
    const std::vector<build::Word>& words_of(const std::string& file) const;

    /// A function, and what it reads of a mask without asking.
    struct MaskReader {
        std::string function;
        std::optional<build::MaskRead> read;
    };
    /// The one that a line stands in. The lines of a way are those of many tests: each is asked about once, too.
    const std::optional<MaskReader>& mask_reader_around(const verdict::SourceLine& line) const;

private:
    const std::vector<build::SourceFile>& files_;
    build::SourceLines lines_;
    mutable std::map<std::string, std::vector<build::Word>> words_;
    mutable std::map<std::string, std::vector<build::DefinedFunction>> functions_;
    mutable std::map<std::string, std::optional<build::FoundAt>> defined_;
    mutable std::map<std::tuple<Question, std::string, int>, std::optional<std::string>> known_;
    mutable std::map<std::pair<std::string, int>, std::optional<MaskReader>> mask_readers_;
    mutable std::optional<bool> are_read_;  ///< once somebody asks
};

/// Beside pointers to what is not there: the line that declares a variable anew where a member is meant to be set.
void tell_what_hides_a_member(verdict::Diagnosis& diagnosis, const std::vector<verdict::CompilerMessage>& warnings,
                              const std::vector<build::SourceFile>& files);

/// Where a call ended in a function without a return, says which function that is: the one that was called may only
/// have called it.
void name_what_lacks_a_return(verdict::Failure& failure, const ReadSources& sources);

/// Where a function calls itself with a clone, says what that does not change: it is taken for a way to lay out rows.
void tell_what_clone_keeps(verdict::Failure& failure, const ReadSources& sources);

/// Where a while never ends, says which continue goes past what changes its condition.
void tell_what_continue_skips(verdict::Failure& failure, const ReadSources& sources);

/// Where a call was stopped in a loop, says whose it is, if that is another function, and for which numbers it never
/// ends, where its own words tell; or that no round changes what its condition reads.
void tell_for_what_a_loop_goes_on(verdict::Failure& failure, const ReadSources& sources);

/// Where an index runs out of range in a for whose head counts another variable than its condition asks about.
void tell_what_counts_another(verdict::Failure& failure, const ReadSources& sources);

/// Of memory of a Tensor::empty that is read too early, says which others that function makes.
void tell_of_other_empty_ones(verdict::FunctionDiagnosis& function, const ReadSources& sources);

/// Where the end of what such a Tensor holds is never written, says which loop leaves it.
void tell_what_leaves_the_end(verdict::FunctionDiagnosis& function, const ReadSources& sources);

/// Where an element of a tensor is asked for that was only declared, and of which nothing is said in between: where
/// that was. A struct of the student's own may make its tensors itself.
void tell_what_was_never_made(verdict::Failure& failure, const ReadSources& sources);

/// Where += refuses a Tensor that was declared without a value, says what it begins with.
void tell_how_a_sum_begins(verdict::Failure& failure, const ReadSources& sources);

/// Where a slice reaches past the end because the last of several pieces is not cut, says where it should be.
void tell_which_piece_is_not_cut(verdict::Failure& failure, const ReadSources& sources);

/// Where lengths are the numbers of a list in braces and should be so many zeros, says which list that is.
void tell_which_list_has_braces(verdict::Failure& failure, const ReadSources& sources);

}  // namespace headway::cli
