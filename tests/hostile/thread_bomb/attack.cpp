#include <pthread.h>
#include <unistd.h>

void attack() {
    for (int threads = 0; threads < 300; ++threads) {
        pthread_t thread;
        pthread_attr_t small;
        pthread_attr_init(&small);
        pthread_attr_setstacksize(&small, 65536);
        if (::pthread_create(
                &thread, &small,
                [](void*) -> void* {
                    for (;;) ::pause();
                },
                nullptr) != 0)
            return;
    }
    succeeded("300 threads");
}
