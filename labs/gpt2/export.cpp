#include "labs/gpt2/export.hpp"

#include "labs/checkpoint/safetensors.hpp"
#include "labs/frame/program.hpp"
#include "labs/gpt2/spelling.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace headway::lab {
namespace {

/// Tokens and the merges that lead to them.
class Vocabulary {
public:
    /// Words first, with their own numbers; then bytes; then the beginnings of words, which merges pass through.
    explicit Vocabulary(const std::vector<std::string>& words) {
        for (const std::string& word : words) add(spelled(" " + word));
        for (unsigned byte = 0; byte < 256; ++byte) add(byte_spelling()[byte]);
        for (const std::string& word : words) {
            std::string beginning = spelled(" ");
            for (const char byte : word) {
                const std::string next = spelled(std::string(1, byte));
                const std::string merge = beginning + " " + next;
                beginning += next;
                add(beginning);
                if (std::find(merges_.begin(), merges_.end(), merge) == merges_.end()) merges_.push_back(merge);
            }
        }
    }

    Index size() const { return static_cast<Index>(numbers_.size()); }
    Index number(const std::string& token) const { return numbers_.at(token); }
    std::string vocab_json() const { return nlohmann::json(numbers_).dump() + "\n"; }

    std::string merges_txt() const {
        std::string text = "#version: 0.2\n";
        for (const std::string& merge : merges_) text += merge + "\n";
        return text;
    }

private:
    void add(const std::string& token) { numbers_.emplace(token, static_cast<Index>(numbers_.size())); }

    std::map<std::string, Index> numbers_;
    std::vector<std::string> merges_;
};

const Tensor& find(const nn::StateDict& table, const std::string& name) {
    return std::find_if(table.begin(), table.end(), [&](const auto& one) { return one.first == name; })->second;
}

/// Rows of words where they belong, also for what a single character is without its space; zeros elsewhere.
Tensor rows_for(const Vocabulary& vocabulary, const std::vector<std::string>& words, const Tensor& of_words) {
    Tensor rows = Tensor::zeros({vocabulary.size(), of_words.size(1)});
    for (std::size_t i = 0; i < words.size(); ++i) {
        const Tensor row = of_words[static_cast<Index>(i)];
        rows[static_cast<Index>(i)].copy_from(row);
        if (words[i].size() == 1) rows[vocabulary.number(spelled(words[i]))].copy_from(row);
    }
    return rows;
}

Tensor turned(const Tensor& weight) { return weight.transpose(0, 1).contiguous(); }

}  // namespace

void export_as_gpt2(const LanguageModel& model, const std::vector<std::string>& words, const std::string& folder) {
    const nn::StateDict& table = model.parameters();
    const Index D = model.sizes().D;
    const Vocabulary vocabulary(words);
    Checkpoint checkpoint;
    const auto put = [&](const std::string& name, const Tensor& value) {
        checkpoint.tensors.emplace_back(name, value);
    };
    put("wte.weight", rows_for(vocabulary, words, find(table, "tokens")));
    put("wpe.weight", find(table, "places"));
    for (Index block = 0; block < model.sizes().blocks; ++block) {
        const std::string h = "h." + std::to_string(block) + ".", from = "block" + std::to_string(block) + ".";
        const auto of = [&](const std::string& name) { return find(table, from + name); };
        put(h + "ln_1.weight", of("norm.gain"));
        put(h + "ln_1.bias", of("norm.bias"));
        put(h + "attn.c_attn.weight",
            cat({turned(of("q_proj.weight")), turned(of("k_proj.weight")), turned(of("v_proj.weight"))}, 1));
        put(h + "attn.c_attn.bias", cat({of("q_proj.bias"), of("k_proj.bias"), of("v_proj.bias")}, 0));
        put(h + "attn.c_proj.weight", turned(of("out_proj.weight")));
        put(h + "attn.c_proj.bias", of("out_proj.bias"));
        put(h + "ln_2.weight", Tensor::ones({D}));
        put(h + "ln_2.bias", Tensor::zeros({D}));
        put(h + "mlp.c_fc.weight", Tensor::zeros({D, 4 * D}));
        put(h + "mlp.c_fc.bias", Tensor::zeros({4 * D}));
        put(h + "mlp.c_proj.weight", Tensor::zeros({4 * D, D}));
        put(h + "mlp.c_proj.bias", Tensor::zeros({D}));
    }
    put("ln_f.weight", find(table, "norm.gain"));
    put("ln_f.bias", find(table, "norm.bias"));
    put("lm_head.weight", rows_for(vocabulary, words, find(table, "head.weight")));
    const nlohmann::json config = {{"model_type", "gpt2"},           {"vocab_size", vocabulary.size()},
                                   {"n_positions", model.sizes().T}, {"n_embd", D},
                                   {"n_head", model.sizes().H},      {"n_layer", model.sizes().blocks},
                                   {"layer_norm_epsilon", 1e-5},     {"activation_function", "gelu_new"}};
    write_safetensors(folder + "/model.safetensors", checkpoint);
    write_file(folder + "/config.json", config.dump(1) + "\n");
    write_file(folder + "/vocab.json", vocabulary.vocab_json());
    write_file(folder + "/merges.txt", vocabulary.merges_txt());
}

}  // namespace headway::lab
