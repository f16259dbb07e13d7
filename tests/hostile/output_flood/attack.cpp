#include <unistd.h>
#include <string>

void attack() {
    const std::string text(1 << 20, 'x');
    for (int i = 0; i < 100; ++i)
        if (::write(1, text.data(), text.size()) < 0) return;
}
