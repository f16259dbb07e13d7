// The tables of numbers that the course computes, coloured like those of the explorer: in the text as it stands.
import type MarkdownIt from 'markdown-it'

import { cellColours } from '../../explorer/colours'

interface Cell {
  begin: number
  end: number // past the number; a shade of characters may follow
  value: number
  shade: string
}

// What rows and columns of a tensor are called in the lessons: tokens, keys, features, heads.
const name = /^(The|cat|sat|here|<pad>|-|k\d|f\d|h\d \d|thing|action|place|pos [xy]|one|(row|token|head) \d)$/

/** Numbers that stand for themselves, with room on both sides; not those within a formula or a pair. */
function cellsOf(line: string): Cell[] {
  const found = line.matchAll(/(?<= {2})(-?(?:\d+(?:\.\d+)?|inf)|NaN)( [█▓▒░])?(?= {2}|$)/g)
  return [...found].map(({ index, 1: number, 2: shade = '' }) => ({
    begin: index,
    end: index + number.length,
    value: Number(number.replace('inf', 'Infinity')),
    shade,
  }))
}

const wordsOf = (line: string) =>
  [...line.matchAll(/\S+( \S+)*/g)].map(({ 0: text, index }) => ({ text, end: index + text.length }))

/** Whether its numbers can be compared by colour: those of a tensor, not sizes beside times. */
function isOfTensor(lines: string[]): boolean {
  const body = lines.map(cellsOf)
  const columns = new Set(body.flat().map(({ end }) => end))
  const headings = wordsOf(lines[0]).filter(({ end }) => columns.has(end))
  if (headings.length > 0) return headings.length === columns.size && headings.every(({ text }) => name.test(text))
  const rows = lines.filter((_, i) => body[i].length > 0)
  return rows.length > 1 && rows.every((line) => name.test(wordsOf(line)[0].text))
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** @param width  of every cell, where there is room to its left; @param end  the number with the strongest colour */
function coloured(line: string, width: number, end: number): string {
  let html = ''
  let done = 0
  for (const cell of cellsOf(line)) {
    const taken = line.slice(0, cell.begin).trimEnd().length // one space stays between that and the cell
    const begin = Math.max(cell.end - width, Math.max(taken, done) + 1)
    const light = cellColours(cell.value / end, false)
    const dark = cellColours(cell.value / end, true)
    const look = Number.isFinite(cell.value)
      ? `cell" style="--light:${light.background};--dark:${dark.background};--light-ink:${light.color};--dark-ink:${dark.color}`
      : 'cell strange'
    html += escaped(line.slice(done, begin)) + `<span class="${look}">${line.slice(begin, cell.end)}</span>`
    html += ' '.repeat(cell.shade.length) // the colour says it
    done = cell.end + cell.shade.length
  }
  return html + escaped(line.slice(done))
}

/** @returns nothing if no table in it is one of a tensor's numbers */
export function colouredTable(text: string): string | undefined {
  const tables = text.replace(/\n$/, '').split('\n\n').map((table) => table.split('\n'))
  const ofTensors = tables.filter(isOfTensor)
  const cells = ofTensors.flat().flatMap(cellsOf)
  if (cells.length === 0) return undefined
  const sizes = cells.map(({ value }) => Math.abs(value)).filter(Number.isFinite)
  const areShares = cells.every(({ value }) => !(value < 0 || value > 1)) && /\.\d/.test(text)
  const end = areShares ? 1 : Math.max(...sizes, 1e-9)
  return tables
    .map((lines) => {
      if (!ofTensors.includes(lines)) return escaped(lines.join('\n'))
      const width = Math.max(...lines.flatMap(cellsOf).map((cell) => cell.end - cell.begin))
      return lines.map((line) => coloured(line, width, end)).join('\n')
    })
    .join('\n\n')
}

export function computedTables(md: MarkdownIt): void {
  const code = md.renderer.rules.fence!
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index]
    const isComputed = info.trim() === 'text' && tokens[index - 1]?.content.startsWith('<!-- computed: ')
    const table = isComputed ? colouredTable(content) : undefined
    if (table === undefined) return code(tokens, index, ...rest)
    return `<div class="language-text computed"><pre v-pre tabindex="0"><code>${table}</code></pre></div>\n`
  }
}
