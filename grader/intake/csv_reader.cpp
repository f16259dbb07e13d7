#include "intake/csv_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace headway::intake {
namespace {

/// Of the first line that has one, outside quotes. Of as many, the rarer in text.
char separator_of(std::string_view text) {
    constexpr std::array<char, 3> separators = {'\t', ';', ','};
    std::array<std::size_t, separators.size()> counts{};
    bool quoted = false;
    for (const char c : text) {
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if ((c == '\n' || c == '\r') && *std::ranges::max_element(counts) > 0) break;
        for (std::size_t i = 0; i < separators.size(); ++i) counts.at(i) += c == separators.at(i) ? 1 : 0;
    }
    return separators.at(static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin()));
}

class Reading {
public:
    explicit Reading(std::string_view text) : text_(text), separator_(separator_of(text)) {}

    std::vector<CsvRow> run() {
        while (at_ < text_.size()) {
            CsvRow row{line_, {}};
            do row.fields.push_back(field());
            while (take(separator_));
            take_line_end();
            const bool is_blank = std::ranges::all_of(
                row.fields, [](const std::string& one) { return one.find_first_not_of(' ') == std::string::npos; });
            if (!is_blank) rows_.push_back(std::move(row));
        }
        return std::move(rows_);
    }

private:
    bool is_at(char c) const { return at_ < text_.size() && text_[at_] == c; }
    bool take(char c) {
        if (!is_at(c)) return false;
        ++at_;
        return true;
    }
    bool is_at_end_of_field() const { return at_ == text_.size() || is_at(separator_) || is_at('\n') || is_at('\r'); }

    void take_line_end() {
        if (at_ == text_.size()) return;
        if (take('\r'))
            take('\n');
        else
            take('\n');
        ++line_;
    }

    std::string field() {
        if (take('"')) return quoted();
        const std::size_t begin = at_;
        while (!is_at_end_of_field()) {
            if (text_[at_] == '"')
                throw CsvError(
                    fmt::format("line {}: a quotation mark inside a field; put the whole field in quotation "
                                "marks, and write each one inside it twice",
                                line_));
            if (text_[at_] == '\0') throw CsvError(fmt::format("line {}: this is no text", line_));
            ++at_;
        }
        return std::string(text_.substr(begin, at_ - begin));
    }

    std::string quoted() {
        const std::size_t begins = line_;
        std::string field;
        for (;;) {
            if (at_ == text_.size())
                throw CsvError(fmt::format("line {}: a quotation mark opens here, and none closes it", begins));
            const char c = text_[at_++];
            if (c == '"' && !take('"')) break;
            if (c == '\0') throw CsvError(fmt::format("line {}: this is no text", line_));
            if (c == '\n') ++line_;
            field += c;
        }
        if (!is_at_end_of_field())
            throw CsvError(fmt::format("line {}: something follows the quotation mark that closes a field", line_));
        return field;
    }

    std::string_view text_;
    char separator_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::vector<CsvRow> rows_;
};

}  // namespace

std::vector<CsvRow> read_csv(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    return Reading(text).run();
}

}  // namespace headway::intake
