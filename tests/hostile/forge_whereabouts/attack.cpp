#include <cstddef>
#include <cstdint>
#include <vector>

namespace headway::wire {
class Whereabouts {
public:
    enum class Stack { has_room, is_used_up };
    explicit Whereabouts(Stack stack);
    void set(std::size_t i, std::int64_t address);
    void send(int descriptor) const;

private:
    std::vector<std::byte> frame_;
    std::size_t addresses_ = 0;
};
}  // namespace headway::wire

void attack() {
    headway::wire::Whereabouts forged(headway::wire::Whereabouts::Stack::has_room);
    for (std::size_t i = 0; i < 16; ++i) forged.set(i, INT64_MAX - static_cast<std::int64_t>(i));
    forged.send(3);
}
