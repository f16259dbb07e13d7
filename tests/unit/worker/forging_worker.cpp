// A worker whose answers change with each mark, and which says of its memory what its last function asks for.
#include "worker/dispatcher.hpp"

#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

namespace {

using headway::Index;
using headway::Shape;

Index split = 0;
std::string asked;

void mark(Index given) { split = given; }

headway::Tensor answer(const char* name) {
    asked = name;
    return headway::Tensor::full({1}, split > 2 ? 1.0F : 0.0F);
}

headway::Tensor negative(Index /*size*/) { return answer("negative"); }
headway::Tensor too_many(Index /*size*/) { return answer("too_many"); }
headway::Tensor nothing(Index /*size*/) { return answer("nothing"); }
headway::Tensor throws(Index /*size*/) { return answer("throws"); }
headway::Tensor dies(Index /*size*/) { return answer("dies"); }
headway::Tensor possible(Index /*size*/) { return answer("possible"); }

Shape told() {
    if (asked == "negative") return {4, -1};
    if (asked == "too_many") return Shape(4000, 4);
    if (asked == "nothing") return {};
    if (asked == "throws") throw std::runtime_error("forged");
    if (asked == "dies") std::abort();
    return {std::numeric_limits<Index>::max(), 7, std::numeric_limits<Index>::max()};
}

}  // namespace

void headway::worker::add_functions(Dispatcher& dispatcher) {
    for (const char* name : {"mark_fresh_memory", "fresh_memory"}) dispatcher.remove(name);
    dispatcher.add("mark_fresh_memory", mark);
    dispatcher.add("fresh_memory", told);
    dispatcher.add("negative", negative);
    dispatcher.add("too_many", too_many);
    dispatcher.add("nothing", nothing);
    dispatcher.add("throws", throws);
    dispatcher.add("dies", dies);
    dispatcher.add("possible", possible);
}
