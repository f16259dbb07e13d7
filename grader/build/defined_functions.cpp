#include "build/defined_functions.hpp"

#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace headway::build {
namespace {

std::vector<std::string> names_of_kinds(const std::string& nm_output, std::string_view kinds) {
    constexpr std::size_t kind = 17;
    constexpr std::size_t name = 19;
    std::vector<std::string> names;
    std::istringstream lines(nm_output);
    for (std::string line; std::getline(lines, line);)
        if (line.size() > name && kinds.find(line[kind]) != std::string_view::npos) names.push_back(line.substr(name));
    return names;
}

bool is_of_a_library(const std::string& name) {
    static const std::set<std::string_view> of_c = {
        "memcmp",   "bcmp",   "memcpy",  "memmove", "mempcpy", "memset",  "memchr",        "strlen",
        "strnlen",  "strcmp", "strncmp", "malloc",  "calloc",  "realloc", "reallocarray",  "free",
        "read",     "write",  "recv",    "send",    "recvmsg", "sendmsg", "aligned_alloc", "posix_memalign",
        "memalign", "poll",   "exit",    "_exit",   "abort",   "signal",  "sigaction"};
    const bool allocates = name.starts_with("operator new") || name.starts_with("operator delete");
    const bool places = name.find("void*)") != std::string::npos && name.starts_with("operator new");
    return of_c.contains(name) || name.starts_with("__cxa_") || (allocates && !places);
}

}  // namespace

std::vector<std::string> functions_listed(const std::string& nm_output) { return names_of_kinds(nm_output, "TWt"); }

std::vector<std::string> library_functions_listed(const std::string& nm_output) {
    std::set<std::string> found;
    for (std::string& name : names_of_kinds(nm_output, "TWi"))
        if (is_of_a_library(name)) found.insert(std::move(name));
    return {found.begin(), found.end()};
}

}  // namespace headway::build
