#include "worker/dispatcher.hpp"

#include <long_texts.hpp>

namespace headway::worker {

/// A cache stays in the worker: every call that gets its handle may change it.
template <>
struct Convert<ex11::RingCache> {
    static ex11::RingCache& from(const wire::Value& value, Objects& objects) {
        return *objects.get<std::shared_ptr<ex11::RingCache>>(std::get<wire::Handle>(value));
    }
    static wire::Value to(ex11::RingCache cache, Objects& objects) {
        return objects.keep(std::make_shared<ex11::RingCache>(std::move(cache)));
    }
};

void add_functions(Dispatcher& dispatcher) {
    using ex11::RingCache;
    dispatcher.add("window_mask", &ex11::window_mask);
    dispatcher.add("global_mask", &ex11::global_mask);
    dispatcher.add("long_mask", &ex11::long_mask);
    dispatcher.add("window_attention", &ex11::window_attention);
    dispatcher.add("make_ring", &ex11::make_ring);
    dispatcher.add("ring_append", &ex11::ring_append);
    dispatcher.add("ring_decode", &ex11::ring_decode);
    dispatcher.add("reach", &ex11::reach);
    dispatcher.add("window_reach", &ex11::window_reach);
    // What follows is the course's own: a cache with given numbers, copies of one, and a look into one.
    dispatcher.add(
        "ring", +[](const Tensor& k, const Tensor& v, Index next) {
            return RingCache{k.clone(), v.clone(), next};
        });
    dispatcher.add(
        "copy_of", +[](const RingCache& cache) { return cache; });
    dispatcher.add(
        "with_keys_of", +[](const RingCache& cache) {
            return RingCache{cache.k, cache.v.clone(), cache.next};
        });
    dispatcher.add(
        "with_values_of", +[](const RingCache& cache) {
            return RingCache{cache.k.clone(), cache.v, cache.next};
        });
    dispatcher.add(
        "contents", +[](const RingCache& cache) {
            return wire::Value(wire::Record{{{"k", cache.k},
                                             {"v", cache.v},
                                             {"next", cache.next},
                                             {"stored", cache.k.storage_size() + cache.v.storage_size()}}});
        });
}

}  // namespace headway::worker
