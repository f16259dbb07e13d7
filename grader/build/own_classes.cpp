#include "build/own_classes.hpp"

#include "submission/source_words.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

namespace headway::build {
namespace {

/// Of one class: nobody's has more, and a file may be nothing else.
constexpr std::size_t most_functions = 1000;

std::size_t closing(const std::vector<Word>& words, std::size_t open, std::string_view opens, std::string_view closes) {
    std::size_t depth = 0;
    for (std::size_t i = open; i < words.size(); ++i) {
        if (words[i].text == opens) ++depth;
        if (words[i].text == closes && --depth == 0) return i;
    }
    return words.size();
}

/// The functions that the words between `begin` and `end`, the inside of a class, declare.
void read_functions(OwnClass& known, const std::vector<Word>& words, std::size_t begin, std::size_t end,
                    const std::string& file) {
    std::size_t read = 0;
    for (std::size_t i = begin; i < end && read < most_functions; ++i) {
        if (words[i].text == "{") i = closing(words, i, "{", "}");
        if (i < end && words[i].text == "(") i = closing(words, i, "(", ")");
        if (i + 1 >= end || !words[i].is_name() || words[i + 1].text != "(") continue;
        const std::string& before = words[i - 1].text;  // the type that it returns
        if (!words[i - 1].is_name() && before != "&" && before != "*" && before != ">") continue;
        const std::size_t close = closing(words, i + 1, "(", ")");
        OwnMember member{.file = file, .line = words[i].line, .parameters = types_in(words, i + 1, close)};
        std::size_t last = close;
        for (; last + 1 < end && words[last + 1].text != "{" && words[last + 1].text != ";"; ++last) {
            member.is_const |= words[last + 1].text == "const";
            member.is_pure |= words[last + 1].text == "=" && last + 2 < end && words[last + 2].text == "0";
        }
        known.functions[words[i].text].push_back(std::move(member));
        ++read;
        i = last;
    }
}

void read_class(OwnClass& known, const std::string& name, const std::vector<Word>& words, const std::string& file) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if ((words[i].text != "class" && words[i].text != "struct") || words[i + 1].text != name) continue;
        known.is_declared = true;
        i += 2;
        while (i < words.size() && words[i].text != "{" && words[i].text != ";") ++i;
        if (i >= words.size() || words[i].text == ";") continue;
        const std::size_t end = closing(words, i, "{", "}");
        read_functions(known, words, i + 1, end, file);
        i = end;
    }
}

}  // namespace

Types types_in(const std::vector<Word>& words, std::size_t open, std::size_t close) {
    Types types;
    bool is_default = false, is_after_headway = false;
    const auto end_one = [&] {
        is_default = false;
        if (types.empty() || types.back().size() < 2) return;
        std::vector<std::string>& type = types.back();
        const std::string& before = type[type.size() - 2];
        const bool follows_a_type = Word{before}.is_name() ? before != "const" : before != ":";
        if (Word{type.back()}.is_name() && type.back() != "const" && follows_a_type) type.pop_back();
    };
    int depth = 0;
    for (std::size_t i = open + 1; i < close; ++i) {
        const std::string& text = words[i].text;
        if (text == "<" || text == "(" || text == "{") ++depth;
        if (text == ">" || text == ")" || text == "}") --depth;
        if (text == "," && depth == 0) {
            end_one();
            types.emplace_back();
            continue;
        }
        is_default |= text == "=";
        is_after_headway = text == "headway" || (is_after_headway && text == ":");
        if (is_default || is_after_headway) continue;
        if (types.empty()) types.emplace_back();
        types.back().push_back(text);
    }
    end_one();
    return types;
}

const std::vector<OwnMember>& OwnClass::named(const std::string& function) const {
    static const std::vector<OwnMember> none;
    const auto found = functions.find(function);
    return found == functions.end() ? none : found->second;
}

const OwnClass& OwnClasses::find(const std::string& name) {
    const auto [known, is_new] = known_.try_emplace(name);
    if (is_new)
        for (const SourceFile& file : files_)
            read_class(known->second, name, words_.of(file.path.string()).words, file.path.string());
    return known->second;
}

}  // namespace headway::build
