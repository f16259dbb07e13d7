// The pictures of the labs in Chromium, as files without a network. $HEADWAY_LAB_PAGES is the folder where they lie.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { accessibility, looks, sideways, start, wide } from './browser.mjs'

const folder = process.env.HEADWAY_LAB_PAGES
let browser
before(async () => (browser = await start()))
after(() => browser.stop())

/** What each page shows: charts, and heatmaps of heads. The trainings have 2 and 4 heads in each of two blocks. */
const pages = {
  'cost/cost.html': { charts: 7, heatmaps: 0 },
  'train/train.html': { charts: 4, heatmaps: 2 * (2 + 4) },
  'prune/prune.html': { charts: 2, heatmaps: 0 },
  'gpt2/gpt2.html': { charts: 0, heatmaps: 4 },
}

/** Of each picture: its name for who cannot see it, and what of it lies outside of its frame. */
const pictures = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('svg')].map((svg) => {
      const frame = svg.getBoundingClientRect()
      const outside = [...svg.querySelectorAll('text, path, polyline, circle')].filter((part) => {
        const box = part.getBoundingClientRect()
        return box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1
      })
      return {
        label: svg.getAttribute('aria-label') ?? '',
        area: frame.width * frame.height,
        outside: outside.map((part) => part.outerHTML.slice(0, 120)),
      }
    }),
  )

for (const [file, expected] of Object.entries(pages)) {
  for (const look of looks) {
    test(`lab ${file} in ${look.name}`, { skip: folder ? false : 'no $HEADWAY_LAB_PAGES' }, async () => {
      // The pages let no script in, not even the checker's: it comes by another door, except on the phone.
      const bypassCSP = look.viewport === wide
      const { page, complaints, close } = await browser.openFile(join(folder, file), { ...look, bypassCSP })
      const seen = await pictures(page)
      assert.equal(seen.length, expected.charts, 'charts')
      for (const picture of seen) {
        assert.ok(picture.label.length > 20, 'a chart without a text')
        assert.ok(picture.area > 10_000, 'a chart that cannot be seen')
        assert.deepEqual(picture.outside, [], 'parts of a chart outside of it')
      }
      assert.equal(await page.locator('.maps table').count(), expected.heatmaps, 'heatmaps')
      for (const caption of await page.locator('.maps caption').allInnerTexts()) assert.match(caption, /^head \d+: /)
      assert.ok((await sideways(page)) <= 0, 'the page can be scrolled sideways')
      if (bypassCSP) assert.deepEqual(await accessibility(page), [])
      await browser.screenshot(page, `lab-${file.replaceAll('/', '-').replace('.html', `-${look.name}`)}`, true)
      assert.deepEqual(complaints, [])
      await close()
    })
  }
}
