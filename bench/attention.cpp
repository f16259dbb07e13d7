// The solutions' attention beside PyTorch's, float32 on the CPU: multi-head attention whole, and tiled attention beside
// scores that exist all at once. Then, without PyTorch, a window beside all keys, and a cache in int8 beside floats.
// Both sides run in turns; ratios are of medians of the same rounds. Our side keeps the memory that it frees
// (memory.hpp); PyTorch runs as it is installed, and once more told to do the same.
//     attention [ROUNDS]        (what it takes is some minutes; with 1 thread, then with 2)
#include "memory.hpp"
#include "pytorch.hpp"
#include "stopwatch.hpp"

#include "long_texts.hpp"
#include "module.hpp"
#include "scaled_scores.hpp"
#include "small_numbers.hpp"
#include "tiled_attention.hpp"

#include <headway/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#ifdef HEADWAY_BLAS
#include <dlfcn.h>
extern "C" void sgemm_();
#endif

namespace headway::bench {
namespace {

struct Sizes {
    Index B, T, D, H;

    std::string text() const {
        return std::to_string(B) + ' ' + std::to_string(T) + ' ' + std::to_string(D) + ' ' + std::to_string(H);
    }
    /// Of multi-head self-attention: four projections, scores, context; a multiply-add counts as two.
    double operations() const { return 2.0 * static_cast<double>(B * T) * static_cast<double>(4 * D * D + 2 * T * D); }
};

constexpr Sizes multi_head_sizes[] = {{1, 32, 64, 4}, {8, 128, 256, 8}, {4, 256, 512, 8}, {1, 1024, 768, 12}};
constexpr Sizes long_sizes{1, 4096, 512, 8};
constexpr Index square = 1024;  // of the product that stands for what the machine can
constexpr Index tile = 192;
constexpr Index window = 256;

std::string processor() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "unknown";
}

std::string engine() {
#ifdef HEADWAY_BLAS
    Dl_info found{};
    if (dladdr(reinterpret_cast<void*>(&sgemm_), &found) == 0) return "Eigen on a BLAS that is linked in";
    const std::unique_ptr<char, decltype(&std::free)> path(realpath(found.dli_fname, nullptr), &std::free);
    const std::string file = path ? path.get() : found.dli_fname;
    return "Eigen on " + file.substr(file.rfind('/') + 1);
#else
    return "Eigen alone";
#endif
}

Tensor drawn(std::uint64_t seed, const Shape& shape) { return Random(seed).normal(shape); }

/// PyTorch twice. Neither, where there is none.
class Rivals {
public:
    Rivals() : as_installed_(Freed::given_back), keeping_(Freed::kept) {}

    bool exist() const { return as_installed_.missing().empty(); }
    std::string text() const {
        return exist() ? as_installed_.version() : "without PyTorch:\n" + as_installed_.missing();
    }
    /// What both are to do from now on, behind what `contenders` has.
    void join(std::vector<Contender>& contenders, const std::string& work) {
        if (!exist()) return;
        for (PyTorch* pytorch : {&as_installed_, &keeping_}) {
            pytorch->prepare(work);
            contenders.emplace_back([pytorch](int times) { return pytorch->run(times); });
        }
    }

private:
    PyTorch as_installed_, keeping_;
};

/// A column of its own and one of ratios.
struct Beside {
    double product = 1;
    int count = 0;

    void print(double theirs, double ours) {
        std::printf(" %9.3f %6.2f", theirs * 1e3, theirs / ours);
        product *= theirs / ours;
        ++count;
    }
    double geometric_mean() const { return std::pow(product, 1.0 / count); }
};

void compare_multi_head(Rivals& rivals, int rounds, int threads) {
    const Tensor a = drawn(1, {square, square}), b = drawn(2, {square, square});
    const double square_operations = 2.0 * std::pow(static_cast<double>(square), 3);
    std::printf("\nMulti-head attention (solutions/05_module, torch.nn.MultiheadAttention), ms\n");
    std::printf("  %-14s %8s %8s %8s %8s %9s %6s %9s %6s\n", "B, T, D, H", "headway", "least", "GFLOP/s", "of sgemm",
                "PyTorch", "ratio", "keeping", "ratio");
    Beside as_installed, keeping;
    for (const Sizes& sizes : multi_head_sizes) {
        const auto module = ex05::make_multi_head_attention({.embed_dim = sizes.D, .num_heads = sizes.H});
        module->eval();
        const Tensor x = drawn(3, {sizes.B, sizes.T, sizes.D});
        std::vector<Contender> contenders = {timed([&] { module->forward(x, x, x, {}); }),
                                             timed([&] { matmul(a, b); })};
        rivals.join(contenders, "multi_head " + sizes.text());
        const std::vector<Times> times = in_turns(contenders, rounds, threads);
        const double ours = times[0].median(threads), sgemm = square_operations / times[1].median(threads);
        const double speed = sizes.operations() / ours;
        std::printf("  %-14s %8.3f %8.3f %8.1f %6.0f %%", sizes.text().c_str(), ours * 1e3,
                    times[0].least(threads) * 1e3, speed * 1e-9, 100 * speed / sgemm);
        if (rivals.exist()) {
            as_installed.print(times[2].median(threads), ours);
            keeping.print(times[3].median(threads), ours);
        }
        std::printf("\n");
    }
    if (rivals.exist())
        std::printf("  geometric mean of the ratios: %.2f; beside a PyTorch that keeps freed memory %.2f\n",
                    as_installed.geometric_mean(), keeping.geometric_mean());
}

void compare_tiled(Rivals& rivals, int rounds, int threads) {
    const auto [B, T, D, H] = long_sizes;
    const Shape shape{B, H, T, D / H};
    const Tensor q = drawn(4, shape), k = drawn(5, shape), v = drawn(6, shape);
    const auto tiled = [&](ex10::Causal causal) { ex10::tiled_attention(q, k, v, {}, causal, tile); };
    const auto materialised = [&] { ex03::scaled_dot_product_attention(q, k, v, {}); };
    std::vector<Contender> contenders = {timed([&] { tiled(ex10::Causal::no); }),
                                         timed([&] { tiled(ex10::Causal::yes); }), timed(materialised)};
    rivals.join(contenders, "materialised " + long_sizes.text());
    const std::vector<Times> times = in_turns(contenders, rounds, threads);
    const double of_tiled = times[0].median(threads);
    const auto print = [&](const char* name, const Times& time) {
        std::printf("  %-42s %9.0f %9.0f %8.2f\n", name, time.median(threads) * 1e3, time.least(threads) * 1e3,
                    time.median(threads) / of_tiled);
    };
    std::printf("\nOne attention without projections, B, T, D, H = %s, ms\n", long_sizes.text().c_str());
    std::printf("  %-42s %9s %9s %8s\n", "", "median", "least", "/ tiled");
    print("tiled (solutions/10_tiled_attention)", times[0]);
    print("tiled, causal, future tiles skipped", times[1]);
    print("materialised (solutions/03_scaled_scores)", times[2]);
    if (rivals.exist()) {
        print("PyTorch, materialised", times[3]);
        print("PyTorch, materialised, keeping", times[4]);
    }
    const double scores = 4.0 * static_cast<double>(B * H * T * T);
    const double result = 4.0 * static_cast<double>(B * T * D);
    const double extra = extra_memory([&] { tiled(ex10::Causal::no); }) - result;
    std::printf("  memory beside arguments and result: %.1f MB, all scores %.0f MB: 1/%.0f\n", extra * 1e-6,
                scores * 1e-6, scores / extra);
}

/// What leaving pairs out saves, and what eight bits do: both beside what computes or keeps all of it.
void compare_savings(int rounds, int threads) {
    const auto [B, T, D, H] = long_sizes;
    const Index d = D / H;
    const Shape shape{B, H, T, d};
    const Tensor q = drawn(7, shape), k = drawn(8, shape), v = drawn(9, shape);
    const std::vector<Times> times =
        in_turns({timed([&] { ex10::tiled_attention(q, k, v, {}, ex10::Causal::yes, tile); }),
                  timed([&] { ex11::window_attention(q, k, v, window, {}, Mask{}); })},
                 rounds, threads);
    const double all = times[0].median(threads), near = times[1].median(threads);
    std::printf(
        "\nCausal attention at T = %td: all keys (10, tiled) %.0f ms, a window of %td (11) %.0f ms: %.1f times\n", T,
        all * 1e3, window, near * 1e3, all / near);
    const auto bytes = [&, B = B, T = T, H = H](ex12::Kept kept) {
        return static_cast<double>(ex12::cache_bytes(B, H, T, d, d, kept));
    };
    const ex12::Int8Rows rows = ex12::to_int8(k, ex12::row_scales(k));
    const double found = static_cast<double>(rows.codes.size()) + 4.0 * static_cast<double>(rows.scales.numel());
    std::printf("Its cache: %.1f MB as floats, %.1f MB in int8 (12), %.3f of it; found in the rows of keys: %.3f\n",
                bytes(ex12::Kept::as_float) * 1e-6, bytes(ex12::Kept::as_int8) * 1e-6,
                bytes(ex12::Kept::as_int8) / bytes(ex12::Kept::as_float),
                found / (4.0 * static_cast<double>(k.numel())));
}

void compare(int threads, int rounds) {
    Rivals rivals;
    keep_freed_memory();
    std::printf("\n%d thread%s; medians and least of %d rounds\n", threads,
                threads == 1 ? ", by CPU time" : "s, by the clock", rounds);
    std::printf("%s\n", rivals.text().c_str());
    compare_multi_head(rivals, rounds, threads);
    compare_tiled(rivals, std::max(3, rounds / 4), threads);
    compare_savings(std::max(3, rounds / 4), threads);
}

/// This program again, with so many threads: a BLAS reads that once, when it is loaded.
int compare_in_another_process(int threads, const std::string& rounds) {
    const std::string count = std::to_string(threads);
    for (const char* variable : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS"})
        setenv(variable, count.c_str(), 1);
    std::fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", "attention", rounds.c_str(), count.c_str(), nullptr);
        _exit(EXIT_FAILURE);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

}  // namespace
}  // namespace headway::bench

int main(int argc, char** argv) {
    using namespace headway::bench;
    const std::string rounds = argc > 1 ? argv[1] : "21";
    if (std::atoi(rounds.c_str()) < 1) {
        std::fprintf(stderr, "attention [ROUNDS]: as many rounds, at least 1; without it 21\n");
        return 2;
    }
    if (argc > 2) {
        try {
            compare(std::atoi(argv[2]), std::atoi(rounds.c_str()));
            return EXIT_SUCCESS;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
            return EXIT_FAILURE;
        }
    }
    std::printf("%s\nheadway: %s\nbuilt with %s\n", processor().c_str(), engine().c_str(), BUILT_WITH);
    for (const int threads : {1, 2}) {
        if (threads > static_cast<int>(std::thread::hardware_concurrency())) break;
        if (const int status = compare_in_another_process(threads, rounds); status != EXIT_SUCCESS) return status;
    }
}
