#include "classroom/rings.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

namespace headway::classroom {
namespace {

constexpr std::size_t most_shown = 8;          ///< pairs of an exercise
constexpr std::size_t most_shown_of_ring = 4;  ///< of these

/// The same files are no chance if there is a line or two of one's own in them.
constexpr double least_of_ones_own = 4;

CommonKnowledge common_knowledge(const CourseMaterial& material, const Fingerprints& solution) {
    std::vector<Fingerprints> independent = material.accepted;
    if (!solution.empty()) independent.push_back(solution);
    return {material.given, independent};
}

class Search {
public:
    Search(const std::string& exercise, std::vector<Origin> programs, const CourseMaterial& material)
        : exercise_(exercise),
          material_(material),
          programs_(std::move(programs)),
          solution_(prints_of(material.solution)),
          common_(common_knowledge(material, solution_)) {
        for (const Origin& program : programs_) prints_.push_back(prints_of(program.files));
    }

    std::vector<RingFinding> run() {
        Rings rings;
        for_each_alike(prints_, common_, [&](const Alike& pair) {
            if ((has_students(pair.a) || has_students(pair.b)) && !are_of_one_group(pair)) rings.add(pair);
        });
        add_solution(rings);
        std::vector<bool> is_in_a_ring(programs_.size());
        std::vector<RingFinding> findings;
        for (const Ring& ring : rings.take()) {
            for (const std::size_t member : ring.members) is_in_a_ring[member] = true;
            findings.push_back(finding_of(ring));
        }
        for (std::size_t i = 0; i < prints_.size(); ++i)
            if (!is_in_a_ring[i] && programs_[i].apart().size() > 1 &&
                common_.weight_of(prints_[i]) >= least_of_ones_own)
                findings.push_back(finding_of({{i}, {{i, i, {1, 0}}}, i}));
        std::ranges::stable_sort(findings, std::ranges::greater{}, &RingFinding::students);
        show_code(findings);
        return findings;
    }

private:
    Fingerprints prints_of(const std::vector<build::SourceFile>& files) const {
        return fingerprints_of(tokens_of(files, material_.names));
    }
    bool has_students(std::size_t program) const { return !programs_[program].students.empty(); }

    bool are_of_one_group(const Alike& pair) const {
        const std::vector<std::string>& a = programs_[pair.a].apart();
        return a.size() == 1 && a == programs_[pair.b].apart();
    }

    /// The course's solution is one of the independent programs, and must not make light of what is copied from it.
    void add_solution(Rings& rings) {
        if (solution_.empty()) return;
        const CommonKnowledge without(material_.given, material_.accepted);
        const std::size_t place = programs_.size();
        programs_.push_back({{}, "the course's solution", material_.solution});
        for (std::size_t i = 0; i < place; ++i) {
            const Likeness likeness = without.likeness(prints_[i], solution_);
            if (has_students(i) && without.is_worth_a_look(likeness)) rings.add({i, place, likeness});
        }
        prints_.push_back(solution_);
    }

    RingFinding finding_of(const Ring& ring) const {
        std::vector<std::size_t> order = ring.members;
        std::ranges::sort(order, {}, [&](std::size_t member) {
            const Origin& origin = programs_[member];
            return std::tuple(member != ring.centre, origin.students, origin.elsewhere);
        });
        RingFinding finding{exercise_, {}, {}, common_.usual_share(), common_.independent_programs()};
        for (const std::size_t member : order) {
            const auto place = std::ranges::lower_bound(ring.members, member) - ring.members.begin();
            const Alike& pair = ring.closest[static_cast<std::size_t>(place)];
            const auto closest = std::ranges::find(order, pair.a == member ? pair.b : pair.a) - order.begin();
            finding.members.push_back({programs_[member], static_cast<std::size_t>(closest), pair.likeness.share});
        }
        return finding;
    }

    /// Of the largest rings first.
    void show_code(std::vector<RingFinding>& findings) const {
        std::size_t left = most_shown;
        for (RingFinding& finding : findings)
            for (std::size_t i = 0; i < finding.members.size() && left > 0; ++i) {
                const std::size_t j = finding.members[i].closest;
                const bool is_known = std::ranges::any_of(finding.shown, [&](const ComparedPair& pair) {
                    return std::minmax(pair.a, pair.b) == std::minmax(i, j);
                });
                if (i == j || is_known || finding.shown.size() == most_shown_of_ring) continue;
                finding.shown.push_back({i, j,
                                         compare(finding.members[i].origin.files, finding.members[j].origin.files,
                                                 material_.names, common_)});
                --left;
            }
    }

    const std::string& exercise_;
    const CourseMaterial& material_;
    std::vector<Origin> programs_;
    Fingerprints solution_;
    CommonKnowledge common_;
    std::vector<Fingerprints> prints_;
};

}  // namespace

std::size_t RingFinding::students() const {
    std::size_t count = 0;
    for (const RingMember& member : members) count += member.origin.students.size();
    return count;
}

double RingFinding::least_share() const { return std::ranges::min_element(members, {}, &RingMember::share)->share; }

std::vector<Origin> take_what_is_too_long(std::vector<Origin>& programs, const CourseMaterial& material) {
    const auto first = std::stable_partition(programs.begin(), programs.end(), [&](const Origin& program) {
        return !is_too_long_to_compare(program.files, material.names);
    });
    std::vector<Origin> taken(std::make_move_iterator(first), std::make_move_iterator(programs.end()));
    programs.erase(first, programs.end());
    for (Origin& program : taken) program.files.clear();
    return taken;
}

std::vector<RingFinding> find_rings(const std::string& exercise, std::vector<Origin> programs,
                                    const CourseMaterial& material) {
    return Search(exercise, std::move(programs), material).run();
}

}  // namespace headway::classroom
