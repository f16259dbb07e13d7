#pragma once

#include "format.hpp"

#include <filesystem>
#include <string>

namespace headway::lessons {

/// Where one head of a trained model looks, and what the model says next. Training takes most of a minute, so the
/// lesson shows stored numbers; lesson_training makes them, and checks them.
struct TrainedHead {
    Labels words;          ///< the sequence that it is shown
    Index block = 0;       ///< of the model
    Index head = 0;        ///< of the block
    double refer = 0;      ///< its score: the mean weight on the person whom a pronoun means
    std::string next;      ///< the word that the model thinks most likely after the last one
    double certainty = 0;  ///< that word's probability
    Tensor weights;        ///< (T, T)
};

/// @throws std::runtime_error if it cannot be read, or is not what to_text() writes
TrainedHead read_trained_head(const std::filesystem::path& file);

/// The whole file, with the command that makes it.
std::string to_text(const TrainedHead& trained);

}  // namespace headway::lessons
