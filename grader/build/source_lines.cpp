#include "build/source_lines.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace headway::build {
namespace {

namespace fs = std::filesystem;

/// Of a source line: what is longer would drown what is told with it.
constexpr std::size_t most_text = 200;

/// No file that was handed in has a longer one.
constexpr std::size_t longest_name = 4096;

std::string without_space_around(const std::string& text) {
    constexpr const char* space = " \t\r\v\f";
    const std::size_t begin = text.find_first_not_of(space);
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(space) + 1 - begin);
}

/// Not within a character.
std::string cut(std::string text) {
    if (text.size() <= most_text) return text;
    std::size_t end = most_text;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return text.substr(0, end) + " …";
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

/// What is told of one way, call by call.
class Search {
public:
    explicit Search(const std::vector<SourceFile>& files) : files_(files) {}

    void look_at(std::string_view printed) {
        if (found_ || printed.size() > longest_name) return;
        auto [name, number] = name_and_number(printed);
        if (auto line = source_line(files_, name, number)) found_ = ThrowSite{std::move(*line), is_first_};
        is_first_ = false;
    }

    std::optional<ThrowSite> found() && { return std::move(found_); }

private:
    std::reference_wrapper<const std::vector<SourceFile>> files_;
    std::optional<ThrowSite> found_;
    bool is_first_ = true;
};

}  // namespace

std::optional<verdict::SourceLine> source_line(const std::vector<SourceFile>& files, const std::string& name,
                                               int line) {
    const fs::path path = fs::path(name).lexically_normal();
    const auto file = std::find_if(files.begin(), files.end(), [&](const SourceFile& one) { return one.path == path; });
    if (file == files.end() || line < 1) return {};
    std::istringstream lines(file->text);
    std::string text;
    for (int number = 0; number < line; ++number)
        if (!std::getline(lines, text)) return {};
    return verdict::SourceLine{file->path.string(), line, cut(without_space_around(text))};
}

std::vector<std::optional<ThrowSite>> throw_sites(const std::string& printed, const std::vector<WayToThrow>& ways,
                                                  const std::vector<SourceFile>& files) {
    struct Call {
        std::int64_t address;
        Search* search;
    };
    std::vector<Search> searches(ways.size(), Search(files));
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
    for (Search& search : searches) sites.push_back(std::move(search).found());
    return sites;
}

}  // namespace headway::build
