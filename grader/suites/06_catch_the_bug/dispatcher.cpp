#include "worker/dispatcher.hpp"

#include "suites/06_catch_the_bug/relay.hpp"

namespace headway::worker {

void add_functions(Dispatcher& dispatcher) {
    dispatcher.add(
        "run_tests", +[] { return Relay::instance().run_tests(); });
    dispatcher.add(
        "answer", +[](const wire::Value& reply) { return Relay::instance().answer(reply); });
}

}  // namespace headway::worker
