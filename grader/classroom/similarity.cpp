#include "classroom/similarity.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

namespace headway::classroom {
namespace {

// Measured on 15,043 pairs of programs that were written apart from each other, and on copies that were renamed,
// reordered, swapped and stuffed with dead code: classroom/copying.md has the table.
constexpr double times_the_usual = 2;
constexpr std::size_t enough_programs = 5;  ///< with fewer, what is usual is not known

/// What a run is worth that `with` of `programs` independent programs have.
double weight_by(std::size_t with, std::size_t programs) {
    if (programs == 0) return 1;
    const auto all = static_cast<double>(programs + 1);
    return std::log(all / static_cast<double>(with + 1)) / std::log(all);
}

template <class Weight>
double sum_of(const Fingerprints& prints, const Weight& weight) {
    return std::accumulate(prints.begin(), prints.end(), 0.0,
                           [&](double sum, std::uint64_t run) { return sum + weight(run); });
}

template <class Weight>
Likeness likeness_by(const Fingerprints& a, const Fingerprints& b, const Weight& weight) {
    Fingerprints both;
    std::ranges::set_intersection(a, b, std::back_inserter(both));
    const double evidence = sum_of(both, weight);
    const double smaller = std::min(sum_of(a, weight), sum_of(b, weight));
    return {smaller > 0 ? evidence / smaller : 0, evidence};
}

bool has(const Fingerprints& prints, std::uint64_t run) { return std::ranges::binary_search(prints, run); }

}  // namespace

std::vector<std::uint64_t> runs_of(const std::vector<Token>& tokens) {
    std::vector<std::uint64_t> runs;
    if (tokens.size() < run_length) return runs;
    std::vector<std::uint64_t> kinds;
    for (const Token& token : tokens) kinds.push_back(std::hash<std::string>{}(token.kind));
    for (std::size_t i = 0; i + run_length <= tokens.size(); ++i) {
        std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a, over the tokens' own hashes
        bool in_one_file = true;
        for (std::size_t j = i; j < i + run_length; ++j) {
            hash = (hash ^ kinds[j]) * 1099511628211ULL;
            hash ^= hash >> 29U;
            in_one_file = in_one_file && !tokens[j].kind.empty();
        }
        runs.push_back(in_one_file ? hash : 0);
    }
    return runs;
}

Fingerprints fingerprints_of(const std::vector<Token>& tokens) {
    Fingerprints prints = runs_of(tokens);
    std::erase(prints, 0U);
    std::ranges::sort(prints);
    prints.erase(std::unique(prints.begin(), prints.end()), prints.end());
    return prints;
}

CommonKnowledge::CommonKnowledge(Fingerprints given, const std::vector<Fingerprints>& independent)
    : given_(std::move(given)), programs_(independent.size()) {
    std::ranges::sort(given_);
    for (const Fingerprints& program : independent)
        for (const std::uint64_t run : program) ++programs_with_[run];
    usual_share_ = find_usual_share(independent);
    least_share_ = programs_ < enough_programs
                       ? highest_share
                       : std::clamp(times_the_usual * usual_share_, lowest_share, highest_share);
}

double CommonKnowledge::weight(std::uint64_t run) const {
    if (has(given_, run)) return 0;
    const auto known = programs_with_.find(run);
    return weight_by(known == programs_with_.end() ? 0 : known->second, programs_);
}

double CommonKnowledge::weight_of(const Fingerprints& prints) const {
    return sum_of(prints, [this](std::uint64_t run) { return weight(run); });
}

Likeness CommonKnowledge::likeness(const Fingerprints& a, const Fingerprints& b) const {
    return likeness_by(a, b, [this](std::uint64_t run) { return weight(run); });
}

/// Each pair is weighed by what the other programs have, as a pair of the class is.
double CommonKnowledge::find_usual_share(const std::vector<Fingerprints>& independent) const {
    std::vector<double> shares;
    for (std::size_t i = 0; i < independent.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const Fingerprints& a = independent[i];
            const Fingerprints& b = independent[j];
            const auto by_the_others = [&](std::uint64_t run) {
                if (has(given_, run)) return 0.0;
                const std::size_t own = (has(a, run) ? 1U : 0U) + (has(b, run) ? 1U : 0U);
                return weight_by(programs_with_.at(run) - own, programs_ - 2);
            };
            shares.push_back(likeness_by(a, b, by_the_others).share);
        }
    if (shares.empty()) return 0;
    std::ranges::sort(shares);
    return shares[(shares.size() - 1) * 19 / 20];
}

namespace {

/// For each run that counts: what it is worth, and which documents have it.
struct Postings {
    double weight = 0;
    std::vector<std::size_t> documents;
};

}  // namespace

void for_each_alike(const std::vector<Fingerprints>& documents, const CommonKnowledge& common,
                    const std::function<void(const Alike&)>& found) {
    std::unordered_map<std::uint64_t, Postings> index;
    std::vector<std::vector<const Postings*>> runs(documents.size());
    std::vector<double> worth(documents.size());
    for (std::size_t i = 0; i < documents.size(); ++i)
        for (const std::uint64_t run : documents[i]) {
            const auto [entry, is_new] = index.try_emplace(run);
            if (is_new) entry->second.weight = common.weight(run);
            if (entry->second.weight <= 0) continue;
            entry->second.documents.push_back(i);
            runs[i].push_back(&entry->second);  // stays where it is when the index grows
            worth[i] += entry->second.weight;
        }
    std::vector<double> evidence(documents.size());
    for (std::size_t a = 0; a < documents.size(); ++a) {
        std::ranges::fill(evidence, 0.0);
        for (const Postings* run : runs[a])
            for (auto b = std::ranges::upper_bound(run->documents, a); b != run->documents.end(); ++b)
                evidence[*b] += run->weight;
        for (std::size_t b = a + 1; b < documents.size(); ++b) {
            if (evidence[b] <= 0) continue;
            const Likeness likeness{evidence[b] / std::min(worth[a], worth[b]), evidence[b]};
            if (common.is_worth_a_look(likeness)) found({a, b, likeness});
        }
    }
}

void Rings::add(const Alike& pair) {
    for (const std::size_t one : {pair.a, pair.b}) {
        Member& member = members_.try_emplace(one, Member{one, 0, pair}).first->second;
        member.likeness_to_others += pair.likeness.share;
        if (member.closest.likeness.share < pair.likeness.share) member.closest = pair;
    }
    members_.at(root_of(pair.a)).parent = root_of(pair.b);
}

std::size_t Rings::root_of(std::size_t document) {
    std::size_t root = document;
    while (members_.at(root).parent != root) root = members_.at(root).parent;
    while (document != root) document = std::exchange(members_.at(document).parent, root);
    return root;
}

std::vector<Ring> Rings::take() {
    std::map<std::size_t, Ring> by_root;
    for (const auto& [document, member] : members_) {
        Ring& ring = by_root[root_of(document)];
        if (ring.members.empty() || members_.at(ring.centre).likeness_to_others < member.likeness_to_others)
            ring.centre = document;
        ring.members.push_back(document);
        ring.closest.push_back(member.closest);
    }
    std::vector<Ring> rings;
    for (auto& [root, ring] : by_root) rings.push_back(std::move(ring));
    std::ranges::stable_sort(rings, std::ranges::greater{}, [](const Ring& ring) { return ring.members.size(); });
    return rings;
}

}  // namespace headway::classroom
