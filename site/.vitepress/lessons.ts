import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

export interface Lesson {
  number: string // "03"
  page: string // "03-scaled-scores"
  title: string // "Scaled scores and masks", without its number
  summary: string // of the exercise
  exercise?: string // "03_scaled_scores"; lesson 00 has none
}

export interface Exercise extends Lesson {
  exercise: string
  topic: string // "scaled_scores"
}

/** All lessons in their order, as the folders say. */
export function lessons(): Lesson[] {
  const folders = readdirSync(root + 'exercises')
  return readdirSync(root + 'lessons')
    .filter((file) => /^\d\d-.*\.md$/.test(file))
    .sort()
    .map((file) => {
      const page = file.replace(/\.md$/, '')
      const number = page.slice(0, 2)
      const heading = readFileSync(`${root}lessons/${file}`, 'utf8').match(/^# (.*)$/m)?.[1] ?? page
      const lesson = { number, page, title: heading.replace(/^\d+ · /, '') }
      if (number === '00') return { ...lesson, summary: 'No code: why attention, and the words and letters of the course.' }
      const exercise = folders.find((folder) => folder.startsWith(number + '_'))
      if (!exercise) throw new Error(`lessons/${file} has no exercise: there is no exercises/${number}_*`)
      const toml = readFileSync(`${root}exercises/${exercise}/exercise.toml`, 'utf8')
      return { ...lesson, summary: toml.match(/^summary = "(.*)"$/m)?.[1] ?? '', exercise }
    })
}

/** The lessons that have an exercise, with it. */
export function exercises(): Exercise[] {
  return lessons().flatMap((lesson) =>
    lesson.exercise ? [{ ...lesson, exercise: lesson.exercise, topic: lesson.exercise.slice(3) }] : [],
  )
}

const words = 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen'.split(' ')

/** "eleven"; digits above fifteen. */
export function countOfLessons(): string {
  const count = lessons().length
  return words[count] ?? String(count)
}
