#pragma once

#include "stopwatch.hpp"

#include <cstdio>
#include <string>

namespace headway::bench {

/// What becomes of memory that a process frees: it goes back to the kernel, as glibc does with large blocks unless told
/// otherwise, or it is kept for what comes next.
enum class Freed { given_back, kept };

/// PyTorch's side: the process that runs attention.py, asked line by line.
class PyTorch {
public:
    /// What it cannot be had for is told by `missing`.
    explicit PyTorch(Freed freed);
    PyTorch(const PyTorch&) = delete;
    PyTorch& operator=(const PyTorch&) = delete;
    ~PyTorch();

    /// Why there is no PyTorch here; empty if there is one.
    const std::string& missing() const { return missing_; }
    /// Version and BLAS.
    const std::string& version() const { return version_; }

    /// From now on: "multi_head B T D H", or another of the works that attention.py lists.
    void prepare(const std::string& work);
    /// @throws std::runtime_error if it has ended
    Time run(int times);

private:
    std::string ask(const std::string& line);
    std::string answer();

    int pid_ = -1;
    std::FILE* to_ = nullptr;
    std::FILE* from_ = nullptr;
    std::string missing_, version_;
};

}  // namespace headway::bench
