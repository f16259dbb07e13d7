// How much the tensor library adds to Eigen's products. Both sides run interleaved in one process; the ratios of the
// medians are printed last, and a ratio above the promised 1.2 is an exit status of 1.
#include <headway/random.hpp>
#include <headway/tensor.hpp>

#include <benchmark/benchmark.h>
#include <Eigen/Core>

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using headway::Index;
using headway::Random;
using headway::Shape;
using headway::Tensor;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double promised_ratio = 1.2;

enum class Factor { as_stored, transposed, every_other };

Tensor random_tensor(const Shape& shape) {
    Random random(1);
    return random.normal(shape);
}

/// The second factor: of this shape, and stored as `factor` says.
Tensor second_factor(Shape shape, Factor factor) {
    if (factor == Factor::as_stored) return random_tensor(shape);
    if (factor == Factor::transposed) return random_tensor(shape).transpose(-2, -1);
    const Shape seen = shape;
    shape.back() *= 2;
    headway::Strides strides = random_tensor(shape).strides();
    strides.back() = 2;
    return random_tensor(shape).as_strided(seen, strides);
}

void headway_product(benchmark::State& state, const Shape& shape, Factor factor) {
    const Tensor a = random_tensor(shape), b = second_factor(shape, factor);
    for (auto _ : state) benchmark::DoNotOptimize(headway::matmul(a, b).data());
}

/// These products as a user of Eigen would write them: one new result, and a map of each slice.
void eigen_product(benchmark::State& state, const Shape& shape, Factor factor) {
    using EveryOther = Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::Stride<Eigen::Dynamic, 2>>;
    const Tensor a = random_tensor(shape), b = second_factor(shape, factor);
    const Index size = a.size(-1), matrix = size * size, stored = factor == Factor::every_other ? 2 * matrix : matrix;
    for (auto _ : state) {
        const std::unique_ptr<float[]> product(new float[static_cast<std::size_t>(a.numel())]);
        for (Index slice = 0; slice < a.numel() / matrix; ++slice) {
            const Eigen::Map<const Matrix> left(a.data() + slice * matrix, size, size);
            const float* right = b.data() + slice * stored;
            Eigen::Map<Matrix> result(product.get() + slice * matrix, size, size);
            if (factor == Factor::as_stored)
                result.noalias() = left * Eigen::Map<const Matrix>(right, size, size);
            else if (factor == Factor::transposed)
                result.noalias() = left * Eigen::Map<const Matrix>(right, size, size).transpose();
            else
                result.noalias() = left * EveryOther(right, size, size, {2 * size, 2});
        }
        benchmark::DoNotOptimize(product.get());
        benchmark::ClobberMemory();
    }
}

/// Prints as usual, and keeps the medians.
class MedianReporter : public benchmark::ConsoleReporter {
public:
    void ReportRuns(const std::vector<Run>& runs) override {
        ConsoleReporter::ReportRuns(runs);
        for (const Run& run : runs)
            if (run.aggregate_name == "median") medians[run.run_name.function_name] = run.GetAdjustedCPUTime();
    }

    std::map<std::string, double> medians;
};

}  // namespace

int main(int argc, char** argv) {
    const Shape large{512, 512}, batch{8, 12, 64, 64};
    const std::vector<std::pair<std::string, std::pair<Shape, Factor>>> products = {
        {"512^3", {large, Factor::as_stored}},
        {"512^3, b transposed", {large, Factor::transposed}},
        {"512^3, b every other", {large, Factor::every_other}},
        {"96 x 64^3", {batch, Factor::as_stored}},
        {"96 x 64^3, b transposed", {batch, Factor::transposed}},
        {"96 x 64^3, b every other", {batch, Factor::every_other}},
    };
    for (const auto& [name, product] : products) {
        const auto& [shape, factor] = product;
        benchmark::RegisterBenchmark(("headway " + name).c_str(), headway_product, shape, factor)
            ->Unit(benchmark::kMillisecond);
        benchmark::RegisterBenchmark(("eigen " + name).c_str(), eigen_product, shape, factor)
            ->Unit(benchmark::kMillisecond);
    }

    // Interleaved, so that another load on the machine meets both sides. What the caller asks for comes later and wins.
    std::vector<std::string> defaults = {"--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=15",
                                         "--benchmark_min_time=0.1", "--benchmark_report_aggregates_only=true"};
    std::vector<char*> arguments = {argv[0]};
    for (std::string& argument : defaults) arguments.push_back(argument.data());
    arguments.insert(arguments.end(), argv + 1, argv + argc);
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

    MedianReporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    bool kept = true;
    std::printf("\nmedian CPU time, headway / Eigen (promised: at most %.1f)\n", promised_ratio);
    for (const auto& [name, product] : products) {
        const auto ours = reporter.medians.find("headway " + name), eigens = reporter.medians.find("eigen " + name);
        if (ours == reporter.medians.end() || eigens == reporter.medians.end()) continue;  // filtered out
        const double ratio = ours->second / eigens->second;
        std::printf("  %-26s %.3f\n", name.c_str(), ratio);
        kept = kept && ratio <= promised_ratio;
    }
    return kept ? 0 : 1;
}
