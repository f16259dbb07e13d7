#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <memory>
#include <sstream>
#include <string>

namespace headway::cli {

/// `--help` within 80 columns: CLI11 2.1 wraps no description.
class HelpFormatter : public CLI::Formatter {
public:
    /// @param left  columns of the options' names
    explicit HelpFormatter(std::size_t left) : room_(80 - left) { column_width(left); }

    std::string make_option_desc(const CLI::Option* option) const override {
        return wrapped(CLI::Formatter::make_option_desc(option));
    }

    std::string make_subcommand(const CLI::App* command) const override {
        std::ostringstream out;
        CLI::detail::format_help(out, command->get_display_name(true), wrapped(command->get_description()),
                                 column_width_);
        return out.str();
    }

private:
    std::string wrapped(const std::string& text) const {
        std::string all;
        std::size_t used = 0;
        std::istringstream words(text);
        for (std::string word; words >> word;) {
            const bool fits = used == 0 || used + 1 + word.size() <= room_;
            if (used > 0) all += fits ? ' ' : '\n';
            used = (fits && used > 0 ? used + 1 : 0) + word.size();
            all += word;
        }
        return all;
    }

    std::size_t room_;
};

inline void set_help(CLI::App& app, std::size_t left) { app.formatter(std::make_shared<HelpFormatter>(left)); }

}  // namespace headway::cli
