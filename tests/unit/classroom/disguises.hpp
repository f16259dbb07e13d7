#pragma once

#include "classroom/program_tokens.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/// What people do to a program so that it does not look like the one that they have it from. The results need not
/// compile: they are compared, not run.
namespace headway::classroom {

class Disguise {
public:
    /// @param fixed  names that cannot be changed: the library's and the exercise's functions
    Disguise(unsigned seed, GivenNames fixed) : random_(seed), fixed_(std::move(fixed)) {}

    /// Local names, in all but directives; texts become other ones, comments go.
    std::string rename(const std::string& text) {
        static const std::regex word(R"re(//[^\n]*|"(\\.|[^"\\\n])*"|#[^\n]*|[A-Za-z_]\w*)re");
        std::map<std::string, std::string> names;
        return replace(text, word, [&](const std::string& found) {
            if (found.starts_with("//")) return std::string("// mine");
            if (found.front() == '#') return found;
            if (found.front() == '"') return "\"other " + std::to_string(random_() % 100) + "\"";
            if (is_fixed(found)) return found;
            return names.try_emplace(found, "q" + std::to_string(names.size())).first->second;
        });
    }

    /// Each line's indentation and spaces; braces around one-line bodies; `auto` for a type or a type for `auto`.
    std::string reformat(const std::string& text) const {
        const std::string braces =
            std::regex_replace(text, std::regex("(\\) )([^\\s{};][^;\n{}]*;)\n"), "$1{\n$2\n}\n");
        const std::string types =
            std::regex_replace(braces, std::regex("\\b(const )?(Tensor|float|double|Index) (\\w+ = )"), "auto $3");
        return std::regex_replace(types, std::regex("\n +"), "\n\t");
    }

    /// Functions, told by the empty lines between them.
    std::string reorder(const std::string& text) {
        std::vector<std::string> parts;
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = std::min(text.find("\n\n", begin), text.size());
            parts.push_back(text.substr(begin, end - begin) + "\n\n");
            begin = end + 2;
        }
        if (parts.size() > 3) std::shuffle(parts.begin() + 1, parts.end() - 1, random_);
        std::string result;
        for (const std::string& part : parts) result += part;
        return result;
    }

    /// Statements that follow each other: `share` of those that could be swapped are.
    std::string swap(const std::string& text, double share) {
        std::vector<std::string> lines = lines_of(text);
        for (std::size_t i = 0; i + 1 < lines.size(); ++i)
            if (is_statement(lines[i]) && is_statement(lines[i + 1]) && chance(share)) {
                std::swap(lines[i], lines[i + 1]);
                ++i;
            }
        return joined(lines);
    }

    /// After `share` of the statements, one that does nothing.
    std::string stuff(const std::string& text, double share) {
        constexpr std::array dead = {"int unused# = 0; (void)unused#;",  "if (false) return {};",
                                     "double t# = 3.0 * 2.0;",           "auto check# = 1 + 2;",
                                     "static int calls# = 0; ++calls#;", "for (int z# = 0; z# < 0; ++z#) {}"};
        std::vector<std::string> lines;
        for (const std::string& line : lines_of(text)) {
            lines.push_back(line);
            if (is_statement(line) && chance(share))
                lines.push_back(
                    std::regex_replace(dead[random_() % dead.size()], std::regex("#"), std::to_string(lines.size())));
        }
        return joined(lines);
    }

    /// All of them.
    std::string everything(const std::string& text, double share) {
        return stuff(swap(reformat(reorder(rename(text))), share), share);
    }

private:
    template <class Function>
    static std::string replace(const std::string& text, const std::regex& pattern, const Function& with) {
        std::string result;
        std::size_t end = 0;
        for (std::sregex_iterator match(text.begin(), text.end(), pattern), last; match != last; ++match) {
            const auto begin = static_cast<std::size_t>(match->position());
            result += text.substr(end, begin - end) + with(match->str());
            end = begin + static_cast<std::size_t>(match->length());
        }
        return result + text.substr(end);
    }

    bool is_fixed(const std::string& name) const {
        static const std::regex language(
            "auto|int|float|double|long|char|bool|void|for|while|do|if|else|return|switch|case|break|continue|new|"
            "delete|"
            "struct|class|template|using|namespace|try|catch|throw|operator|sizeof|const|static|inline|constexpr|true|"
            "false|nullptr|this|unsigned|typename|public|private|\\w*_cast|std|headway|ex\\d\\d|Tensor|Index|Shape|"
            "Strides|Mask|KeepAxis|invalid_argument|vector|string|size_t");
        return fixed_.contains(name) || std::regex_match(name, language);
    }

    static bool is_statement(const std::string& line) {
        return line.ends_with(";") && line.find("return") == std::string::npos &&
               line.find("using") == std::string::npos && !line.starts_with("#") &&
               (line.starts_with(" ") || line.starts_with("\t"));
    }
    bool chance(double share) { return std::uniform_real_distribution<>(0, 1)(random_) < share; }
    static std::vector<std::string> lines_of(const std::string& text) {
        std::vector<std::string> lines;
        std::istringstream stream(text);
        for (std::string line; std::getline(stream, line);) lines.push_back(line);
        return lines;
    }
    static std::string joined(const std::vector<std::string>& lines) {
        std::string text;
        for (const std::string& line : lines) text += line + "\n";
        return text;
    }

    std::mt19937 random_;
    GivenNames fixed_;
};

}  // namespace headway::classroom
