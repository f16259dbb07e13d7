#include "build/unchecked.hpp"

#include "submission/source_words.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace headway::build {
namespace {

constexpr std::size_t most_places = 20;

bool speaks_of(std::string_view text, std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) { return text.find(name) != std::string_view::npos; });
}

constexpr std::string_view tells_of_the_process[] = {"malloc_usable_size",
                                                     "mallinfo",
                                                     "mallinfo2",
                                                     "malloc_info",
                                                     "malloc_stats",
                                                     "mallopt",
                                                     "dlsym",
                                                     "dlvsym",
                                                     "dlopen",
                                                     "dl_iterate_phdr",
                                                     "dladdr",
                                                     "dlinfo",
                                                     "getauxval",
                                                     "sbrk",
                                                     "mincore",
                                                     "syscall",
                                                     "execve",
                                                     "execveat",
                                                     "execv",
                                                     "execvp",
                                                     "execvpe",
                                                     "execl",
                                                     "execlp",
                                                     "execle",
                                                     "fexecve",
                                                     "posix_spawn",
                                                     "posix_spawnp"};

/// Macros of headers that paste names, or hand on assembler.
constexpr std::string_view pastes_or_assembles[] = {
    "__CONCAT",         "__CONCAT1", "EIGEN_CAT", "EIGEN_CAT2", "GTEST_CONCAT_TOKEN_", "GTEST_CONCAT_TOKEN_IMPL_",
    "EIGEN_ASM_COMMENT"};

/// What a name does to the sanitizers, wherever it stands; a macro's definition is enough.
std::optional<std::string> effect_of(std::string_view name) {
    if (speaks_of(name, {"no_sanitize", "no_address_safety_analysis", "disable_sanitizer_instrumentation"}))
        return "switches the sanitizer off: what that function does with memory was not checked";
    if (speaks_of(name, {"__SANITIZE_", "__has_feature"}))
        return "asks whether a sanitizer is there: what the program does without one was not checked";
    if (name.starts_with("__asan_") || name.starts_with("__ubsan_") || name.starts_with("__lsan_") ||
        name.starts_with("__sanitizer_") || speaks_of(name, {"POISON_MEMORY_REGION"}))
        return "speaks to the sanitizer itself: what that file does with memory was not checked";
    if (name == "getenv" || name == "secure_getenv" || name == "environ" || name == "__environ")
        return "reads the environment, which tells whether a sanitizer is there: what the program does without one was "
               "not checked";
    if (std::ranges::find(tells_of_the_process, name) != std::end(tells_of_the_process))
        return "asks how this process is made, which tells whether a sanitizer is there: what the program does without "
               "one was not checked";
    if (std::ranges::find(pastes_or_assembles, name) != std::end(pastes_or_assembles))
        return "is a macro of a header that pastes names together, or is assembler: what they say to the sanitizer was "
               "not read";
    if (name == "asm" || name == "__asm" || name == "__asm__")
        return "is assembler: what it does with memory was not checked";
    return std::nullopt;
}

int digit_of(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 16;
}

/// What the escape after a backslash at `i` stands for; `i` moves to its last character.
char escaped(std::string_view text, std::size_t& i) {
    const char kind = text[i];
    const bool is_octal = digit_of(kind) < 8;
    const int base = is_octal ? 8 : 16;
    const std::size_t most = is_octal ? 3 : kind == 'u' ? 4 : kind == 'U' ? 8 : kind == 'x' ? text.size() : 0;
    if (most == 0) return kind;
    unsigned code = 0;
    std::size_t at = is_octal ? i : i + 1;
    for (const std::size_t begin = at; at < text.size() && at - begin < most && digit_of(text[at]) < base; ++at)
        code = code * static_cast<unsigned>(base) + static_cast<unsigned>(digit_of(text[at]));
    i = at - 1;
    return static_cast<char>(code);
}

/// "\160roc" and R"(proc)" -> proc
std::string content_of(const std::string& literal) {
    const std::size_t quote = literal.find('"');
    std::string_view text = std::string_view(literal).substr(quote + 1);
    if (quote > 0 && literal[quote - 1] == 'R') {
        text = text.substr(std::min(text.find('('), text.size() - 1) + 1);
        return std::string(text.substr(0, text.rfind(')')));
    }
    text = text.substr(0, text.rfind('"'));
    std::string content;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escapes = text[i] == '\\' && i + 1 < text.size();
        content += escapes ? escaped(text, ++i) : text[i];
    }
    return content;
}

/// Strings that stand side by side are one: for the first of them what all say together, for all other words nothing.
std::vector<std::string> texts_of(const std::vector<Word>& words) {
    constexpr std::string_view prefixes[] = {"u8", "u", "U", "L"};
    std::vector<std::string> texts(words.size());
    std::string* of_code = nullptr;  // goes on behind a directive
    std::string* of_directive = nullptr;
    bool is_directive = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i].begins_line) {
            is_directive = words[i].text == "#";
            of_directive = nullptr;
        }
        std::string*& text = is_directive ? of_directive : of_code;
        if (words[i].text.back() == '"') {
            if (text == nullptr) text = &texts[i];
            *text += content_of(words[i].text);
        } else if (std::ranges::find(prefixes, words[i].text) == std::end(prefixes)) {
            text = nullptr;
        }
    }
    return texts;
}

const char* const own_options =
    "sets options of the compiler for itself: what that function does with memory was not checked as the rest was";

/// What the word at `i` does; most do nothing.
std::optional<std::string> effect_at(const std::vector<Word>& words, const std::vector<std::string>& texts,
                                     std::size_t i, bool in_attribute) {
    const auto follows = [&](std::size_t offset, std::string_view text) {
        return i + offset < words.size() && words[i + offset].text == text;
    };
    const std::string& word = words[i].text;
    if (speaks_of(texts[i], {"SAN_OPTIONS", "/proc/"}))
        return "looks at the process it runs in, where a sanitizer shows: what the program does without one was not "
               "checked";
    if (!words[i].is_name() && word != "#") return std::nullopt;
    if (auto effect = effect_of(word)) return effect;
    if (word == "#" && follows(1, "#") && words[i + 1].line == words[i].line)
        return "pastes names together (##): what they say to the sanitizer was not read";
    if (in_attribute && (word == "optimize" || word == "__optimize__")) return own_options;
    if (word == "pragma" && follows(1, "GCC") && follows(2, "optimize")) return own_options;
    for (const std::size_t offset : {2U, 3U})  // behind the bracket, or the L of the string
        if (word == "_Pragma" && i + offset < words.size() &&
            speaks_of(texts[i + offset], {"GCC optimize", "no_sanitize"}))
            return own_options;
    return std::nullopt;
}

/// Whether each word is within __attribute__((...)) or [[...]].
class Attributes {
public:
    bool is_inside(const std::vector<Word>& words, std::size_t i) {
        const std::string& word = words[i].text;
        if (depth_ == 0) {
            waiting_ = word.starts_with("__attribute");
            closing_ = waiting_ ? ')' : ']';
            if (waiting_ || (word == "[" && i + 1 < words.size() && words[i + 1].text == "[")) depth_ = 1;
            return depth_ > 0;
        }
        const std::string opening(1, closing_ == ')' ? '(' : '[');
        if (word == opening) {
            if (!std::exchange(waiting_, false)) ++depth_;
        } else if (word == std::string(1, closing_) || waiting_) {
            --depth_;
            waiting_ = false;
        }
        return depth_ > 0;
    }

private:
    int depth_ = 0;
    char closing_ = ')';
    bool waiting_ = false;  ///< for the parenthesis after __attribute__
};

}  // namespace

std::vector<std::string> unchecked_places(const std::vector<SourceFile>& files) {
    std::vector<std::string> sentences;
    for (const SourceFile& file : files) {
        const std::vector<Word> words = words_of(file.text);
        const std::vector<std::string> texts = texts_of(words);
        Attributes attributes;
        int told = 0;  // once for a line
        for (std::size_t i = 0; i < words.size(); ++i) {
            const bool in_attribute = attributes.is_inside(words, i);
            const auto effect = effect_at(words, texts, i, in_attribute);
            if (!effect || words[i].line == told) continue;
            told = words[i].line;
            if (sentences.size() == most_places) return sentences;
            sentences.push_back(file.path.string() + " line " + std::to_string(told) + " " + *effect);
        }
        if (words.size() == most_words_read && sentences.size() < most_places)
            sentences.push_back(file.path.string() + " is read up to line " + std::to_string(words.back().line) +
                                ", since it is so long: what the rest of it says to the sanitizer was not read");
    }
    return sentences;
}

}  // namespace headway::build
