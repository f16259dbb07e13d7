#pragma once

namespace entry {

/// An empty folder that one user may look into. @param user  its number; null: who we are
/// @return false, with errno, if there is something of that name
bool make_private_folder(const char* path, const char* user);

/// With all that a program has left in it, however deep. Nobody must be at work in it any more.
void remove_folder(const char* path);

}  // namespace entry
