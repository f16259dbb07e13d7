// The attention under test: a process that holds them all, right and wrong, and computes with the one that the judge
// names. Neither the tests nor the judge are linked with any of them.
#include "suites/06_catch_the_bug/attentions/attend.hpp"
#include "suites/06_catch_the_bug/wire_form.hpp"

#include "worker/dispatcher.hpp"

namespace headway::worker {

void add_functions(Dispatcher& dispatcher) {
    dispatcher.add(
        "attend", +[](const std::string& id, Index seed, const wire::Value& inputs) -> wire::Value {
            return wire_form::to_record(
                attentions::attend(id, wire_form::inputs_from(inputs), static_cast<std::uint64_t>(seed)));
        });
}

}  // namespace headway::worker
