#include <unistd.h>
#include <string>

void attack() {
    const std::string text(1 << 20, '\0');
    for (int i = 0; i < 4096; ++i)
        if (::write(3, text.data(), text.size()) < 0) return;
}
