import type { Answer, Stage } from './model'

export type Verdict =
  | { kind: 'same' }
  | { kind: 'changed'; count: number; of: number; largest: number }
  | { kind: 'other shape' }
  | { kind: 'not reached' }

/** Whether two numbers are the same but for rounding. */
export function alike(a: number, b: number): boolean {
  return Object.is(a, b) || Math.abs(a - b) <= 1e-6
}

export function compare(right: Stage, shown: Stage | undefined): Verdict {
  if (!shown) return { kind: 'not reached' }
  if (right.shape.join() !== shown.shape.join()) return { kind: 'other shape' }
  const differing = right.numbers.map((value, i) => [value, shown.numbers[i]]).filter(([a, b]) => !alike(a, b))
  if (differing.length === 0) return { kind: 'same' }
  const largest = Math.max(...differing.map(([a, b]) => Math.abs(a - b)))
  return { kind: 'changed', count: differing.length, of: right.numbers.length, largest }
}

export function inWords(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'same':
      return 'the same'
    case 'changed':
      return verdict.count === verdict.of ? 'every number changes' : `${verdict.count} of ${verdict.of} change`
    case 'other shape':
      return 'another shape'
    case 'not reached':
      return 'not reached'
  }
}

/** What the mistakes do, in a sentence or two. */
export function summary(right: Answer, shown: Answer, names: Map<string, string>): string {
  const verdicts = right.stages.map((stage) => ({
    id: stage.id,
    ...compare(stage, shown.stages.find(({ id }) => id === stage.id)),
  }))
  const touched = verdicts.filter(({ kind }) => kind !== 'same')
  const name = (id: string) => names.get(id) ?? id
  if (touched.length === 0) return 'Nothing changes: with this input every stage has the same numbers.'
  if (shown.stoppedAt) return `It stops at ${name(shown.stoppedAt)}: ${shown.because}.`
  const first = `${touched.length} of ${verdicts.length} stages change, from ${name(touched[0].id)} on.`
  const output = verdicts[verdicts.length - 1]
  if (output.kind === 'same') return `${first} The end result is the same.`
  const crash = touched.some(({ kind }) => kind === 'other shape')
    ? 'Shapes differ on the way, and yet nothing crashes.'
    : 'Every shape is right, so nothing crashes.'
  return `${first} ${crash}`
}
