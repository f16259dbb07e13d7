#pragma once

#include "labs/train/model.hpp"

#include <string>
#include <vector>

namespace headway::lab {

/// Writes a model of the lab train as a GPT-2: config.json, model.safetensors, vocab.json and merges.txt.
/// GPT-2 has an mlp in each layer: there it is all zeros, and adds nothing. It has no bias in its output head, so the
/// model's is left out. Words are written with a space before them; one of a single character also without.
/// @param words  the model's vocabulary   @throws std::runtime_error if the folder cannot be written
void export_as_gpt2(const LanguageModel& model, const std::vector<std::string>& words, const std::string& folder);

}  // namespace headway::lab
