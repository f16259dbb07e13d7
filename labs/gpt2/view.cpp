#include "labs/gpt2/view.hpp"

#include "labs/frame/heads.hpp"
#include "labs/frame/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headway::lab {
namespace {

using report::Tone;

/// The heads of one layer, as heatmaps.
Heads heads_of(const Reading& reading, Index layer) {
    Heads heads{
        fmt::format("Layer {}", layer), reading.labels, reading.looks[static_cast<std::size_t>(layer)].weights, {}};
    for (const HeadRole& role : reading.roles)
        if (role.layer == layer) heads.captions.push_back(fmt::format("head {}: {}", role.head, role.in_words()));
    return heads;
}

std::string share(double value) { return fmt::format("{:.2f}", value); }

/// Of each role, how many heads of all layers are called so, and the best of them.
Rows roles_in_model(const Reading& reading) {
    Rows rows{{"role", "heads", "the best", "score"}};
    const auto row = [&](const std::string& name, double HeadRole::*value) {
        const auto best = std::max_element(reading.roles.begin(), reading.roles.end(),
                                           [&](const auto& a, const auto& b) { return a.*value < b.*value; });
        const auto count = std::count_if(reading.roles.begin(), reading.roles.end(),
                                         [&](const HeadRole& role) { return role.name() == name; });
        rows.push_back(
            {name, std::to_string(count), fmt::format("{}.{}", best->layer, best->head), share((*best).*value)});
    };
    row("previous token", &HeadRole::previous);
    row("first token", &HeadRole::first);
    row("near-uniform", &HeadRole::even);
    row("induction", &HeadRole::induction);
    return rows;
}

std::string about_model(const Reading& reading) {
    return fmt::format("All {} heads: how many are called so in this text, and the best of them, layer.head.",
                       reading.roles.size());
}

Rows roles_in_layer(const Reading& reading) {
    Rows rows{{"head", "previous", "first", "even", "induction"}};
    for (const HeadRole& role : reading.roles)
        if (role.layer == reading.layer)
            rows.push_back({std::to_string(role.head), share(role.previous), share(role.first), share(role.even),
                            share(role.induction)});
    return rows;
}

Rows keys_and_values_table(const Reading& reading) {
    Rows rows{{"head", "|k|", "|v|", "cosine of k and v"}};
    Index head = 0;
    for (const KeyAndValue& one : keys_and_values(reading))
        rows.push_back(
            {std::to_string(head++), share(one.key_norm), share(one.value_norm), fmt::format("{:+.2f}", one.cosine)});
    return rows;
}

constexpr const char* about_roles =
    "previous, first: mean weight on the token before, and on the first; even: 1 looks at all tokens alike; induction: "
    "in a text of random tokens said twice, mean weight on what followed this token the first time.";

std::string about_keys(const Reading& reading) {
    return fmt::format("k and v of \"{}\" in layer {}: what it is found by, and what it then hands over.",
                       reading.labels[static_cast<std::size_t>(reading.token)], reading.layer);
}

std::string size_in_words(const Reading& reading) {
    return fmt::format("{} layers of {} heads, width {}, {} tokens in the vocabulary.", reading.sizes.layers,
                       reading.sizes.H, reading.sizes.D, reading.sizes.vocabulary);
}

std::string whose_blocks(const Reading& reading) {
    return reading.has_own_blocks
               ? "Its blocks are yours: attention (05), and norms, MLPs and residuals around it (14)."
               : "Its attention is yours (05); what is around it is the course's until you have written 14.";
}

void show_rows(report::Page& page, const Rows& rows) {
    const std::vector<std::string> lines = table_lines(rows);
    for (std::size_t i = 0; i < lines.size(); ++i) page.line(0, {{lines[i], i == 0 ? Tone::faint : Tone::plain}});
}

}  // namespace

std::vector<KeyAndValue> keys_and_values(const Reading& reading) {
    const Gpt2::LayerLook& look = reading.looks[static_cast<std::size_t>(reading.layer)];
    const Index D = reading.sizes.D, d = D / reading.sizes.H;
    std::vector<KeyAndValue> all;
    for (Index head = 0; head < reading.sizes.H; ++head) {
        const float* k = look.k.data() + reading.token * D + head * d;
        const float* v = look.v.data() + reading.token * D + head * d;
        double kk = 0, vv = 0, kv = 0;
        for (Index i = 0; i < d; ++i) {
            kk += static_cast<double>(k[i]) * k[i];
            vv += static_cast<double>(v[i]) * v[i];
            kv += static_cast<double>(k[i]) * v[i];
        }
        all.push_back({std::sqrt(kk), std::sqrt(vv), kk > 0 && vv > 0 ? kv / std::sqrt(kk * vv) : 0});
    }
    return all;
}

std::string gpt2_page(const Reading& reading) {
    return html_page("A real model, head by head", [&](report::Xml& page) {
        page.text("p", {}, size_in_words(reading) + " " + whose_blocks(reading));
        page.open("p");
        page.words(reading.text);
        page.text("strong", {}, reading.continuation);
        page.close();
        write_table(page, about_model(reading), roles_in_model(reading));
        write_scale(page);
        write_heads(page, heads_of(reading, reading.layer));
        write_table(page, about_roles, roles_in_layer(reading));
        write_table(page, about_keys(reading), keys_and_values_table(reading));
    });
}

void show_reading(report::Page& page, const Reading& reading) {
    page.line(0, {{size_in_words(reading), Tone::faint}});
    page.paragraph({}, {{whose_blocks(reading), Tone::faint}});
    page.blank();
    page.paragraph({}, {{reading.text}, {reading.continuation, Tone::strong}});
    page.blank();
    show_rows(page, roles_in_model(reading));
    page.paragraph({}, {{about_model(reading), Tone::faint}});
    page.blank();
    const Heads heads = heads_of(reading, reading.layer);
    const auto clearest =
        std::max_element(reading.roles.begin(), reading.roles.end(), [&](const auto& a, const auto& b) {
            const auto how = [&](const HeadRole& role) { return role.layer == reading.layer ? role.previous : -1; };
            return how(a) < how(b);
        });
    show_head(page, 0, heads, clearest->head);
    page.blank();
    page.line(0, {{fmt::format("Layer {}, head by head", reading.layer), Tone::strong}});
    show_rows(page, roles_in_layer(reading));
    page.paragraph({}, {{about_roles, Tone::faint}});
    page.blank();
    show_rows(page, keys_and_values_table(reading));
    page.paragraph({}, {{about_keys(reading), Tone::faint}});
}

nlohmann::json to_json(const Reading& reading) {
    nlohmann::json roles = nlohmann::json::array(), layers = nlohmann::json::array(), pairs = nlohmann::json::array();
    for (const HeadRole& role : reading.roles)
        roles.push_back({{"layer", role.layer},
                         {"head", role.head},
                         {"previous", role.previous},
                         {"first", role.first},
                         {"even", role.even},
                         {"induction", role.induction},
                         {"role", role.in_words()}});
    for (Index layer = 0; layer < reading.sizes.layers; ++layer) layers.push_back(to_json(heads_of(reading, layer)));
    for (const KeyAndValue& one : keys_and_values(reading))
        pairs.push_back({{"key_norm", one.key_norm}, {"value_norm", one.value_norm}, {"cosine", one.cosine}});
    return {{"lab", "gpt2"},
            {"own_blocks", reading.has_own_blocks},
            {"tokens", reading.tokens},
            {"labels", reading.labels},
            {"last_logits", reading.last_logits},
            {"continued", reading.continued},
            {"continuation", reading.continuation},
            {"roles", roles},
            {"layers", std::move(layers)},
            {"layer", reading.layer},
            {"token", reading.token},
            {"keys_and_values", pairs}};
}

}  // namespace headway::lab
