// Every page in Chromium: it renders, with its formulas and diagrams, without an error, without the network, for everyone.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { accessibility, builtPages, course, looks, sideways, start, wide } from './browser.mjs'
import { contents, expectContents } from './contents.mjs'

let browser
before(async () => (browser = await start()))
after(() => browser.stop())

/** Of a lesson or lab. */
function contentsOf(path) {
  const file = join(course, path.replace('.html', '.md'))
  return path.startsWith('/lessons/') && existsSync(file) ? contents(file) : undefined
}

for (const path of builtPages()) {
  for (const look of looks) {
    test(`${path} in ${look.name}`, async () => {
      const { page, complaints, close } = await browser.open(path, look)
      const expected = contentsOf(path)
      if (expected) await expectContents(page, expected, assert)
      assert.ok((await sideways(page)) <= 0, 'the page can be scrolled sideways')
      await page.evaluate(() => document.querySelectorAll('.vp-doc details').forEach((details) => (details.open = true)))
      // What a phone shows differently is room, which was asked above.
      if (look.viewport === wide) assert.deepEqual(await accessibility(page), [])
      await browser.screenshot(page, path.slice(1).replaceAll('/', '-').replace('.html', `-${look.name}`))
      assert.deepEqual(complaints, [])
      await close()
    })
  }
}

test('a lesson is found by a word in it', async () => {
  const { page, complaints, close } = await browser.open('/begin.html')
  await page.keyboard.press('Control+k')
  await page.locator('#localsearch-input').fill('polarity')
  await page.locator('.VPLocalSearchBox .result').first().waitFor()
  assert.match(await page.locator('.VPLocalSearchBox .results').innerText(), /mask/i)
  assert.deepEqual(complaints, [])
  await close()
})

test('the landing page counts the lessons and leads to the first, and each lesson to the next', async () => {
  const { page, close } = await browser.open('/index.html')
  const count = readdirSync(join(course, 'lessons')).filter((file) => /^\d\d-.*\.md$/.test(file)).length
  const words = { 11: 'eleven', 12: 'twelve', 13: 'thirteen', 14: 'fourteen', 15: 'fifteen' }
  const said = (await page.locator('.VPFeatures').innerText()).match(/There are (\w+) lessons/)?.[1]
  assert.equal(said, words[count] ?? `${count}`)
  assert.match(await page.locator('.verdict').innerText(), /▸ scores are divided by √D, the model width/)
  await page.locator('.VPHero').getByRole('link', { name: 'What attention is for' }).click()
  await page.getByRole('heading', { level: 1, name: /What attention is for/ }).waitFor()
  await page.locator('.pager-link.next').click()
  await page.getByRole('heading', { level: 1, name: /One attention head/ }).waitFor()
  await page.locator('.pager-link.next').click()
  await page.getByRole('heading', { level: 1, name: /Splitting heads/ }).waitFor()
  await close()
})

test('an exercise shows its header as it is', async () => {
  const { page, close } = await browser.open('/exercises/03_scaled_scores.html')
  const shown = await page.locator('.vp-doc pre code').first().innerText()
  const header = readFileSync(join(course, 'exercises/03_scaled_scores/scaled_scores.hpp'), 'utf8')
  const squeezed = (text) => text.replace(/\s+/g, ' ').trim()
  assert.equal(squeezed(shown), squeezed(header))
  await close()
})
