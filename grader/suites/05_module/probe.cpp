// What tells submissions of exercise 05 apart: every answer, whether right or wrong.
#include "suites/05_module/attention_object.hpp"

namespace headway::judge {
namespace {

/// Two steps in training and one in eval, with everything that options may change.
void probe_object(Student& student, Random& random, std::vector<double>& answers, const ObjectOptions& options) {
    const Sizes n = random_sizes(random);
    const Outcome made = student.outcome("make_multi_head_attention", {{"options", options.seeded(3).record()}});
    answers.push_back(made.error ? 1 + static_cast<double>(made.error->kind) : 0);
    const auto* object = std::get_if<wire::Handle>(&made.value);
    if (object == nullptr) return;
    const wire::Field self{"module", *object};
    answer_with(student, answers, "named_parameters", {self});
    const wire::Handle same = student.store(random_tensor(random, {n.B, n.T, options.D}));
    answer_with(student, answers, "forward", {self, {"query", same}, {"key", same}, {"value", same}, {"mask", Mask{}}});
    const Outcome state = student.outcome("state_dict", {self});
    if (const auto* record = std::get_if<wire::Record>(&state.value)) {
        wire::Record other = *record;
        for (wire::Field& field : other.fields) {
            answers.push_back(static_cast<double>(field.name.size()));
            field.value = random_tensor(random, std::get<Tensor>(field.value).shape()) * 0.3F;
        }
        answer_with(student, answers, "load_state_dict", {self, {"state", other}});
    }
    for (int mode = 0; mode < 2; ++mode) {
        for (const Mask& mask : {random_mask(random, {n.B, 1, n.T, n.S}), Mask{}, random_mask(random, {n.T, n.S}),
                                 random_mask(random, {n.B, options.H, n.T, n.S}), Mask::block_all({n.T, 1})}) {
            const Tensor query =
                random_tensor(random, {n.T, n.B, options.D}).transpose(0, 1) * (mode == 0 ? 1.0F : 300.0F);
            const Tensor key =
                random_tensor(random, {n.B, 1, options.D}) + random_tensor(random, {n.B, n.S, options.D}) * 0.1F;
            const Tensor value = random_tensor(random, {n.B, n.S, options.D});
            answer_with(student, answers, "attention_weights", {self, {"query", query}, {"key", key}, {"mask", mask}});
            answer_with(student, answers, "forward",
                        {self, {"query", query}, {"key", key}, {"value", value}, {"mask", mask}});
        }
        answer_with(student, answers, "eval", {self});
    }
    const Tensor all = random_tensor(random, {n.B, n.S, options.D});
    for (const Index T : {n.S, n.S - 1})
        answer_with(student, answers, "attention_weights",
                    {self, {"query", all.slice(1, 0, T)}, {"key", all}, {"mask", Mask{}}});
    answer_lasting(student, answers, "attention_weights", {self, {"query", all}, {"key", all}, {"mask", Mask{}}});
    answer_with(student, answers, "train", {self});
    const Tensor x = random_tensor(random, {n.B, n.T, options.D});
    answer_with(student, answers, "eval", {self});
    const wire::Handle view = student.store(x.transpose(0, 1));
    const Outcome kept =
        student.outcome("forward", {self, {"query", view}, {"key", view}, {"value", view}, {"mask", Mask{}}}, true);
    answer_with(student, answers, "forward", {self, {"query", x}, {"key", x}, {"value", x}, {"mask", Mask{}}});
    if (!kept.error) answer_with(student, answers, "read", {{"x", kept.value}});
    answer_with(student, answers, "state_dict", {self});
}

PROBE(Module) {
    const ObjectOptions objects[] = {{.D = 18, .H = 3, .bias = true},
                                     {.D = 20, .H = 5, .bias = false, .causal = true},
                                     {.D = 14, .H = 3, .head_dim = 6, .bias = true, .dropout = 0.3}};
    probe_object(student, random, answers, objects[random.integer(0, 2)]);
    for (const ObjectOptions& options :
         {ObjectOptions{.D = 18, .H = 0}, ObjectOptions{.D = 18, .H = 4},
          ObjectOptions{.D = 18, .H = 3, .dropout = 1.0}, ObjectOptions{.D = 18, .H = 3, .dropout = 1.5},
          ObjectOptions{.D = 18, .H = 3, .dropout = -0.5}, ObjectOptions{.D = 18, .H = 3, .head_dim = 0},
          ObjectOptions{.D = 0, .H = 3}}) {
        const Outcome made = student.outcome("make_multi_head_attention", {{"options", options.seeded(3).record()}});
        answers.push_back(made.error ? 1 + static_cast<double>(made.error->kind) : 0);
        if (const auto* object = std::get_if<wire::Handle>(&made.value))
            answer_with(student, answers, "named_parameters", {{"module", *object}});
    }
    for_some_relations(random, "B H T S d D=H*d", [&](const AxisSizes& some) {
        const ObjectOptions options{.D = some["D"], .H = some["H"], .bias = true, .causal = some["T"] > some["S"]};
        const Outcome made = student.outcome("make_multi_head_attention", {{"options", options.seeded(3).record()}});
        const auto* object = std::get_if<wire::Handle>(&made.value);
        if (object == nullptr) return;
        const wire::Field self{"module", *object};
        student.outcome("load_state_dict", {self, {"state", random_state(random, options)}});
        student.outcome("eval", {self});
        for (const bool masked : {true, false}) {
            const Question asked = random_question(random, some.sizes(), some["S"]);
            const Mask mask = masked ? mask_of_any_form(random, {some["B"], some["H"], some["T"], some["S"]}) : Mask{};
            answer_with(student, answers, "attention_weights",
                        {self, {"query", asked.query}, {"key", asked.key}, {"mask", mask}});
            answer_with(student, answers, "forward",
                        {self, {"query", asked.query}, {"key", asked.key}, {"value", asked.value}, {"mask", mask}});
        }
        const Question longer = random_question(random, {some["B"] + 1, 1, some["T"], 1, some["D"], 1}, some["S"]);
        answer_with(student, answers, "forward",
                    {self,
                     {"query", random_tensor(random, {some["B"], some["T"], some["D"]})},
                     {"key", longer.key},
                     {"value", longer.value},
                     {"mask", Mask{}}});
    });
}

}  // namespace
}  // namespace headway::judge
