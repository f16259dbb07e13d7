// What the explorer is to show first: a link to it says so behind its #, as in
// explorer.md#mistakes=scale_missing,scale_sqrt_model_width&mask=future&show=scaled,weights
import type { Question } from './model'

export interface Setting {
  mistakes: string[] // to choose between; the first one is on
  blocking: Question['blocking']
  show: string[] // stages, in this order
}

const masks: Question['blocking'][] = ['nothing', 'future', 'last_token']

/** @throws Error if there is a word in it that means nothing: then a lesson is wrong */
export function settingOf(text: string): Setting {
  const setting: Setting = { mistakes: [], blocking: 'nothing', show: [] }
  const list = (words: string) => words.split(',').filter(Boolean)
  for (const [key, value] of new URLSearchParams(text)) {
    if (key === 'mistakes') setting.mistakes = list(value)
    else if (key === 'show') setting.show = list(value)
    else if (key === 'mask' && masks.includes(value as Question['blocking'])) {
      setting.blocking = value as Question['blocking']
    } else throw new Error(`the explorer cannot be set to ${key}=${value}`)
  }
  return setting
}

export function textOf({ mistakes, blocking, show }: Setting): string {
  const parts = [`mistakes=${mistakes.join()}`]
  if (blocking !== 'nothing') parts.push(`mask=${blocking}`)
  return [...parts, `show=${show.join()}`].join('&')
}
