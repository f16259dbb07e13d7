// The lessons' pages as files, as `lesson --open` shows them: scripts/pages.sh builds them, nothing serves them.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'

import { accessibility, course, looks, sideways, start, wide } from './browser.mjs'
import { contents, expectContents } from './contents.mjs'

const pages = join(course, 'build/pages')
if (!existsSync(pages)) throw new Error('The pages are not built: npm run pages')
let browser
before(async () => (browser = await start()))
after(() => browser.stop())

const files = readdirSync(pages, { recursive: true }).filter((file) => file.endsWith('.html'))

test('every lesson and lab has its page, and links lead to pages', () => {
  const lessons = readdirSync(join(course, 'lessons'), { recursive: true }).filter((file) => file.endsWith('.md'))
  assert.deepEqual(files.sort(), lessons.map((file) => file.replace('.md', '.html')).sort())
  for (const file of files)
    for (const [, link] of readFileSync(join(pages, file), 'utf8').matchAll(/(?:href|src)="([^"#:]+)(?:#[^"]*)?"/g))
      assert.ok(existsSync(join(pages, dirname(file), link)), `${file} leads to ${link}`)
})

// 00: no formulas set by hand; 01: a diagram; 03: explorers; a lab: one folder down.
for (const file of ['00-what-attention-is-for', '01-single-head', '03-scaled-scores', 'labs/train']) {
  for (const look of looks) {
    test(`${file} as a file, in ${look.name}`, async () => {
      const { page, complaints, close } = await browser.openFile(join(pages, `${file}.html`), look)
      await expectContents(page, contents(join(course, 'lessons', `${file}.md`)), assert)
      assert.ok((await sideways(page)) <= 0, 'the page can be scrolled sideways')
      await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)))
      if (look.viewport === wide) assert.deepEqual(await accessibility(page), [])
      await browser.screenshot(page, `offline-${file.replace('/', '-')}-${look.name}`, true)
      assert.deepEqual(complaints, [])
      await close()
    })
  }
}

test('the fonts of formulas are in the style sheet', async () => {
  const { page, close } = await browser.openFile(join(pages, '03-scaled-scores.html'))
  const family = await page.locator('.katex .mathnormal').first().evaluate((one) => getComputedStyle(one).fontFamily)
  assert.match(family, /KaTeX_Math/)
  assert.ok(await page.evaluate(() => document.fonts.load('italic 16px KaTeX_Math').then((fonts) => fonts.length > 0)))
  await close()
})

test('the explorer in a lesson is set to the mistake, and can be set right', async () => {
  const { page, complaints, close } = await browser.openFile(join(pages, '03-scaled-scores.html'))
  const explorer = page.locator('.in-lesson').first()
  const weights = explorer.locator('[data-stage=weights]')
  await weights.locator('td[data-at]').first().waitFor()
  assert.equal(await weights.getAttribute('data-verdict'), 'changed')
  assert.equal(await explorer.locator('[data-stage=scores]').count(), 0, 'a stage that was not asked for')
  // As the lesson's table has them: here on cat, head 0.
  const hereOnCat = weights.locator('.heatmap').first().locator('[data-at="3,1"]')
  assert.match(await hereOnCat.innerText(), /0\.86/)
  const ground = (cell) => cell.evaluate((one) => getComputedStyle(one).backgroundColor)
  const strong = await ground(hereOnCat)
  assert.notEqual(strong, await ground(weights.locator('[data-at="3,0"]').first()), 'a heat map has colours')
  await explorer.getByRole('button', { name: 'right', exact: true }).click()
  assert.match(await hereOnCat.innerText(), /0\.95/)
  assert.notEqual(await ground(hereOnCat), strong)
  await explorer.getByRole('link', { name: 'Every stage' }).click()
  await page.locator('.explorer[data-ready=true] [data-stage=y]').waitFor()
  assert.deepEqual(complaints, [])
  await close()
})

test('a link to the explorer sets it', async () => {
  const { page, complaints, close } = await browser.openFile(join(pages, '03-scaled-scores.html'))
  await page.locator('.in-lesson').last().getByRole('link', { name: 'Every stage' }).click()
  await page.locator('.explorer[data-ready=true]').waitFor()
  assert.equal(await page.locator('input[name=mask_inverted]').isChecked(), true)
  assert.equal(await page.locator('.controls').getByLabel('Mask').inputValue(), 'future')
  assert.deepEqual(complaints, [])
  await close()
})

test('a computed table has the colours of the explorer', async () => {
  const { page, close } = await browser.openFile(join(pages, '03-scaled-scores.html'))
  const weights = page.locator('.computed', { hasText: 'true = blocked' })
  const ground = (number) =>
    weights.locator('.cell', { hasText: number }).first().evaluate((one) => getComputedStyle(one).backgroundColor)
  assert.equal(await ground('1.000'), 'rgb(230, 97, 0)', 'the strongest of shares')
  assert.equal(await ground('0.000'), 'rgb(255, 255, 255)')
  const colours = await page.locator('.computed', { hasText: 'q·kᵀ, head 0' }).locator('.cell').count()
  assert.equal(colours, 16, 'no number of the table is left out, and no label is taken for one')
  await close()
})
