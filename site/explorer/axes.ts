// What the axes of a stage are called, and how many panels it is shown in.
import type { Question, Stage } from './model'

export interface Panel {
  title: string
  numbers: number[][] // rows of columns
  at: number // position of its first number
}

export interface Axes {
  shape: string // "(B, H, T, d)"
  panels: Panel[]
  rows: string[]
  columns: string[]
  rowName: string // "query"
  columnName: string // "key"
}

const heads = (H: number) => Array.from({ length: H }, (_, h) => `head ${h}`)
const counted = (size: number) => Array.from({ length: size }, (_, i) => String(i))
const lessonFeatures = ['thing', 'action', 'place', 'pos x', 'pos y', 'one']
const betweenTokens = ['scores', 'scaled', 'masked', 'weights']

/** Names for an axis whose size is not what it should be: by what it might be, else numbers. */
function guessed(size: number, question: Question): string[] {
  if (size === question.tokens.length) return question.tokens
  return size === question.H ? heads(size) : counted(size)
}

function features(stage: Stage, question: Question): string[] {
  if (stage.id === 'x' && question.numbers === 'lesson') return lessonFeatures
  if (!['q', 'k', 'v', 'merged'].includes(stage.id)) return counted(stage.shape[2])
  const width = question.D / question.H
  return counted(stage.shape[2]).map((_, i) => `h${Math.floor(i / width)}·${i % width}`)
}

function chunks<T>(all: T[], size: number): T[][] {
  return Array.from({ length: all.length / size }, (_, i) => all.slice(i * size, (i + 1) * size))
}

/** @param right  the stage without mistakes: where its shape is another, names are guessed from the sizes */
export function axesOf(stage: Stage, right: Stage, question: Question): Axes {
  const columns = stage.shape[stage.shape.length - 1]
  const rows = stage.shape[stage.shape.length - 2]
  const asExpected = stage.shape.join() === right.shape.join()
  const keys = betweenTokens.includes(stage.id)
  const titles = stage.shape.length < 4 ? [''] : asExpected ? heads(question.H) : guessed(stage.shape[1], question)
  const panels = chunks(chunks(stage.numbers, columns), rows).map((numbers, i) => ({
    title: titles[i] ?? String(i),
    numbers,
    at: i * rows * columns,
  }))
  const names = stage.shape.length < 4 ? '(B, T, D)' : keys ? '(B, H, T, T)' : '(B, H, T, d)'
  return {
    shape: asExpected ? names : 'not ' + names,
    panels,
    rows: asExpected ? question.tokens : guessed(rows, question),
    columns: stage.shape.length < 4 ? features(stage, question) : keys ? guessed(columns, question) : counted(columns),
    rowName: keys ? 'query' : 'token',
    columnName: keys ? 'key' : 'feature',
  }
}
