#pragma once

#include "suites/06_catch_the_bug/attentions/habits.hpp"

namespace headway::attentions {

/// Queries, keys or values.
enum class Role { query, key, value };

/// The scores of one query, and which of their keys are blocked.
struct Row {
    float* score;
    const bool* blocked;
    Index keys;
};

/// Attention stage by stage. As it stands it is right; a wrong one changes a stage.
/// B batch · T queries · S keys · D embed_dim · E = H·d
class Staged {
public:
    virtual ~Staged() = default;
    Attended attend(const Inputs& asked, const Habits& habits);

protected:
    const Habits& habits() const { return *habits_; }
    virtual Inputs received(const Inputs& in) const;                   ///< the question, as it is read
    virtual Tensor input(Role role, const Inputs& in) const;           ///< (B, T or S, D)
    virtual Tensor weight(Role role, const Inputs& in) const;          ///< (D, E)
    virtual Tensor add_bias(const Tensor& x, const Tensor& b) const;   ///< (B, T or S, E), (E)
    virtual Tensor split(const Tensor& x, const InputSizes& n) const;  ///< (B, T or S, E) -> (B, H, T or S, d)
    virtual float scale(const InputSizes& n) const;                    ///< what scores are divided by
    virtual Mask blocked(const Inputs& in, const InputSizes& n);       ///< (B, H, T, S)
    /// (B, H, T, S) of scores and of blocked keys -> weights
    virtual Tensor weights(const Tensor& scores, const Mask& blocked) const;
    virtual void softmax(Row row) const;                                     ///< in place
    virtual Tensor merge(const Tensor& context, const InputSizes& n) const;  ///< (B, H, T, d) -> (B, T, E)
    /// What is returned as weights.
    virtual Tensor returned(const Tensor& weights) const;

private:
    Tensor project(Role role, const Inputs& in, const InputSizes& n) const;  ///< -> (B, H, T or S, d)

    const Habits* habits_ = nullptr;  ///< while it answers
};

}  // namespace headway::attentions
