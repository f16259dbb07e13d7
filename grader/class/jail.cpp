#include "jail.hpp"

namespace headway::classroom {

bool jail_is_complete() { return jail_gap().empty(); }

std::string jail_gap() { return "the jail (no network, no files, another user) is not built yet"; }

}  // namespace headway::classroom
