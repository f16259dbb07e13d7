#include <cstdio>
#include <string>

void attack() {
    std::string text(1 << 20, 'x');
    text += std::string(1000, '\0') + "\x1b[2J\x1b]0;title\x07\xff\xfe\n";
    std::fwrite(text.data(), 1, text.size() / 2, stdout);
    std::fwrite(text.data() + text.size() - 1024, 1, 1024, stdout);
}
