// What the Markdown of a lesson has, to be found on its page.
import { readFileSync } from 'node:fs'

/** Formulas, diagrams, answers to unfold, pictures, explorers, headings. */
export function contents(file) {
  const markdown = readFileSync(file, 'utf8')
  const prose = markdown.replace(/```[\s\S]*?```/g, '').replace(/`[^`]*`/g, '')
  return {
    formulas: (prose.match(/\$\$[\s\S]+?\$\$|\$[^$\n]+\$/g) ?? []).length,
    diagrams: (markdown.match(/^```mermaid/gm) ?? []).length,
    answers: (markdown.match(/^<details>/gm) ?? []).length,
    pictures: (markdown.match(/^!\[.*\]\(.*\.svg\)$/gm) ?? []).length,
    explorers: (markdown.match(/^\[.*\]\(explorer\.md#/gm) ?? []).length,
    headings: (markdown.replace(/```[\s\S]*?```/g, '').match(/^#+ /gm) ?? []).length,
  }
}

/** Waits for it, and complains about what is not there. */
export async function expectContents(page, expected, assert) {
  await page.waitForFunction(
    ({ diagrams, explorers }) =>
      document.querySelectorAll('.diagram svg').length === diagrams &&
      document.querySelectorAll('.in-lesson[data-ready=true]').length === explorers,
    expected,
  )
  assert.equal(await page.locator('.katex-html').count(), expected.formulas, 'formulas')
  assert.equal(await page.locator('.katex-error').count(), 0, 'formulas that cannot be set')
  assert.equal(await page.locator('.vp-doc details').count(), expected.answers, 'answers to unfold')
  const pictures = page.locator('.vp-doc img[src*="svg"]')
  assert.equal(await pictures.count(), expected.pictures, 'pictures')
  for (const picture of await pictures.all())
    assert.ok((await picture.evaluate((img) => img.decode().then(() => img.naturalWidth))) > 0, 'a picture without content')
  assert.equal(await page.locator('.vp-doc :is(h1, h2, h3, h4)').count(), expected.headings, 'headings')
}
