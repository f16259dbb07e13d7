// Things to try, each with a prediction to make first.
import type { Question } from './model'

export interface Experiment {
  title: string
  ask: string
  set: Question
  answer: string
}

/** The running example of lesson 04. */
export const lesson = { tokens: ['The', 'cat', 'sat', 'here'], D: 6, H: 2, numbers: 'lesson' as const }

export const experiments: Experiment[] = [
  {
    title: 'Shapes cannot save you',
    ask: 'Heads split by a view alone, without the transpose. Every shape is right. At which stage could you have noticed?',
    set: { ...lesson, blocking: 'nothing', mistakes: ['split_by_view'] },
    answer:
      'At the split: row 1 of head 0 is not “cat”. It holds the other half of “The”. From there on, everything is wrong and everything fits.',
  },
  {
    title: 'The wrong root',
    ask: 'Divide by √D instead of √d. Which query will change its mind, and which will only become less sure?',
    set: { ...lesson, blocking: 'nothing', mistakes: ['scale_sqrt_model_width'] },
    answer:
      'None changes its favourite: all scores of a row shrink by the same factor, √H, so their order stays. Every row of weights gets flatter. Nothing crashes, and training makes up for it: w_q can grow by the factor √H, and the loss hardly differs. The program is still wrong: weights from a right one do not fit it.',
  },
  {
    title: 'Inside out',
    ask: 'A causal mask, read the wrong way round. What can the last token still see?',
    set: { ...lesson, blocking: 'future', mistakes: ['mask_inverted'] },
    answer:
      'Nothing: everything it was allowed to see is blocked, so its whole row of weights is 0. The others see only the future. A model trained like this looks fine, too fine, because it can see the answer.',
  },
  {
    title: 'Tokens that never meet',
    ask: 'Forget the transpose after the split. No error. What do the scores compare?',
    set: { ...lesson, blocking: 'nothing', mistakes: ['split_missing_transpose'] },
    answer:
      'The heads of one token with each other: scores are (B, T, H, H). Each token attends among its own two heads and never sees another token. The output has the right shape.',
  },
  {
    title: 'Two words alike',
    ask: '“a” stands here twice. Without a mask, can attention tell one from the other?',
    set: { tokens: ['a', 'dog', 'saw', 'a', 'cat'], D: 6, H: 3, numbers: 'random', blocking: 'nothing', mistakes: [] },
    answer:
      'No: equal rows ask the same, are found by the same, and end the same, in every head. Only positions, added to x, or a mask can part them. (Block the future and see.)',
  },
]
