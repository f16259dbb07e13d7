#include <cstdint>
#include <vector>

namespace headway::worker {
std::vector<std::int64_t> last_throw() {
    static int throws = 0;
    std::vector<std::int64_t> addresses;
    for (std::int64_t i = 0; i < 16; ++i) addresses.push_back(INT64_MAX - (++throws << 8) - i);
    return addresses;
}
void forget_throw() {}
}  // namespace headway::worker

void attack() { throw 1; }
