#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

static void attack() {
    const std::vector<char> bytes(60'000, 'h');
    std::size_t kept = 0;
    for (int file = 0; file < 100; ++file) {
        const int place = ::open(("/tmp/a" + std::to_string(file)).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (place < 0) break;
        for (int i = 0; i < 45 && kept < (std::size_t{256} << 20); ++i)
            if (::fsetxattr(place, ("user.h" + std::to_string(i)).c_str(), bytes.data(), bytes.size(), 0) == 0)
                kept += bytes.size();
        ::close(place);
    }
    if (kept > (std::size_t{48} << 20)) succeeded("more is kept in attributes than /tmp may hold");
}
