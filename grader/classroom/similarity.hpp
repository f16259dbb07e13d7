#pragma once

#include "classroom/program_tokens.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

/// Which programs are alike in more than the task explains. A list of places to look, never a verdict.
///
/// Two programs are compared by the runs of 8 tokens that both have, wherever these stand, as JPlag's tiles and
/// winnowing's fingerprints are [Prechelt, Malpohl, Philippsen 2002; Schleimer, Wilkerson, Aiken 2003]. On exercises of
/// some fifty lines every run can be kept. What a run is worth does not depend on the class, in which a ring can be the
/// majority, but on programs that were written apart from it.
namespace headway::classroom {

/// Hashes of a program's runs of tokens, sorted, each once.
using Fingerprints = std::vector<std::uint64_t>;
Fingerprints fingerprints_of(const std::vector<Token>& tokens);
/// Of each run, in the order of the program; 0 where it would go across two files.
std::vector<std::uint64_t> runs_of(const std::vector<Token>& tokens);
constexpr std::size_t run_length = 8;

/// How much of one program is in another one.
struct Likeness {
    double share = 0;     ///< of the one that is worth less: 0 to 1
    double evidence = 0;  ///< what they have in common: runs, each by its weight
};

/// What right programs share without anyone having copied.
class CommonKnowledge {
public:
    /// @param given        what students are given: it counts nothing
    /// @param independent  right programs that were written apart from each other
    CommonKnowledge(Fingerprints given, const std::vector<Fingerprints>& independent);

    /// 1 for a run that none of the independent programs has, less the more of them do, 0 for one that is given.
    double weight(std::uint64_t run) const;
    double weight_of(const Fingerprints& prints) const;
    Likeness likeness(const Fingerprints& a, const Fingerprints& b) const;

    /// Nineteen of twenty pairs of independent programs share at most this.
    double usual_share() const { return usual_share_; }
    /// A pair is worth a look from here on: twice the usual share, within these bounds.
    double least_share() const { return least_share_; }
    static constexpr double lowest_share = 0.6;
    static constexpr double highest_share = 0.75;
    /// ... if it has as much as this in common: less is no sign.
    static constexpr double least_evidence = 40;
    bool is_worth_a_look(const Likeness& likeness) const {
        return likeness.evidence >= least_evidence && likeness.share >= least_share_;
    }

    std::size_t independent_programs() const { return programs_; }

private:
    double find_usual_share(const std::vector<Fingerprints>& independent) const;

    Fingerprints given_;
    std::unordered_map<std::uint64_t, std::size_t> programs_with_;
    std::size_t programs_;
    double usual_share_ = 0;
    double least_share_;
};

struct Alike {
    std::size_t a = 0;  ///< indices of documents, a < b
    std::size_t b = 0;
    Likeness likeness;
};

/// Calls `found` for every pair that is worth a look. A class of a thousand takes seconds: pairs are met where an index
/// of runs says that they have something in common.
void for_each_alike(const std::vector<Fingerprints>& documents, const CommonKnowledge& common,
                    const std::function<void(const Alike&)>& found);

/// Documents that hang together by such pairs: a ring is one, however many have the program.
struct Ring {
    std::vector<std::size_t> members;  ///< sorted
    std::vector<Alike> closest;        ///< of each member, the pair that is most alike
    std::size_t centre = 0;            ///< the member that is most like all the others
};

/// Gathers pairs to rings.
class Rings {
public:
    void add(const Alike& pair);
    /// Those with most members first.
    std::vector<Ring> take();

private:
    struct Member {
        std::size_t parent;  ///< another member of its ring, or itself
        double likeness_to_others;
        Alike closest;
    };
    std::size_t root_of(std::size_t document);

    std::map<std::size_t, Member> members_;
};

}  // namespace headway::classroom
