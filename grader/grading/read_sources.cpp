#include "grading/read_sources.hpp"

#include "submission/function_places.hpp"
#include "submission/source_words.hpp"
#include "submission/words_of_files.hpp"

#include <algorithm>

namespace headway::cli {

bool ReadSources::are_read() const {
    if (!are_read_) are_read_ = build::is_read_for_advice(files_);
    return *are_read_;
}

const std::optional<build::FoundAt>& ReadSources::definition_of(const std::string& function) const {
    const auto [known, is_new] = defined_.try_emplace(function);
    if (is_new && are_read()) known->second = build::definition_of(function, files_);
    return known->second;
}

const std::vector<build::DefinedFunction>& ReadSources::functions_of(const std::string& file) const {
    const auto [known, is_new] = functions_.try_emplace(file);
    const auto found = std::ranges::find(files_, file, [](const auto& one) { return one.path.string(); });
    if (is_new && found != files_.end() && are_read()) known->second = build::functions_defined_in(found->text);
    return known->second;
}

const std::vector<build::Word>& ReadSources::words_of(const std::string& file) const {
    const auto [known, is_new] = words_.try_emplace(file);
    const auto found = std::ranges::find(files_, file, [](const auto& one) { return one.path.string(); });
    if (is_new && found != files_.end() && are_read()) known->second = build::words_without_directives(found->text);
    return known->second;
}

const std::optional<ReadSources::MaskReader>& ReadSources::mask_reader_around(const verdict::SourceLine& line) const {
    const auto [known, is_new] = mask_readers_.try_emplace({line.file, line.line});
    if (!is_new) return known->second;
    if (const auto function = lines_.function_around(line))
        known->second = MaskReader{function->name, build::unasked_mask_read(*function)};
    return known->second;
}

}  // namespace headway::cli
