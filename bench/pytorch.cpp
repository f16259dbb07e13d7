#include "pytorch.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headway::bench {

PyTorch::PyTorch(Freed freed) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw std::runtime_error("no channel to PyTorch could be opened");
    std::signal(SIGPIPE, SIG_IGN);  // if it has ended, that is told in a sentence
    pid_ = fork();
    if (pid_ == 0) {
        dup2(ends[1], STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        if (freed == Freed::kept)
            for (const char* variable : {"MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"})
                setenv(variable, std::to_string(1U << 30U).c_str(), 1);
        execl(PYTHON, PYTHON, ATTENTION_PY, nullptr);
        _exit(1);
    }
    close(ends[1]);
    to_ = fdopen(dup(ends[0]), "w");
    from_ = fdopen(ends[0], "r");
    const std::string said = answer();
    if (said.rfind("PyTorch ", 0) == 0)
        version_ = said;
    else
        missing_ = said.empty() ? std::string(PYTHON) + " does not start" : said;
}

PyTorch::~PyTorch() {
    std::fclose(to_);
    std::fclose(from_);
    waitpid(pid_, nullptr, 0);
}

void PyTorch::prepare(const std::string& work) {
    if (ask(work) != "ready") throw std::runtime_error("PyTorch could not prepare " + work);
}

Time PyTorch::run(int times) {
    const std::string said = ask("run " + std::to_string(times));
    Time time;
    if (std::sscanf(said.c_str(), "%lf %lf", &time.cpu, &time.passed) != 2)
        throw std::runtime_error("PyTorch ended within the benchmark");
    return time;
}

std::string PyTorch::ask(const std::string& line) {
    std::fprintf(to_, "%s\n", line.c_str());
    std::fflush(to_);
    return answer();
}

std::string PyTorch::answer() {
    std::string line;
    for (int c = std::fgetc(from_); c != EOF && c != '\n'; c = std::fgetc(from_)) line += static_cast<char>(c);
    return line;
}

}  // namespace headway::bench
