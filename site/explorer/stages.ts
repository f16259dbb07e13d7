// What each stage of the explorer is called and says. The ids are those of model/trace.hpp.
export interface Step {
  title: string
  formula: string
  text: string
  stages: string[]
  probabilities?: boolean // from 0 to 1, with the sum of each row
}

export const steps: Step[] = [
  {
    title: 'Tokens',
    formula: 'x',
    text: 'One row per token. A word has the same row wherever it stands, and no row knows of another yet.',
    stages: ['x'],
  },
  {
    title: 'Project',
    formula: 'q = x·w_q, k = x·w_k, v = x·w_v',
    text: 'Three lenses on each token: what it looks for, what it is found by, what it says. Whole rows are mixed here, before any split.',
    stages: ['q', 'k', 'v'],
  },
  {
    title: 'Split',
    formula: 'view (B, T, H, d), then transpose(1, 2)',
    text: 'The same numbers, dealt to the heads: head h gets the columns h·d to (h + 1)·d. Nothing is computed.',
    stages: ['q_heads', 'k_heads', 'v_heads'],
  },
  {
    title: 'Scores',
    formula: 'q·kᵀ',
    text: 'Every query with every key, in each head by itself. A row is a token that looks; a column one that is looked at.',
    stages: ['scores'],
  },
  {
    title: 'Scale',
    formula: 'scores / √d',
    text: 'A score adds up d products, so its size grows like √d. This takes the growth out.',
    stages: ['scaled'],
  },
  {
    title: 'Mask',
    formula: 'blocked scores become −∞',
    text: 'What a query may not see gets no weight, because exp(−∞) = 0.',
    stages: ['masked'],
  },
  {
    title: 'Weights',
    formula: 'softmax over the keys',
    text: 'Each row becomes shares. Σ is the sum of the row: 1, if softmax ran over the right axis.',
    stages: ['weights'],
    probabilities: true,
  },
  {
    title: 'Weigh',
    formula: 'weights · v',
    text: 'Each token collects values, in proportion to its weights: the context. One row per token, in each head.',
    stages: ['context'],
  },
  {
    title: 'Merge',
    formula: 'transpose(1, 2), contiguous, view (B, T, D)',
    text: 'The heads of a token side by side again. They know nothing of each other yet.',
    stages: ['merged'],
  },
  {
    title: 'Output',
    formula: 'merged · w_o',
    text: 'The output projection mixes the heads: it decides what each of them writes, and where.',
    stages: ['output'],
  },
  {
    title: 'Residual',
    formula: 'x + output',
    text: 'The token is edited, not replaced.',
    stages: ['y'],
  },
]

/** For a single number or table: "k in heads". */
export const names = new Map([
  ['x', 'x'],
  ['q', 'q'],
  ['k', 'k'],
  ['v', 'v'],
  ['q_heads', 'q in heads'],
  ['k_heads', 'k in heads'],
  ['v_heads', 'v in heads'],
  ['scores', 'scores'],
  ['scaled', 'scaled scores'],
  ['masked', 'masked scores'],
  ['weights', 'weights'],
  ['context', 'context'],
  ['merged', 'merged'],
  ['output', 'output'],
  ['y', 'x + output'],
])
