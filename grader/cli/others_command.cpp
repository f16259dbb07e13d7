#include "cli/commands.hpp"
#include "cli/reveal.hpp"
#include "submission/digest.hpp"
#include "terminal/console.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_shown = 2;

/// A right program in another style.
struct Variant {
    std::string name;
    std::string style;  ///< what is different in it
    toml::source_index line = 0;
};

/// In the order of the file: the first ones are worth reading most.
std::vector<Variant> variants_in(const fs::path& folder) {
    std::vector<Variant> variants;
    for (const auto& [name, style] : toml::parse_file((folder / "accepted.toml").string()))
        variants.push_back({std::string(name.str()), style.value_or(std::string()), style.source().begin.line});
    std::ranges::sort(variants, {}, &Variant::line);
    return variants;
}

void show(report::Page& page, const Variant& variant, const fs::path& folder) {
    page.line(0, {{variant.name, report::Tone::strong}});
    page.paragraph({.indent = 2}, {{variant.style}});
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        page.blank();
        page.line(0, {{file.lexically_relative(folder).string(), report::Tone::faint}});
        page.quote(0, build::read_file(file), report::unlimited, report::Page::LongLines::wrapped);
    }
    page.blank();
}

}  // namespace

int run_others(const Course& course, const std::string& exercise, Reveal reveal) {
    const ExerciseInfo& info = course.find(exercise);
    const fs::path folder = course.root / "tests" / "accepted" / info.name;
    if (!fs::exists(folder / "accepted.toml"))
        throw UsageError(
            fmt::format("this copy of the course has no other programs for {}: they are in the full edition, "
                        "in tests/accepted/{}. Ask the person who gave it to you.",
                        info.number, info.name));
    if (!may_be_shown(course, info, reveal, "others", "two right programs in other styles")) return some_did_not_pass;
    const std::vector<Variant> all = variants_in(folder);
    const auto rest = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most_shown));
    report::Page page(terminal_style());
    for (auto variant = all.begin(); variant != rest; ++variant)
        show(page, *variant, folder / variant->name / info.name);
    if (rest != all.end())
        page.line(0, {{fmt::format("Right as well, in {}:", folder.lexically_relative(course.root).string())}});
    for (auto variant = rest; variant != all.end(); ++variant)
        page.paragraph({.indent = 2, .hanging = 2}, {{variant->name, report::Tone::strong}, {": " + variant->style}});
    fmt::print("{}", page.take());
    return all_passed;
}

}  // namespace headway::cli
