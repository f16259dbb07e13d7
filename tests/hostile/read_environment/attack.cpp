#include <unistd.h>
#include <cstring>

void attack() {
    for (char** variable = environ; *variable != nullptr; ++variable)
        for (const char* name : {"HEADWAY", "PATH=", "HOME="})
            if (std::strncmp(*variable, name, std::strlen(name)) == 0) succeeded(*variable);
}
