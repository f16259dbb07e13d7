// The course's C++, compiled for the browser, as TypeScript sees it. See model/as_json.hpp.

export interface Question {
  tokens: string[]
  D: number
  H: number
  numbers: 'lesson' | 'random'
  blocking: 'nothing' | 'future' | 'last_token'
  mistakes: string[]
}

export interface Stage {
  id: string
  shape: number[]
  numbers: number[]
}

export interface Answer {
  stages: Stage[]
  stoppedAt: string // the stage whose shapes do not fit; '' if there is none
  because: string
  refused: string // a sentence, if the question has no answer
}

export interface Mistake {
  id: string
  decision: string // no two mistakes of one decision are made together
  stage: string
  title: string
  right: string
  symptom: string
  question: string
}

export interface Model {
  mistakes: Map<string, Mistake>
  answer(question: Question): Answer
}

// JSON has no words for these.
const notFinite = new Map<unknown, number>([
  ['nan', NaN],
  ['inf', Infinity],
  ['-inf', -Infinity],
])

let started: Promise<Model> | undefined

/** One for all explorers of a page. */
export const loadModel = (): Promise<Model> => (started ??= start())

async function start(): Promise<Model> {
  const { default: create } = await import('./model/compiled/model.mjs')
  const compiled = await create()
  const all: Mistake[] = JSON.parse(compiled.ccall('headway_catalogue', 'string', [], []))
  return {
    mistakes: new Map(all.map((mistake) => [mistake.id, mistake])),
    answer(question) {
      const said = JSON.parse(compiled.ccall('headway_answer', 'string', ['string'], [JSON.stringify(question)]))
      const stages: Stage[] = (said.stages ?? []).map((stage: { id: string; shape: number[]; numbers: unknown[] }) => ({
        ...stage,
        numbers: stage.numbers.map((value) => notFinite.get(value) ?? (value as number)),
      }))
      return { stages, stoppedAt: said.stopped_at ?? '', because: said.because ?? '', refused: said.refused ?? '' }
    },
  }
}
