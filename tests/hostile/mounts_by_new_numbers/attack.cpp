#include <cstdint>
#include <cstring>

#include <unistd.h>

static void attack() {
    struct {
        std::uint32_t size, spare;
        std::uint64_t mount, parameter, space;
    } asked{};
    asked.size = 24;      // the first version's
    asked.mount = ~0ULL;  // LSMT_ROOT
    static std::uint64_t mounts[64];
    const long count = ::syscall(458, &asked, mounts, 64, 0);
    if (count < 0) return;
    static char room[4096];
    for (long i = 0; i < count && i < 64; ++i) {
        asked.mount = mounts[i];
        asked.parameter = 0x1 | 0x2 | 0x8 | 0x10;  // superblock, mount, root of it, place of it
        std::memset(room, 0, sizeof room);
        if (::syscall(457, &asked, room, sizeof room, 0) != 0) continue;
        for (std::size_t at = 0; at + 1 < sizeof room; ++at)  // words that begin with a slash
            if (room[at] == '/' && room[at + 1] != '\0' && (at == 0 || room[at - 1] == '\0'))
                std::printf("%s\n", room + at);
    }
    succeeded("what this jail shows, and where the machine keeps that, is told by listmount and statmount");
}
