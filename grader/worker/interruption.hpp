#pragma once

namespace headway::worker {

/// From here on wire::where_are_you is answered with where the running call is, and so is a signal that ends the
/// program, before it does. A signal that has a handler already keeps it: a sanitizer's says more.
/// @param claim  whether a call is running of which nothing has been told yet; from then on it counts as told
void tell_of_interruptions(int channel, bool (*claim)());

}  // namespace headway::worker
