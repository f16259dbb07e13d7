#include "classroom/side_by_side.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <sstream>
#include <unordered_map>

namespace headway::classroom {
namespace {

constexpr std::size_t most_searched = 6000;  ///< that are searched for passages
constexpr std::size_t most_places = 32;      ///< of one run: what stands at more is a pattern of the language
constexpr std::size_t most_lines = 600;      ///< that are shown of a program

using Runs = std::vector<std::uint64_t>;

/// From a run that is in both, as far as both go on alike. Only where it begins: what it continues was found before.
std::vector<Passage> longest_matches(const std::vector<Token>& a, const Runs& runs_a, const Runs& runs_b) {
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> places;
    for (std::size_t j = 0; j < runs_b.size(); ++j)
        if (runs_b[j] != 0 && places[runs_b[j]].size() < most_places) places[runs_b[j]].push_back(j);
    std::vector<Passage> found;
    for (std::size_t i = 0; i < runs_a.size() && i < a.size(); ++i) {
        const auto known = places.find(runs_a[i]);
        if (known == places.end()) continue;
        for (const std::size_t j : known->second) {
            if (i > 0 && j > 0 && runs_a[i - 1] != 0 && runs_a[i - 1] == runs_b[j - 1]) continue;
            std::size_t runs = 1;
            while (i + runs < runs_a.size() && j + runs < runs_b.size() && runs_a[i + runs] != 0 &&
                   runs_a[i + runs] == runs_b[j + runs])
                ++runs;
            found.push_back({i, j, runs + run_length - 1});
        }
    }
    std::ranges::stable_sort(found, std::ranges::greater{}, &Passage::length);
    return found;
}

/// Takes each token once.
class Tiles {
public:
    Tiles(std::size_t tokens_a, std::size_t tokens_b) : taken_a_(tokens_a), taken_b_(tokens_b) {}

    /// The free part of a match that begins first, if it is a run or more.
    void lay(const Passage& match) {
        std::size_t begin = 0;
        while (begin < match.length && is_taken(match, begin)) ++begin;
        std::size_t end = begin;
        while (end < match.length && !is_taken(match, end)) ++end;
        if (end - begin < run_length) return;
        tiles_.push_back({match.a + begin, match.b + begin, end - begin});
        for (std::size_t k = begin; k < end; ++k) taken_a_[match.a + k] = taken_b_[match.b + k] = true;
    }

    std::vector<Passage> take() { return std::move(tiles_); }

private:
    bool is_taken(const Passage& match, std::size_t k) const { return taken_a_[match.a + k] || taken_b_[match.b + k]; }

    std::vector<bool> taken_a_;
    std::vector<bool> taken_b_;
    std::vector<Passage> tiles_;
};

bool is_given(const Passage& passage, const Runs& runs, const CommonKnowledge& common) {
    for (std::size_t i = passage.a; i + run_length <= passage.a + passage.length; ++i)
        if (common.weight(runs[i]) > 0) return false;
    return true;
}

/// How many tokens of each passage are on a line; in the end, the passage of the line.
using Places = std::map<std::pair<std::size_t, int>, std::map<std::optional<std::size_t>, std::size_t>>;

Places places_of(const std::vector<Token>& tokens, const std::vector<Passage>& passages, std::size_t Passage::*begin) {
    std::vector<std::optional<std::size_t>> passage_of(tokens.size());
    for (std::size_t p = 0; p < passages.size(); ++p)
        std::fill_n(passage_of.begin() + static_cast<std::ptrdiff_t>(passages[p].*begin), passages[p].length, p);
    Places places;
    for (std::size_t i = 0; i < tokens.size(); ++i) ++places[{tokens[i].file, tokens[i].line}][passage_of[i]];
    return places;
}

std::vector<MarkedFile> marked(const std::vector<build::SourceFile>& files, const Places& places) {
    std::vector<MarkedFile> result;
    std::size_t shown = 0;
    for (std::size_t file = 0; file < files.size(); ++file) {
        MarkedFile& one = result.emplace_back(MarkedFile{files[file].path.string(), {}, false});
        std::istringstream lines(files[file].text);
        int number = 0;
        for (std::string line; std::getline(lines, line); ++shown) {
            one.cut_off = shown >= most_lines;
            if (one.cut_off) break;
            if (line.ends_with('\r')) line.pop_back();
            one.lines.push_back({line, {}});
            const auto place = places.find({file, ++number});
            if (place == places.end()) continue;
            const auto most = std::ranges::max_element(place->second, {}, [](const auto& part) { return part.second; });
            one.lines.back().passage = most->first;
        }
    }
    return result;
}

}  // namespace

std::vector<Passage> passages_of(const std::vector<Token>& a, const std::vector<Token>& b,
                                 const CommonKnowledge& common) {
    const Runs runs_a = runs_of(a);
    Tiles tiles(a.size(), b.size());
    for (const Passage& match : longest_matches(a, runs_a, runs_of(b))) tiles.lay(match);
    std::vector<Passage> passages = tiles.take();
    std::erase_if(passages, [&](const Passage& passage) { return is_given(passage, runs_a, common); });
    return passages;
}

SideBySide compare(const std::vector<build::SourceFile>& a, const std::vector<build::SourceFile>& b,
                   const GivenNames& names, const CommonKnowledge& common) {
    std::vector<Token> tokens_a = tokens_of(a, names);
    std::vector<Token> tokens_b = tokens_of(b, names);
    tokens_a.resize(std::min(tokens_a.size(), most_searched));
    tokens_b.resize(std::min(tokens_b.size(), most_searched));
    std::vector<Passage> passages = passages_of(tokens_a, tokens_b, common);
    std::ranges::sort(passages, {}, &Passage::a);
    return {marked(a, places_of(tokens_a, passages, &Passage::a)),
            marked(b, places_of(tokens_b, passages, &Passage::b))};
}

}  // namespace headway::classroom
