#include "labs/train/language.hpp"

#include "labs/frame/program.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace headway::lab {
namespace {

// The vocabulary in its order; a word's token is its place.
constexpr std::array<const char*, 54> vocabulary_words = {
    ".",     "the",    "near",  "saw",   ",",     "she",   "he",    "left",    // 0
    "anna",  "bob",    "cara",  "dan",   "eva",   "finn",  "gina",  "hugo",    // 8: names
    "red",   "blue",   "green", "gold",  "pink",  "grey",  "black", "white",   // 16: colours
    "dog",   "cat",    "bird",  "horse", "dogs",  "cats",  "birds", "horses",  // 24: nouns
    "runs",  "sleeps", "sings", "waits", "run",   "sleep", "sing",  "wait",    // 32: their verbs
    "queen", "girl",   "aunt",  "king",  "boy",   "uncle",                     // 40: people
    "rome",  "oslo",   "paris", "delhi", "quito", "lagos", "cairo", "lima"};   // 46: towns
constexpr Index stop = 0, the = 1, near = 2, saw = 3, comma = 4, she = 5, he = 6, left = 7;
constexpr Index names = 8, colours = 16, nouns = 24, verbs = 32, people = 40, towns = 46;
constexpr Index of_a_kind = 8, women = 3, of_people = 6;

/// So many names a text, so that they come again.
constexpr Index names_in_a_text = 5;

/// Ten words a line.
std::string in_lines(const std::vector<std::string>& words) {
    std::string lines;
    for (std::size_t i = 0; i < words.size(); ++i) lines += (i % 10 == 0 ? "\n  " : " ") + words[i];
    return lines;
}

}  // namespace

std::string to_string(Relation relation) {
    switch (relation) {
        case Relation::copy:
            return "copy";
        case Relation::agree:
            return "agree";
        case Relation::refer:
            return "refer";
        case Relation::none:
            break;
    }
    return "none";
}

/// A text as it grows: tokens, and for each what decided it.
struct Language::Story {
    std::vector<Index> tokens = {stop};
    std::vector<Relation> relation = {Relation::none};
    std::vector<Index> source = {-1};
    std::vector<Index> cast;                                                  ///< the names of this text
    std::array<Index, of_a_kind> colour{};                                    ///< by name
    std::array<Index, of_a_kind> told_at = {-1, -1, -1, -1, -1, -1, -1, -1};  ///< where its colour was told last

    void say(Index token, Relation why = Relation::none, Index from = -1) {
        tokens.push_back(token);
        relation.push_back(why);
        source.push_back(from);
    }
    Index length() const { return static_cast<Index>(tokens.size()); }
};

Language::Language() : words_(vocabulary_words.begin(), vocabulary_words.end()) {}

void Language::wears(Random& random, Story& story) const {
    const Index name = story.cast[static_cast<std::size_t>(random.integer(0, names_in_a_text - 1))];
    const auto i = static_cast<std::size_t>(name);
    story.say(names + name);
    story.say(colours + story.colour[i], story.told_at[i] < 0 ? Relation::none : Relation::copy, story.told_at[i]);
    story.told_at[i] = story.length() - 1;
    story.say(towns + name);
    story.say(stop);
}

void Language::agrees(Random& random, Story& story) const {
    const Index noun = random.integer(0, of_a_kind - 1), other = random.integer(0, of_a_kind - 1);
    story.say(the);
    story.say(nouns + noun);
    const Index subject = story.length() - 1;
    story.say(near);
    story.say(the);
    story.say(nouns + other);
    story.say(verbs + noun, Relation::agree, subject);
    story.say(stop);
}

void Language::refers(Random& random, Story& story) const {
    const Index person = random.integer(0, of_people - 1), other = random.integer(0, of_people - 1);
    story.say(the);
    story.say(people + person);
    const Index subject = story.length() - 1;
    story.say(saw);
    story.say(the);
    story.say(people + other);
    story.say(comma);
    story.say(person < women ? she : he, Relation::refer, subject);
    story.say(left);
    story.say(stop);
}

void Language::tell(Random& random, Story& story) const {
    const Index kind = random.integer(1, 10);
    if (kind <= 7) {
        wears(random, story);
    } else if (kind <= 8) {
        agrees(random, story);
    } else {
        refers(random, story);
    }
}

Batch Language::batch(Part part, std::uint64_t seed, Index B, Index T) const {
    Random random(2 * seed + (part == Part::training ? 0 : 1));
    Batch batch{.B = B, .T = T, .tokens = {}, .next = {}, .relation = {}, .source = {}};
    for (Index b = 0; b < B; ++b) {
        Story story;
        std::vector<Index> cast;
        for (Index name = 0; name < of_a_kind; ++name) {
            cast.push_back(name);
            story.colour[static_cast<std::size_t>(name)] = random.integer(0, of_a_kind - 1);
        }
        for (Index i = 0; i < names_in_a_text; ++i)
            std::swap(cast[static_cast<std::size_t>(i)],
                      cast[static_cast<std::size_t>(random.integer(i, of_a_kind - 1))]);
        story.cast = cast;
        while (story.length() <= T) tell(random, story);
        batch.tokens.insert(batch.tokens.end(), story.tokens.begin(), story.tokens.begin() + T);
        batch.next.insert(batch.next.end(), story.tokens.begin() + 1, story.tokens.begin() + T + 1);
        batch.relation.insert(batch.relation.end(), story.relation.begin() + 1, story.relation.begin() + T + 1);
        batch.source.insert(batch.source.end(), story.source.begin() + 1, story.source.begin() + T + 1);
    }
    return batch;
}

std::vector<Index> Language::sentence(const std::string& words) const {
    std::vector<Index> tokens;
    std::istringstream stream(words);
    for (std::string word; stream >> word;) {
        const auto found = std::find(words_.begin(), words_.end(), word);
        if (found == words_.end()) {
            throw WrongUsage("the language of this lab does not know the word " + word +
                             ". It knows:" + in_lines(words_));
        }
        tokens.push_back(found - words_.begin());
    }
    return tokens;
}

std::string Language::default_sentence() const {
    return ". anna red rome . the dogs near the cat run . bob gold oslo . the queen saw the boy , she left . anna red "
           "rome";
}

}  // namespace headway::lab
