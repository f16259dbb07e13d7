#include <cstring>

namespace {
const struct Look {
    Look() {
        if (std::strstr(__FILE__, "@STATE@") != nullptr) succeeded(__FILE__);
    }
} look;
}  // namespace
