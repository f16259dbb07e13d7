// Lesson 00: what attention is for. Its numbers come from the solutions of 01 and from a stored training.
#include "charts.hpp"
#include "lessons.hpp"
#include "sentence.hpp"
#include "trained_head.hpp"

#include <scaled_scores.hpp>
#include <single_head.hpp>

#include <algorithm>

namespace headway::lessons {
namespace {

/// Five words with two features each: how much they speak for an animal, how much for a road. The last one decides.
/// "cross" makes the even average of the first sentence a tie; the last words differ in length, so that shares do too.
struct Sentence {
    Labels words;
    Tensor x;  ///< (5, 2)
};
constexpr Index animal = 0, road = 2, it = 3, last = 4;
const Sentence tired{{"animal", "cross", "road", "it", "tired"},
                     Tensor::rows({{3, 0}, {-1, 2}, {0, 3}, {1, 1}, {3, 0}})};
const Sentence wide{{"animal", "cross", "road", "it", "wide"}, Tensor::rows({{3, 0}, {-1, 2}, {0, 3}, {1, 1}, {0, 2}})};

/// Whom "it" means, in two sentences that differ in their last word.
void whom_it_means(Blocks& blocks) {
    Picture picture(480, 292);
    picture.label({16, 24}, "One word moves the meaning of another", {.type = Type::strong});
    const auto draw = [&](double y, const std::string& final_word, bool is_animal, Tone tone) {
        const Box first{54, y, 74, 30}, second{256, y, 60, 30}, pronoun{170, y + 62, 40, 30},
            decides{284, y + 62, 64, 30};
        picture.label({16, y + 15}, "The");
        picture.cell(first, tone, is_animal ? 1 : 0, "animal");
        picture.label({192, y + 15}, "didn't cross the", {.anchor = Anchor::middle});
        picture.cell(second, tone, is_animal ? 0 : 1, "road");
        picture.label({162, y + 77}, "because", {.anchor = Anchor::end});
        picture.cell(pronoun, tone, 1, "it");
        picture.label({247, y + 77}, "was too", {.anchor = Anchor::middle});
        picture.cell(decides, tone, 1, final_word);
        picture.arrow({190, y + 62}, {is_animal ? 100.0 : 272.0, y + 31}, tone);
    };
    draw(48, "tired", true, Tone::blue);
    draw(176, "wide", false, Tone::orange);
    blocks.picture(
        "00/it", picture,
        "Two sentences. The animal didn't cross the road because it was too tired: an arrow leads from “it” to animal. "
        "The animal didn't cross the road because it was too wide: the arrow leads from “it” to road.");
}

/// softmax(x·xᵀ): the shares that each row takes of each.
Tensor shares(const Tensor& x) { return ex01::softmax_rows(matmul(x, x.transpose(0, 1))); }

/// All rows look once, then once more: where "it" looks then.
Tensor second_shares_of_it(const Tensor& x) { return shares(matmul(shares(x), x))[it]; }

/// The row of "it" as it is, and after it has taken shares of the other rows.
void looking_back(Blocks& blocks) {
    const auto after = [](const Sentence& one) { return matmul(shares(one.x), one.x).slice(0, it, it + 1); };
    const Labels features{"of an animal", "of a road"};
    blocks.text("00/four-words", beside({matrix("... tired", tired.words, features, tired.x),
                                         matrix("... wide", wide.words, features, wide.x)}));
    blocks.text("00/looking-back",
                grid({{"row of “it”", "of an animal", "of a road"},
                      {"alone, in both sentences", fixed(tired.x(it, 0), 2), fixed(tired.x(it, 1), 2)},
                      {"even average, ... tired", fixed(mean(tired.x, 0)(0), 2), fixed(mean(tired.x, 0)(1), 2)},
                      {"even average, ... wide", fixed(mean(wide.x, 0)(0), 2), fixed(mean(wide.x, 0)(1), 2)},
                      {"after looking, ... tired", fixed(after(tired)(0, 0), 2), fixed(after(tired)(0, 1), 2)},
                      {"after looking, ... wide", fixed(after(wide)(0, 0), 2), fixed(after(wide)(0, 1), 2)}}));
    Labels columns = tired.words;
    columns[last] = "last word";
    blocks.text("00/shares",
                matrix("shares of “it”", {"... tired", "... wide"}, columns,
                       ops::cat({shares(tired.x).slice(0, it, it + 1), shares(wide.x).slice(0, it, it + 1)}, 0), 2));
    for (const Sentence* one : {&tired, &wide}) {
        const Tensor second = second_shares_of_it(one->x);
        blocks.number("00/second-animal-" + one->words[last], fixed(second(animal), 2));
        blocks.number("00/second-road-" + one->words[last], fixed(second(road), 2));
    }

    Picture picture(480, 330);
    draw_bars(
        picture, {16, 12},
        {"“it” alone, in both sentences", {"animal", "road"}, numbers_of(tired.x[it]), 2, 290, 60, Tone::ink, 2, 28});
    draw_bars(picture, {16, 118},
              {"“it” after looking, in “… tired”",
               {"animal", "road"},
               numbers_of(after(tired)),
               2,
               290,
               60,
               Tone::blue,
               2,
               28});
    draw_bars(picture, {16, 224},
              {"“it” after looking, in “… wide”",
               {"animal", "road"},
               numbers_of(after(wide)),
               2,
               290,
               60,
               Tone::orange,
               2,
               28});
    blocks.picture("00/looking-back", picture,
                   "Bars for the row of “it”. Alone, in both sentences: " +
                       in_words({"animal", "road"}, numbers_of(tired.x[it]), 2) +
                       ". After looking, with tired: " + in_words({"animal", "road"}, numbers_of(after(tired)), 2) +
                       ". With wide: " + in_words({"animal", "road"}, numbers_of(after(wide)), 2) + ".");
}

/// Token, embedding, sequence, batch: a word, its row, a table, a stack of tables.
void from_word_to_batch(Blocks& blocks) {
    const Tensor x = one_head().x;  // (4, 3)
    const Index T = x.size(0), D = x.size(1);
    constexpr double side = 38, height = 32;
    Picture picture(480, 330);
    picture.label({16, 24}, "Token, embedding, sequence, batch", {.type = Type::strong});
    const auto row = [&](Point corner, Index t) {
        for (Index i = 0; i < D; ++i)
            picture.cell({corner.x + side * static_cast<double>(i), corner.y, side, height}, Tone::blue, x(t, i) / 2,
                         fixed(x(t, i), 0));
    };
    picture.label({16, 66}, "token", {.tone = Tone::faint, .type = Type::small});
    picture.cell({16, 80, 60, height}, Tone::orange, 1, tokens[1]);
    picture.arrow({82, 96}, {112, 96}, Tone::ink);
    picture.label({118, 66}, "its embedding, D = " + std::to_string(D), {.tone = Tone::faint, .type = Type::small});
    row({118, 80}, 1);

    picture.label({16, 148}, "sequence, T = " + std::to_string(T), {.tone = Tone::faint, .type = Type::small});
    for (Index t = 0; t < T; ++t) {
        const double y = 162 + 34 * static_cast<double>(t);
        picture.cell({16, y, 60, height}, Tone::orange, 1, tokens[static_cast<std::size_t>(t)]);
        row({118, y}, t);
    }
    picture.label({290, 148}, "batch, B = 3", {.tone = Tone::faint, .type = Type::small});
    for (int b = 2; b >= 0; --b) {
        const Box page{290 + 22.0 * b, 204 - 20.0 * b, 120, 92};
        picture.bar(page, Tone::faint);
        picture.frame(page, Tone::ink);
    }
    picture.label({350, 240}, "(T, D)", {.anchor = Anchor::middle});
    picture.label({350, 262}, "sequence 0", {.anchor = Anchor::middle, .type = Type::small});
    picture.label({290, 314}, "shape (B, T, D)", {.type = Type::small});
    blocks.picture("00/batch", picture,
                   "The token cat becomes its embedding, the row " + row_text(x[1]) + " of D = " + std::to_string(D) +
                       " numbers. The " + std::to_string(T) +
                       " rows of The cat sat here are a sequence, a table of T = " + std::to_string(T) +
                       " by D = " + std::to_string(D) +
                       ". Three such tables, one behind the other, are a batch of B = 3, of shape (B, T, D).");
}

/// The letters of the course, with the sizes of lesson 04's example and of a real model.
void letters(Blocks& blocks) {
    const TwoHeads two = two_heads();
    const Tensor q = two.split(two.w_q);  // (B, H, T, d)
    const Index H = 12, d = 64;           // GPT-2 small
    const auto line = [](const std::string& letter, const std::string& meaning, Index here, const std::string& there) {
        return "| " + letter + " | " + meaning + " | " + std::to_string(here) + " | " + there + " |\n";
    };
    blocks.markdown(
        "00/letters",
        "| letter | how many, or how wide | example of lesson 04 | GPT-2 small |\n|---|---|--:|--:|\n" +
            line("$B$", "sequences in a batch", q.size(0), "any") +
            line("$T$", "tokens that look: rows of queries", q.size(2), "up to 1,024") +
            line("$S$", "tokens that are looked at: rows of keys. $S = T$ where a sequence looks at itself", q.size(2),
                 "up to 1,024") +
            line("$D$", "numbers in the row of a token: the width of the model", two.x.size(2), grouped(H * d)) +
            line("$H$", "heads", q.size(1), std::to_string(H)) +
            line("$d$", "numbers in one head's query or key: head_dim in code", q.size(3), std::to_string(d)) +
            line("$E$", "all heads side by side: $H \\cdot d$, which is $D$ in most models", q.size(1) * q.size(3),
                 grouped(H * d)));
}

void trained(Blocks& blocks) {
    const TrainedHead head = read_trained_head(HEADWAY_COURSE "/lessons/numbers/trained_head.txt");
    const auto comma = static_cast<Index>(head.words.size()) - 1;
    Labels names = head.words;
    for (std::string& name : names)
        if (name == "." || name == ",") name = "“" + name + "”";
    Picture picture(480, 78 + 34 * static_cast<double>(names.size()));
    draw_heatmap(picture, {12, 10},
                 {"Where one trained head looks",
                  names,
                  names,
                  head.weights,
                  Tone::blue,
                  52,
                  {.width = 57, .height = 34},
                  3,
                  ex03::causal_mask(comma + 1, comma + 1)});
    std::string words =
        "A heat map of one head of a trained model, for " + std::to_string(head.words.size()) + " tokens.";
    for (Index t = 0; t <= comma; ++t) {
        const Tensor row = head.weights[t];
        const Index most = std::max_element(row.data(), row.data() + row.numel()) - row.data();
        const auto name = [&](Index i) { return names[static_cast<std::size_t>(i)]; };
        words += (t == 0 ? " Most of its weight goes" : ";") + std::string(" from ") + name(t) + " to " + name(most) +
                 ", " + fixed(row(most), 3);
    }
    blocks.picture("00/trained", picture, words + ".");
    blocks.number("00/comma-on-queen", fixed(head.weights(comma, 2), 3));
    blocks.number("00/comma-on-boy", fixed(head.weights(comma, 5), 3));
    blocks.number("00/next", head.next);
    blocks.number("00/certainty", head.certainty > 0.9995 ? "more than 0.999" : "about " + fixed(head.certainty, 3));
    blocks.number("00/refer", fixed(head.refer, 3));
    blocks.number("00/even-split", fixed(1.0 / static_cast<double>(comma + 1), 3));
}

void what_for(Blocks& blocks) {
    whom_it_means(blocks);
    looking_back(blocks);
    from_word_to_batch(blocks);
    letters(blocks);
    trained(blocks);
}

const Announced announced{&what_for};

}  // namespace
}  // namespace headway::lessons
