#include "build/source_lines.hpp"

#include "submission/endless_numbers.hpp"
#include "submission/loops.hpp"
#include "submission/words_of_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace headway::build {
namespace {

namespace fs = std::filesystem;

/// Of a source line: what is longer would drown what is told with it.
constexpr std::size_t most_text = 200;

/// A file may be one line, and what names it may name it thousands of times.
constexpr std::size_t longest_line = 4096;

/// That are kept with what they mean: a compiler says some of them again and again.
constexpr std::size_t most_names_kept = 1000;

/// No file that was handed in has a longer one, nor does anybody include one by so many parts: "./a/../b/c.hpp".
constexpr std::size_t longest_name = 4096;
constexpr int most_parts_of_a_name = 64;

bool has_many_parts(std::string_view name) {
    int parts = 1;
    for (std::size_t at = name.find('/'); at != std::string::npos && parts <= most_parts_of_a_name;
         at = name.find('/', at + 1))
        ++parts;
    return parts > most_parts_of_a_name;
}

std::string_view without_space_around(std::string_view text) {
    constexpr std::string_view space = " \t\r\v\f";
    const std::size_t begin = text.find_first_not_of(space);
    return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(space) + 1 - begin);
}

/// Not within a character.
std::string cut(std::string_view text) {
    if (text.size() <= most_text) return std::string(text);
    std::size_t end = most_text;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string(text.substr(0, end)) + " …";
}

/// What follows a last line end is no line.
std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// "./merge_heads.cpp:41 (discriminator 2)" as name and number; number 0 where there is none.
std::pair<std::string, int> name_and_number(std::string_view printed) {
    printed = printed.substr(0, printed.find(" (discriminator "));
    const std::size_t colon = printed.rfind(':');
    if (colon == std::string_view::npos) return {};
    const std::string_view digits = printed.substr(colon + 1);
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size()) return {};
    return {std::string(printed.substr(0, colon)), number};
}

/// Whether this is the line with which what is told of the address begins.
bool announces(std::string_view printed, std::int64_t address) {
    if (!printed.starts_with("0x")) return false;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(printed.data() + 2, printed.data() + printed.size(), number, 16);
    return error == std::errc() && end == printed.data() + printed.size() && number == address;
}

/// Whether a line throws words that it was given: "void fail(const std::string& why) { throw std::runtime_error(why);
/// }". Which of its checks failed is known where that function was called.
bool passes_words_on(std::string_view line) {
    const std::size_t begin = line.find("throw ");
    if (begin == std::string_view::npos) return false;
    const std::string_view statement = line.substr(begin, line.find(';', begin) - begin + 1);
    return statement.ends_with(");") && !statement.ends_with("();") && statement.find('"') == std::string_view::npos;
}

/// Of functions whose loops are looked at, over all ways together: each loop of each is read many times.
constexpr std::size_t most_words_looked_at = 200'000;

/// In this order it is what never ends.
enum class Rank : std::size_t { endless, may_be_endless, steps, counts, has_loops };
constexpr std::size_t ranks = 5;

/// What goes round at a line: read once, however many ways lead there.
class LoopsOfLines {
public:
    using Heads = std::vector<std::pair<Rank, verdict::SourceLine>>;

    explicit LoopsOfLines(const SourceLines& own) : own_(own) {}

    const Heads& around(const verdict::SourceLine& line) {
        const auto [known, is_new] = known_.try_emplace({line.file, line.line});
        if (is_new) known->second = read(line);
        return known->second;
    }

private:
    Heads read(const verdict::SourceLine& line) {
        Heads heads;
        const auto function = own_.function_around(line);
        if (!function || !function->may_repeat() || function->words.size() > words_left_) return heads;
        words_left_ -= function->words.size();
        const std::vector<Loop> loops = loops_around(*function, line.line);
        const auto note_head = [&](Rank rank, const Loop& loop) {
            if (auto head = own_.at(line.file, loop.line)) heads.emplace_back(rank, std::move(*head));
        };
        for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
            if (loop->ends == Loop::Ends::never_by_head) note_head(Rank::endless, *loop);
            if (loop->ends == Loop::Ends::perhaps) note_head(Rank::may_be_endless, *loop);
            if (loop->ends == Loop::Ends::counts && variable_step(*function, loop->line)) note_head(Rank::steps, *loop);
        }
        // One that counts within another one ends: if any does not, it is the outer one.
        for (const Loop& loop : loops)
            if (loop.ends == Loop::Ends::counts && !goes_through_a_list(*function, loop.line))
                note_head(Rank::counts, loop);
        if (function->calls_itself()) heads.emplace_back(Rank::may_be_endless, line);
        heads.emplace_back(Rank::has_loops, line);
        return heads;
    }

    const SourceLines& own_;
    std::size_t words_left_ = most_words_looked_at;
    std::map<std::pair<std::string, int>, Heads> known_;
};

/// What goes round where a call of one's own was.
class GoingRound {
public:
    void look_at(const verdict::SourceLine& line, LoopsOfLines& loops) {
        if (seen_.size() == most_lines || !seen_.insert({line.file, line.line}).second) return;
        for (const auto& [rank, head] : loops.around(line)) {
            auto& found = found_[static_cast<std::size_t>(rank)];
            if (!found) found = head;
        }
    }

    std::optional<verdict::SourceLine> found() && {
        for (auto& one : found_)
            if (one) return std::move(one);
        return {};
    }

private:
    static constexpr std::size_t most_lines = 32;

    std::array<std::optional<verdict::SourceLine>, ranks> found_;
    std::set<std::pair<std::string, int>> seen_;
};

/// What is told of one way, call by call.
class Search {
public:
    Search(const SourceLines& own, LoopsOfLines& loops) : own_(own), loops_(loops) {}

    void look_at(std::string_view printed) {
        if (printed.size() > longest_name) return;
        auto [name, number] = name_and_number(printed);
        auto line = own_.get().at(name, number);
        if (line) going_round_.look_at(*line, loops_.get());
        if (line && found_ && !wants_caller_ && found_->callers.size() < most_callers) found_->callers.push_back(*line);
        if (line && (!found_ || wants_caller_)) {
            wants_caller_ = !found_ && is_first_ && passes_words_on(line->text);
            found_ = ThrowSite{std::move(*line), found_ ? found_->is_the_throw : is_first_};
        }
        is_first_ = false;
    }

    std::optional<ThrowSite> found() && {
        if (!found_) return {};
        found_->line = own_.get().with_left_side(std::move(found_->line));
        if (auto in_loop = std::move(going_round_).found())
            found_->in_loop = own_.get().with_left_side(std::move(*in_loop));
        return std::move(found_);
    }

private:
    static constexpr std::size_t most_callers = 16;

    std::reference_wrapper<const SourceLines> own_;
    std::reference_wrapper<LoopsOfLines> loops_;
    std::optional<ThrowSite> found_;
    GoingRound going_round_;
    bool is_first_ = true;
    bool wants_caller_ = false;
};

}  // namespace

SourceLines::SourceLines(const std::vector<SourceFile>& files) : given_(&files) {
    for (const SourceFile& file : files) files_[file.path.string()].text = file.text;
}

std::map<std::string, SourceLines::File>::iterator SourceLines::find(std::string_view name) const {
    if (name.size() > longest_name || has_many_parts(name)) return files_.end();
    const auto known = names_.find(name);
    if (known != names_.end()) return known->second;
    const auto found = files_.find(fs::path(name).lexically_normal().string());
    if (names_.size() < most_names_kept) names_.emplace(name, found);
    return found;
}

std::optional<std::string_view> SourceLines::whole(std::string_view name, int line) const {
    const auto found = find(name);
    if (found == files_.end() || line < 1) return {};
    File& file = found->second;
    if (file.lines.empty()) file.lines = lines_of(file.text);
    const auto index = static_cast<std::size_t>(line) - 1;
    return index < file.lines.size() ? std::optional(file.lines[index].substr(0, longest_line)) : std::nullopt;
}

std::optional<verdict::SourceLine> SourceLines::at(std::string_view name, int line) const {
    const auto text = whole(name, line);
    if (!text) return {};
    return verdict::SourceLine{find(name)->first, line, cut(without_space_around(*text))};
}

verdict::SourceLine SourceLines::with_left_side(verdict::SourceLine line) const {
    const auto before = whole(line.file, line.line - 1);
    if (!before) return line;
    const std::string_view left = without_space_around(before->substr(0, before->find("//")));
    if (!left.ends_with('=')) return line;
    return {std::move(line.file), line.line - 1, cut(std::string(left) + " " + line.text)};
}

std::optional<FunctionAround> SourceLines::function_around(const verdict::SourceLine& line) const {
    const auto found = find(line.file);
    if (found == files_.end()) return {};
    if (!is_read_) is_read_ = is_read_for_advice(*given_);
    if (!*is_read_) return {};
    File& file = found->second;
    if (!file.functions) file.functions.emplace(file.text);
    return file.functions->around(line.line);
}

std::optional<verdict::SourceLine> source_line(const std::vector<SourceFile>& files, const std::string& name,
                                               int line) {
    return SourceLines(files).at(name, line);
}

std::vector<std::optional<ThrowSite>> throw_sites(const std::string& printed, const std::vector<WayToThrow>& ways,
                                                  const std::vector<SourceFile>& files) {
    struct Call {
        std::int64_t address;
        Search* search;
    };
    const SourceLines own(files);
    LoopsOfLines loops(own);
    std::vector<Search> searches(ways.size(), Search(own, loops));
    std::vector<Call> calls;
    for (std::size_t i = 0; i < ways.size(); ++i)
        for (const std::int64_t address : ways[i]) calls.push_back({address, &searches[i]});
    std::size_t announced = 0;
    std::istringstream lines(printed);
    for (std::string line; std::getline(lines, line);) {
        if (announced < calls.size() && announces(line, calls[announced].address))
            ++announced;
        else if (announced > 0)
            calls[announced - 1].search->look_at(line);
    }
    std::vector<std::optional<ThrowSite>> sites;
    sites.reserve(searches.size());
    for (Search& search : searches) sites.push_back(std::move(search).found());
    return sites;
}

}  // namespace headway::build
