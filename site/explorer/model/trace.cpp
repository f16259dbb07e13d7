#include "trace.hpp"

#include <diagnosis/catalogue.hpp>
#include <diagnosis/fused.hpp>
#include <diagnosis/softmax.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <stdexcept>

namespace headway::explorer {
namespace {

using diagnosis::Argument;
using diagnosis::Blocked;
using diagnosis::Choices;
using reference::Array;

constexpr std::array<const char*, 3> roles{"q", "k", "v"};

class Tracer {
public:
    explicit Tracer(const Question& question)
        : question_(question), choices_(choices_of(question)), inputs_(inputs_of(question)) {}

    Trace run() && {
        try {
            project();
            split();
            score();
            weigh();
            mix();
        } catch (const diagnosis::Unpredictable&) {
            stop("people do one thing or another here, so nothing is predicted");
        } catch (const std::exception& error) {
            stop(error.what());
        }
        return std::move(trace_);
    }

private:
    void stop(const std::string& because) {
        trace_.stopped_at = doing_;
        trace_.because = because;
    }

    Array keep(const std::string& id, const std::function<Array()>& compute) {
        doing_ = id;
        trace_.stages.push_back({id, compute()});
        return trace_.stages.back().numbers;
    }

    Array read(const Tensor& tensor, Argument argument) const { return choices_.reading.tensor(tensor, argument); }

    /// x (1, T, D) -> q, k, v (1, T, D)
    void project() {
        x_ = keep("x", [&] { return read(inputs_.x, Argument::query); });
        const std::array<Array, 3> weights{read(inputs_.w_q, Argument::w_q), read(inputs_.w_k, Argument::w_k),
                                           read(inputs_.w_v, Argument::w_v)};
        for (std::size_t role = 0; role < roles.size(); ++role)
            projected_[role] = keep(roles[role], [&] {
                const int source = choices_.projecting.weight[role];
                if (source < 0) return choices_.projecting.finish(x_, static_cast<int>(role));
                const Array& stored = weights[static_cast<std::size_t>(source)];
                const Array w = choices_.projecting.transposed[role] ? reference::transpose(stored, 0, 1) : stored;
                return choices_.projecting.finish(choices_.projecting.apply(x_, w, question_.H),
                                                  static_cast<int>(role));
            });
        if (!choices_.projecting.fused_by_heads) return;
        const std::array<Array, 3> parts = projected_;
        for (std::size_t role = 0; role < roles.size(); ++role)
            projected_[role] = diagnosis::cut_out_of_heads(parts, role, question_.H);
    }

    /// (1, T, D) -> (1, H, T, d)
    void split() {
        for (std::size_t role = 0; role < roles.size(); ++role)
            heads_[role] = keep(std::string(roles[role]) + "_heads",
                                [&] { return choices_.splitting.of(role)(projected_[role], question_.H); });
    }

    /// -> scores (1, H, T, T), scaled
    void score() {
        const Array& q = heads_[0];
        const Array& k = heads_[1];
        widths_ = {.B = q.size(0),
                   .H = q.size(1),
                   .T = q.size(-2),
                   .S = k.size(-2),
                   .d = q.size(-1),
                   .d_v = question_.D / question_.H,
                   .D = question_.D,
                   .default_d = question_.D / std::max<Index>(1, q.size(1))};
        const Array scores = keep("scores", [&] {
            return choices_.scoring.product(choices_.scoring.precision(q), choices_.scoring.precision(k));
        });
        scaled_ = keep("scaled", [&] { return reference::scale(scores, choices_.scoring.factor(widths_)); });
    }

    /// -> weights (1, H, T, T) -> context (1, H, T, d)
    void weigh() {
        Blocked asked, blocked;
        Array masked = scaled_;
        keep("masked", [&] {
            asked = blocked = choices_.masking.read(mask_of(question_, choices_), scaled_.shape);
            choices_.masking.block(masked, blocked);
            Array shown = masked;
            for (std::size_t i = 0; i < blocked.size(); ++i)
                if (blocked[i]) shown.value[i] = -std::numeric_limits<double>::infinity();
            return shown;
        });
        const Array weights = keep("weights", [&] {
            Array shares = diagnosis::softmax(masked, blocked, choices_.softmaxing);
            diagnosis::mask_afterwards(shares, scaled_, asked, choices_.masking);
            return choices_.softmaxing.finish(shares, widths_);
        });
        context_ = keep("context", [&] {
            return choices_.weighing.context({weights, scaled_, heads_[0], heads_[1], gathered(), asked});
        });
    }

    /// What stands where v should.
    const Array& gathered() const {
        switch (choices_.weighing.gathered) {
            case diagnosis::Gathered::keys:
                return heads_[1];
            case diagnosis::Gathered::queries:
                return heads_[0];
            case diagnosis::Gathered::values:
                break;
        }
        return heads_[2];
    }

    /// -> merged (1, T, D) -> output (1, T, D) -> y = x + output
    void mix() {
        const Array merged = keep("merged", [&] { return choices_.merging.merge(context_); });
        const Array w_v = reference::exact(inputs_.w_v);
        const Array output = keep("output", [&] {
            const Array w_o = read(inputs_.w_o, Argument::w_o);
            return choices_.output.project({merged, w_o, nullptr, x_, &w_v, question_.H});
        });
        keep("y", [&] { return choices_.residual.add(x_, output); });
    }

    const Question& question_;
    Choices choices_;
    Inputs inputs_;
    Trace trace_;
    std::string doing_;
    Array x_, scaled_, context_;
    std::array<Array, 3> projected_, heads_;
    diagnosis::Widths widths_;
};

}  // namespace

diagnosis::Choices choices_of(const Question& question) {
    Choices choices = diagnosis::right();
    for (const std::string& id : question.mistakes) {
        const auto& all = diagnosis::mistakes();
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto& mistake) { return mistake.id == id; });
        if (found == all.end() || found->make == nullptr)
            throw std::invalid_argument("The model has no mistake \"" + id + "\".");
        found->make(choices);
    }
    return choices;
}

Mask mask_of(const Question& question, const diagnosis::Choices& choices) {
    const auto T = static_cast<Index>(question.tokens.size());
    if (question.blocking == Blocking::future) {
        Mask mask = Mask::allow_all({T, T});
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < T; ++s) mask(t, s) = choices.masks.causal(t, s, T, T) != choices.masks.causal_turned;
        return mask;
    }
    if (question.blocking == Blocking::last_token) {
        const std::array<Index, 1> lengths{T - 1};
        Mask mask = Mask::allow_all({1, 1, 1, T});
        for (Index s = 0; s < T; ++s)
            mask(0, 0, 0, s) = choices.masks.padding(lengths, 0, s, T) != choices.masks.padding_turned;
        return mask;
    }
    return {};
}

Trace trace(const Question& question) { return Tracer(question).run(); }

}  // namespace headway::explorer
