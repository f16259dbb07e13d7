// What a jail adds to the start of a worker: medians, in milliseconds, of starting a program and waiting for its end.
//     jail_start FOLDER_OF_HEADWAY_ENTER [RUNS]
#include "sandbox/survey.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace headway::sandbox;

double milliseconds_of(const Launch& command) {
    const auto begin = std::chrono::steady_clock::now();
    Process process = Process::start(command, Channel::yes);
    process.wait();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double at(std::vector<double>& sorted_later, double part) {
    std::sort(sorted_later.begin(), sorted_later.end());
    return sorted_later[static_cast<std::size_t>(part * static_cast<double>(sorted_later.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: jail_start FOLDER [RUNS], where FOLDER holds headway-enter: build/default/bin\n");
        return EXIT_FAILURE;
    }
    const int runs = argc > 2 ? std::atoi(argv[2]) : 200;
    const Survey machine = survey({argv[1], argv[1]}, {});
    Command plain;
    plain.arguments = {"/usr/bin/true"};
    plain.limits = {std::chrono::seconds(10), mebibytes(1280), mebibytes(64), 64, mebibytes(1024)};
    const JailContents contents{.program = plain.arguments[0], .readable = {}, .own_processes_visible = true};
    const Launch jailed = machine.jail.lock(plain, contents);
    std::vector<double> without;
    std::vector<double> with;
    for (int i = 0; i < runs; ++i) {  // in turns, so that what else the machine does meets both
        without.push_back(milliseconds_of(trusted(plain, Trusted::tests_of_headway)));
        with.push_back(milliseconds_of(jailed));
    }
    std::printf("no jail          %6.2f ms   (95 %%: %.2f)\n", at(without, 0.5), at(without, 0.95));
    std::printf("jail (%s) %6.2f ms   (95 %%: %.2f)\n", machine.jail.name().c_str(), at(with, 0.5), at(with, 0.95));
    std::printf("a start in a jail takes %.1f x one without, %.2f ms more (at most 15)\n",
                at(with, 0.5) / at(without, 0.5), at(with, 0.5) - at(without, 0.5));
}
