#include "trained_head.hpp"

#include "files.hpp"

#include <sstream>
#include <stdexcept>

namespace headway::lessons {
namespace {

constexpr const char* heading =
    "# Where one head looks, in the model that ./headway lab train --reference --attention-alone --heads 4 --seed 1\n"
    "# trains. Made by\n"
    "#     lesson_training --write lessons/numbers/trained_head.txt\n";

/// The next line, which begins with this name; what follows it.
std::istringstream line_of(std::istream& in, const std::string& name) {
    std::string line;
    std::getline(in, line);
    if (!line.starts_with(name + " ")) throw std::runtime_error("the trained head has no line \"" + name + "\"");
    return std::istringstream(line.substr(name.size()));
}

template <class Value>
Value value_of(std::istream& in) {
    Value value{};
    if (!(in >> value)) throw std::runtime_error("the trained head lacks a number");
    return value;
}

}  // namespace

TrainedHead read_trained_head(const std::filesystem::path& file) {
    const std::string text = contents(file);
    if (!text.starts_with(heading)) throw std::runtime_error(file.string() + " is no trained head");
    std::istringstream in(text.substr(std::string(heading).size()));
    TrainedHead trained;
    std::istringstream words = line_of(in, "words");
    for (std::string word; words >> word;) trained.words.push_back(word);
    std::istringstream block = line_of(in, "block"), head = line_of(in, "head"), refer = line_of(in, "refer"),
                       next = line_of(in, "next");
    trained.block = value_of<Index>(block);
    trained.head = value_of<Index>(head);
    trained.refer = value_of<double>(refer);
    trained.next = value_of<std::string>(next);
    trained.certainty = value_of<double>(next);
    const auto T = static_cast<Index>(trained.words.size());
    trained.weights = Tensor::zeros({T, T});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < T; ++s) trained.weights(t, s) = value_of<float>(in);
    return trained;
}

std::string to_text(const TrainedHead& trained) {
    std::string text = heading;
    text += "words";
    for (const std::string& word : trained.words) text += " " + word;
    text += "\nblock " + std::to_string(trained.block) + "\nhead " + std::to_string(trained.head) + "\nrefer " +
            fixed(trained.refer, 3) + "\nnext " + trained.next + " " + fixed(trained.certainty, 4) + "\n";
    for (Index t = 0; t < trained.weights.size(0); ++t)
        for (Index s = 0; s < trained.weights.size(1); ++s)
            text += fixed(trained.weights(t, s), 3) + (s + 1 < trained.weights.size(1) ? " " : "\n");
    return text;
}

}  // namespace headway::lessons
