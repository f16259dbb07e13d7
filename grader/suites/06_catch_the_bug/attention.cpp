// In a file of its own: where a test brings an attention along, as the visible one does, the linker takes that.
#include "suites/06_catch_the_bug/relay.hpp"

namespace headway::ex06 {

Attended attention(const Inputs& inputs) { return worker::Relay::instance().ask(inputs); }

}  // namespace headway::ex06
