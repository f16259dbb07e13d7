#include "worker/dispatcher.hpp"

#include <tiled_attention.hpp>

namespace headway::worker {

/// What was seen so far stays in the worker: absorb changes it.
template <>
struct Convert<ex10::Running> {
    static ex10::Running& from(const wire::Value& value, Objects& objects) {
        return *objects.get<std::shared_ptr<ex10::Running>>(std::get<wire::Handle>(value));
    }
    static wire::Value to(ex10::Running running, Objects& objects) {
        return objects.keep(std::make_shared<ex10::Running>(std::move(running)));
    }
};

template <>
struct Convert<ex10::Causal> {
    static ex10::Causal from(const wire::Value& value, Objects&) {
        return std::get<bool>(value) ? ex10::Causal::yes : ex10::Causal::no;
    }
};

void add_functions(Dispatcher& dispatcher) {
    using ex10::Running;
    dispatcher.add("nothing_seen", &ex10::nothing_seen);
    dispatcher.add("absorb", &ex10::absorb);
    dispatcher.add("context", &ex10::context);
    dispatcher.add("tiled_attention", &ex10::tiled_attention);
    // What follows is the course's own: a state with given numbers, a look into one, and
    // what context returned before a state took in more.
    dispatcher.add(
        "running", +[](const Tensor& largest, const Tensor& total, const Tensor& gathered) {
            return Running{largest.clone(), total.clone(), gathered.clone()};
        });
    dispatcher.add(
        "context_before", +[](Running& running, const Tensor& scores, const Tensor& v) {
            Tensor context = ex10::context(running);
            ex10::absorb(running, scores, v);
            return context;
        });
    dispatcher.add(
        "contents", +[](const Running& running) {
            return wire::Value(
                wire::Record{{{"largest", running.largest}, {"total", running.total}, {"gathered", running.gathered}}});
        });
}

}  // namespace headway::worker
