#include "labs/train/corpus.hpp"

#include "labs/frame/program.hpp"
#include "labs/train/identity.hpp"

#include <headway/random.hpp>

#include <fmt/format.h>

namespace headway::lab {
namespace {

std::string label_of(unsigned char byte) {
    if (byte == '\n') return "\\n";
    if (byte == ' ') return "_";
    return byte > ' ' && byte < 0x7F ? std::string(1, static_cast<char>(byte)) : fmt::format("{:02x}", byte);
}

/// Where what follows token t followed it the last time too, it can be copied.
void mark_copies(Batch& batch) {
    for (Index b = 0; b < batch.B; ++b)
        for (Index t = 0; t < batch.T; ++t)
            for (Index s = t; s >= 1; --s) {
                if (batch.tokens[batch.at(b, s - 1)] != batch.tokens[batch.at(b, t)]) continue;
                if (batch.tokens[batch.at(b, s)] == batch.next[batch.at(b, t)]) {
                    batch.relation[batch.at(b, t)] = Relation::copy;
                    batch.source[batch.at(b, t)] = s;
                }
                break;
            }
}

}  // namespace

Corpus::Corpus(const std::string& bytes, const std::string& name, Index T)
    : token_of_byte_(256, -1), identity_("corpus " + identity_of(bytes)), beginning_(bytes.substr(0, 32)) {
    if (static_cast<Index>(bytes.size()) < 20 * (T + 1))
        throw WrongUsage(fmt::format("{} holds {} bytes; at least {} are needed to learn anything", name, bytes.size(),
                                     20 * (T + 1)));
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (token_of_byte_[byte] < 0) {
            token_of_byte_[byte] = static_cast<Index>(labels_.size());
            labels_.push_back(label_of(byte));
        }
        tokens_.push_back(token_of_byte_[byte]);
    }
    validation_from_ = static_cast<Index>(tokens_.size()) * 9 / 10;
}

Batch Corpus::batch(Part part, std::uint64_t seed, Index B, Index T) const {
    Random random(2 * seed + (part == Part::training ? 0 : 1));
    const Index from = part == Part::training ? 0 : validation_from_;
    const Index to = part == Part::training ? validation_from_ : static_cast<Index>(tokens_.size());
    Batch batch{.B = B, .T = T, .tokens = {}, .next = {}, .relation = {}, .source = {}};
    for (Index b = 0; b < B; ++b) {
        const auto begin = tokens_.begin() + random.integer(from, to - T - 1);
        batch.tokens.insert(batch.tokens.end(), begin, begin + T);
        batch.next.insert(batch.next.end(), begin + 1, begin + T + 1);
    }
    batch.relation.assign(batch.tokens.size(), Relation::none);
    batch.source.assign(batch.tokens.size(), -1);
    mark_copies(batch);
    return batch;
}

std::vector<Index> Corpus::sentence(const std::string& words) const {
    std::vector<Index> tokens;
    for (const char c : words) {
        const Index token = token_of_byte_[static_cast<unsigned char>(c)];
        if (token < 0)
            throw WrongUsage(
                fmt::format("the corpus does not hold the character {}", label_of(static_cast<unsigned char>(c))));
        tokens.push_back(token);
    }
    return tokens;
}

std::string Corpus::default_sentence() const { return beginning_; }

}  // namespace headway::lab
