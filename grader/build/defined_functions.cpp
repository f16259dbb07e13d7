#include "build/defined_functions.hpp"

#include <initializer_list>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace headway::build {
namespace {

struct Symbol {
    char kind;
    std::string name;
};

std::vector<Symbol> symbols_in(const std::string& nm_output) {
    constexpr std::size_t kind = 17;
    constexpr std::size_t name = 19;
    constexpr std::string_view digits = "0123456789abcdef";
    std::vector<Symbol> symbols;
    std::istringstream lines(nm_output);
    for (std::string line; std::getline(lines, line);)
        if (line.size() > name && line.find_first_not_of(digits) == kind - 1 && line[kind - 1] == ' ' &&
            line[name - 1] == ' ')
            symbols.push_back({line[kind], line.substr(name)});
    return symbols;
}

bool is_one_of(char kind, std::string_view kinds) { return kinds.find(kind) != std::string_view::npos; }

/// Other files see it, whatever it is and wherever it lies: a section's name alone makes nm print P, E, I or N for a
/// function, and what takes a function's place may be called a variable. Letters of local symbols are small.
bool is_seen_elsewhere(char kind) { return (kind >= 'A' && kind <= 'Z' && kind != 'U') || is_one_of(kind, "iu?"); }

/// Of the C library, or one that gives memory: "memcmp", "operator new".
std::optional<std::string> function_of_a_library(const std::string& name) {
    static const std::set<std::string_view> of_c = {
        "memcmp",   "bcmp",   "memcpy",  "memmove", "mempcpy", "memset",  "memchr",        "strlen",
        "strnlen",  "strcmp", "strncmp", "malloc",  "calloc",  "realloc", "reallocarray",  "free",
        "read",     "write",  "recv",    "send",    "recvmsg", "sendmsg", "aligned_alloc", "posix_memalign",
        "memalign", "poll",   "exit",    "_exit",   "abort",   "signal",  "sigaction"};
    if (of_c.contains(name) || name.starts_with("__cxa_")) return name;
    const bool places = name == "_ZnwmPv" || name == "_ZnamPv" || name == "_ZdlPvS_" || name == "_ZdaPvS_";
    if (places) return std::nullopt;
    if (name.starts_with("_Znw") || name.starts_with("_Zna")) return "operator new";
    if (name.starts_with("_Zdl") || name.starts_with("_Zda")) return "operator delete";
    return std::nullopt;
}

/// Of what the course brings: "functions of headway::wire". What its headers define is in each program, but not strong.
std::optional<std::string> part_of_the_course(const Symbol& symbol) {
    if (!is_seen_elsewhere(symbol.kind) || is_one_of(symbol.kind, "VWu")) return std::nullopt;
    std::string_view name = symbol.name;
    const bool is_of_std = name.starts_with("_ZSt");
    if (!is_of_std) {
        if (!name.starts_with("_ZN")) return std::nullopt;
        name.remove_prefix(name.starts_with("_ZNK") ? 4 : 3);
    }
    // std::hash and std::formatter are for everybody to specialise, and so is what holds numbers.
    if (is_of_std || (name.starts_with("St") && !name.starts_with("St4hash") && !name.starts_with("St9formatter")))
        return is_one_of(symbol.kind, "ABCDGRS") ? std::nullopt
                                                 : std::optional<std::string>("functions of the C++ library");
    for (const auto& [mangled, part] :
         std::initializer_list<std::pair<std::string_view, const char*>>{{"7headway4wire", "headway::wire"},
                                                                         {"7headway6worker", "headway::worker"},
                                                                         {"7headway6Tensor", "headway::Tensor"},
                                                                         {"7headway4Mask", "headway::Mask"},
                                                                         {"7headway6Layout", "headway::Layout"},
                                                                         {"7headway2nn", "headway::nn"},
                                                                         {"7headway6detail", "headway::detail"}})
        if (name.starts_with(mangled)) return std::string("functions of ") + part;
    return std::nullopt;
}

}  // namespace

std::vector<std::string> functions_listed(const std::string& nm_output) {
    std::vector<std::string> names;
    for (Symbol& symbol : symbols_in(nm_output))
        if (is_one_of(symbol.kind, "TWt")) names.push_back(std::move(symbol.name));
    return names;
}

std::vector<std::string> library_functions_listed(const std::string& nm_output) {
    std::set<std::string> found;
    for (const Symbol& symbol : symbols_in(nm_output)) {
        if (is_seen_elsewhere(symbol.kind))
            if (auto function = function_of_a_library(symbol.name)) found.insert(std::move(*function));
        if (auto part = part_of_the_course(symbol)) found.insert(std::move(*part));
    }
    return {found.begin(), found.end()};
}

}  // namespace headway::build
