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

namespace headway::cli {

using Words = std::vector<build::Word>;

/// The files of a submission, read for many failures: most of them are at the same few lines. Each file is made words
/// of once, and each line is asked about once, however many tests fail there. What is too long to be read for advice
/// has no words here and defines nothing.
class ReadSources {
public:
    /// @param files  outlive this
    explicit ReadSources(const std::vector<build::SourceFile>& files) : files_(files), lines_(files) {}

    const build::SourceLines& lines() const { return lines_; }
    /// Whether they are short enough to be read for advice.
    bool are_read() const;
    /// Where the submission defines it, if it does.
    const std::optional<build::FoundAt>& definition_of(const std::string& function) const;
    /// What a file defines; nothing if nobody handed it in.
    const std::vector<build::DefinedFunction>& functions_of(const std::string& file) const;

    enum class Question {
        what_continue_skips,
        for_what_it_goes_on,
        what_counts,
        whose_end_moves,
        how_a_sum_begins,
        which_is_not_cut,
        what_was_never_made,
        what_was_handed_on,
        what_holds_nothing,
        what_is_optional,
        what_lies_below_0,
        which_is_not_kept,
        what_begins_a_list,
        what_is_pointed_to,
        what_stays_empty
    };
    /// What `answer()` gives, which is called once for a question and a line.
    template <typename Answer>
    const std::optional<std::string>& about(Question question, const verdict::SourceLine& at,
                                            const Answer& answer) const {
        const auto [known, is_new] = known_.try_emplace({question, at.file, at.line});
        if (is_new) known->second = answer();
        return known->second;
    }
    /// Without directives; none if nobody handed the file in.
    const std::vector<build::Word>& words_of(const std::string& file) const;

    /// A function, and the mask that it reads without asking whether one is given.
    struct MaskReader {
        std::string function;
        std::optional<build::MaskRead> read;
    };
    /// The function that a line is in. Many tests fail on the way through the same lines: each is asked about once.
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

}  // namespace headway::cli
