#include "build/abstract_class.hpp"

#include "build/plain_words.hpp"
#include "submission/source_words.hpp"
#include "verdict/phrases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace headway::build {
namespace {

/// Of the functions that are missing: more would drown what is to be done.
constexpr std::size_t most_told = 3;

/// Whether a function has a const at its end, where that is known.
using IsConst = std::optional<bool>;

struct PureFunction {
    std::string name;
    std::string parameters;  ///< with their brackets; empty where the compiler does not tell them
    IsConst is_const;
};

/// What stands between the first two single quotes.
std::string quoted_in(const std::string& text) {
    const std::size_t begin = text.find('\'');
    const std::size_t end = begin == std::string::npos ? begin : text.find('\'', begin + 1);
    return end == std::string::npos ? "" : text.substr(begin + 1, end - begin - 1);
}

/// "ex05::{anonymous}::Layer<int>" -> "Layer"
std::string last_name_of(const std::string& qualified) {
    const std::string plain = qualified.substr(0, qualified.find('<'));
    const std::size_t colon = plain.rfind("::");
    return colon == std::string::npos ? plain : plain.substr(colon + 2);
}

/// "virtual Tensor Layer::weights(const Tensor&, Index) const", or a line of a header that may end early.
std::optional<PureFunction> function_in(const std::string& declaration) {
    const std::size_t open = declaration.find('(');
    if (open == std::string::npos) return {};
    const std::string before = declaration.substr(0, open);
    const std::size_t begin = before.find_last_of(" :*&~");
    PureFunction function{
        .name = before.substr(begin == std::string::npos ? 0 : begin + 1), .parameters = {}, .is_const = {}};
    int depth = 0;
    for (std::size_t i = open; i < declaration.size(); ++i) {
        if (declaration[i] == '(') ++depth;
        if (declaration[i] != ')' || --depth > 0) continue;
        function.parameters = declaration.substr(open, i + 1 - open);
        function.is_const = declaration.find("const", i) != std::string::npos;
        break;
    }
    return function.name.empty() ? std::nullopt : std::optional(std::move(function));
}

/// As clang++ tells it: the name, and the line of its declaration.
PureFunction of_clang(const CompilerWords& note, const std::string& name) {
    const std::string declaration = note.quotes.empty() ? "" : shortened(note.quotes.front().text);
    const auto function = function_in(declaration);
    return function && function->name == name ? *function : PureFunction{name, {}, {}};
}

struct AbstractClass {
    std::string name;
    std::vector<PureFunction> functions;
};

AbstractClass abstract_class_of(const CompilerWords& words) {
    constexpr std::string_view of_gcc = "virtual functions are pure within ";
    constexpr std::string_view unimplemented = "unimplemented pure virtual method ";
    AbstractClass abstract;
    for (const CompilerWords& note : words.notes) {
        const std::string text = shortened(note.text);
        if (const std::size_t at = text.find(of_gcc); at != std::string::npos)
            abstract.name = last_name_of(quoted_in(text.substr(at)));
        else if (const std::size_t first = text.find(unimplemented); first != std::string::npos) {
            const std::string name = quoted_in(text.substr(first));
            const std::size_t in = text.find("' in '", first);
            if (in != std::string::npos) abstract.name = last_name_of(quoted_in(text.substr(in + 4)));
            abstract.functions.push_back(of_clang(note, name));
        } else if (text.find("'virtual ") != std::string::npos && !abstract.name.empty()) {
            if (auto function = function_in(quoted_in(text))) abstract.functions.push_back(std::move(*function));
        }
    }
    return abstract;
}

Types without_const(Types types) {
    for (auto& type : types) std::erase(type, "const");
    return types;
}

/// Why the class's own function is not the one that is missing. That it is not, the compiler has said.
std::string what_differs(const std::string& where, const PureFunction& pure, const std::vector<OwnMember>& own) {
    if (own.size() == 1 && pure.is_const && *pure.is_const != own.front().is_const)
        return where + (own.front().is_const ? " is const and that one is not: leave out the const at its end."
                                             : " is not const and that one is: write const at its end.");
    if (own.size() == 1 && !pure.parameters.empty()) {
        const std::vector<Word> words = words_of(pure.parameters);
        const Types due = types_in(words, 0, words.size() - 1);
        const Types& given = own.front().parameters;
        if (due != given && without_const(due) == without_const(given))
            return where + " differs in const alone: its parameters are to be " + pure.parameters + '.';
    }
    return where + " is another function: parameters, their const and &, and a const at the end must be the same.";
}

/// "Its own forward (module.cpp:28)"
std::string own_one(const std::string& whose, const PureFunction& pure, const std::vector<OwnMember>& own) {
    return fmt::format("{} own {} ({}:{})", whose, pure.name, own.front().file, own.front().line);
}

std::string what_to_do(const std::string& class_name, const PureFunction& pure, const OwnClass& known) {
    const std::vector<OwnMember>& own = known.named(pure.name);
    return own.empty() ? fmt::format("Write {} in {} as it is declared there.", pure.name, class_name)
                       : what_differs(own_one("Its", pure, own), pure, own);
}

/// What the class does not override, in words.
std::string listed(const std::vector<PureFunction>& functions) {
    std::vector<std::string> declared;
    declared.reserve(functions.size());
    for (const PureFunction& one : functions)
        declared.push_back(one.name + one.parameters + (one.is_const.value_or(false) ? " const" : ""));
    return verdict::listed(std::move(declared), most_told);
}

bool is_about_override(const std::string& text) {
    return text.find("marked 'override', but does not override") != std::string::npos ||
           text.find("marked 'override' hides virtual member function") != std::string::npos ||
           text.find("only virtual member functions can be marked 'override'") != std::string::npos;
}

bool is_about_const(const std::string& text) {
    return text.find("discards qualifiers") != std::string::npos ||
           text.find("lose const qualifier") != std::string::npos;
}

}  // namespace

std::string cause_in_abstract_class(const CompilerWords& words, const verdict::CompilerMessage& message,
                                    OwnClasses& classes) {
    std::string said = message.text;
    for (const std::string& note : message.notes) said += '\n' + note;
    if (!is_about_const(said)) return {};
    const AbstractClass abstract = abstract_class_of(words);
    for (const PureFunction& pure : abstract.functions) {
        const bool is_named = said.find("::" + pure.name + '(') != std::string::npos ||
                              said.find("call to '" + pure.name + '\'') != std::string::npos;
        if (!is_named) continue;
        const std::vector<OwnMember>& own = classes.find(abstract.name).named(pure.name);
        if (!own.empty())
            return what_differs(own_one(abstract.name + "'s", pure, own), pure, own) +
                   " So it does not override, and the class is abstract.";
    }
    return {};
}

std::string why_it_overrides_nothing(const CompilerWords& words, const verdict::CompilerMessage& message,
                                     OwnClasses& classes) {
    if (!is_about_override(message.text)) return {};
    const AbstractClass abstract = abstract_class_of(words);
    for (const PureFunction& pure : abstract.functions) {
        const std::vector<OwnMember>& own = classes.find(abstract.name).named(pure.name);
        if (own.size() == 1 && own.front().file == message.at.file && own.front().line == message.at.line)
            return what_differs("The class it derives from declares it otherwise: this one", pure, own);
    }
    return {};
}

std::string advice_on_abstract_class(const CompilerWords& words, OwnClasses& classes) {
    const AbstractClass abstract = abstract_class_of(words);
    if (abstract.name.empty() || abstract.functions.empty() || !classes.are_read()) return {};
    const OwnClass& own = classes.find(abstract.name);
    const bool leaves_them_open = std::ranges::any_of(abstract.functions, [&](const PureFunction& pure) {
        return std::ranges::any_of(own.named(pure.name), &OwnMember::is_pure);
    });
    if (leaves_them_open || !own.is_declared)
        return fmt::format(
            "{} is abstract: it leaves {} to classes that derive from it. Make an object of such a class of yours.",
            abstract.name, listed(abstract.functions));
    std::string text =
        fmt::format("{} is abstract, because it does not override {}.", abstract.name, listed(abstract.functions));
    for (std::size_t i = 0; i < std::min(abstract.functions.size(), most_told); ++i)
        text += " " + what_to_do(abstract.name, abstract.functions[i], own);
    return text + " With override behind it the compiler compares the two.";
}

}  // namespace headway::build
