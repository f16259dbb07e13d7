import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

export interface Lesson {
  number: string // "03"
  page: string // "03-scaled-scores"
  title: string // "Scaled scores and masks", without its number
  exercise: string // "03_scaled_scores"
  topic: string // "scaled_scores"
  summary: string // of the exercise
}

/** All lessons in their order, as the folders say. */
export function lessons(): Lesson[] {
  const exercises = readdirSync(root + 'exercises')
  return readdirSync(root + 'lessons')
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => {
      const page = file.replace(/\.md$/, '')
      const number = page.slice(0, 2)
      const heading = readFileSync(`${root}lessons/${file}`, 'utf8').match(/^# (.*)$/m)?.[1] ?? page
      const exercise = exercises.find((folder) => folder.startsWith(number + '_'))
      if (!exercise) throw new Error(`lessons/${file} has no exercise: there is no exercises/${number}_*`)
      const toml = readFileSync(`${root}exercises/${exercise}/exercise.toml`, 'utf8')
      const summary = toml.match(/^summary = "(.*)"$/m)?.[1] ?? ''
      return { number, page, title: heading.replace(/^\d+ · /, ''), exercise, topic: exercise.slice(3), summary }
    })
}
