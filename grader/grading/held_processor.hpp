#pragma once

#include <semaphore>

namespace headway::cli {

/// One of the processors that all exercises of a submission share, from here to the end of the block.
class HeldProcessor {
public:
    explicit HeldProcessor(std::counting_semaphore<>& processors) : processors_(processors) { processors_.acquire(); }
    HeldProcessor(const HeldProcessor&) = delete;
    HeldProcessor& operator=(const HeldProcessor&) = delete;
    ~HeldProcessor() { processors_.release(); }

private:
    std::counting_semaphore<>& processors_;
};

}  // namespace headway::cli
