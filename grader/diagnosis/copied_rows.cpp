#include "diagnosis/copied_rows.hpp"

#include "diagnosis/pairs.hpp"

#include "reference/array.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace headway::diagnosis {
namespace {

using Row = std::vector<double>;

/// "[0, 1, 4]": which row that is, by its place along all axes but the last.
std::string place(const Shape& shape, std::size_t row) {
    std::string words;
    for (std::size_t axis = shape.size() - 1; axis-- > 0;) {
        const auto size = static_cast<std::size_t>(shape[axis]);
        words = std::to_string(row % size) + (words.empty() ? "" : ", ") + words;
        row /= size;
    }
    return "[" + words + "]";
}

Row row_of(const Array& array, std::size_t row) {
    const auto width = static_cast<std::ptrdiff_t>(array.shape.back());
    const auto begin = array.value.begin() + static_cast<std::ptrdiff_t>(row) * width;
    return {begin, begin + width};
}

/// Where each row of the arguments stands; what stands in several places tells nothing.
class Origins {
public:
    explicit Origins(const judge::Arguments& arguments) {
        for (const wire::Field& argument : arguments)
            if (const auto* tensor = std::get_if<Tensor>(&argument.value)) add(argument.name, *tensor);
    }

    std::optional<std::string> of(const Row& row) const {
        const auto found = places_.find(row);
        if (found == places_.end() || found->second.empty()) return std::nullopt;
        return found->second;
    }

private:
    void add(const std::string& name, const Tensor& tensor) {
        // A row of one number may be another's by chance.
        if (!tensor.defined() || tensor.rank() < 2 || tensor.numel() == 0 || tensor.size(-1) < 2) return;
        const Array array = reference::exact(tensor);
        const std::size_t rows = array.value.size() / static_cast<std::size_t>(array.shape.back());
        for (std::size_t row = 0; row < rows; ++row) {
            const auto [at, is_new] = places_.emplace(row_of(array, row), name + place(array.shape, row));
            if (!is_new) at->second.clear();
        }
    }

    std::map<Row, std::string> places_;
};

}  // namespace

std::string copied_rows(const std::vector<Observation>& observations) {
    const Observation* wrong = smallest_wrong(observations);
    if (wrong == nullptr) return {};
    const Origins origins(wrong->arguments);
    for (const Pair& pair : wrong_pairs({*wrong})) {
        if (pair.expected.shape.size() < 2 || pair.expected.shape.back() < 2) continue;
        const auto width = static_cast<std::size_t>(pair.expected.shape.back());
        for (std::size_t row = 0; row < pair.expected.value.size() / width; ++row) {
            bool is_wrong = false;
            for (std::size_t i = row * width; i < (row + 1) * width; ++i) is_wrong |= differs(pair, i);
            if (!is_wrong) continue;
            const auto due = origins.of(row_of(pair.expected, row)), seen = origins.of(row_of(pair.seen, row));
            if (!due || !seen) return {};
            return "for example, " + (pair.part.empty() ? "" : "in " + pair.part + ", ") +
                   place(pair.expected.shape, row) + " holds " + *seen + ", and should hold " + *due;
        }
    }
    return {};
}

}  // namespace headway::diagnosis
