// The explorer in Chromium: its numbers are those of the same C++ compiled natively, it reacts, and keys suffice.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'

import { accessibility, phone, start, wide } from './browser.mjs'

let browser
before(async () => (browser = await start()))
after(() => browser.stop())

/** The program tests/site/explorer_answers: what the C++ answers outside the browser. */
function native(questions) {
  const program = process.env.HEADWAY_EXPLORER_ANSWERS
  assert.ok(program, 'HEADWAY_EXPLORER_ANSWERS names the program explorer_answers of the build')
  const input = questions.map((question) => JSON.stringify(question) + '\n').join('')
  const { stdout, status } = spawnSync(program, { input, encoding: 'utf8', maxBuffer: 1 << 28 })
  assert.equal(status, 0)
  return stdout.trim().split('\n').map((line) => JSON.parse(line))
}

const lesson = { tokens: ['The', 'cat', 'sat', 'here'], D: 6, H: 2, numbers: 'lesson', blocking: 'nothing', mistakes: [] }

async function openExplorer(look) {
  const opened = await browser.open('/explorer.html', look)
  await opened.page.locator('.explorer[data-ready=true]').waitFor()
  return opened
}

const verdict = (page, stage) => page.locator(`[data-stage=${stage}]`).getAttribute('data-verdict')
const cells = (page, stage) => page.locator(`[data-stage=${stage}] [data-at]`).allInnerTexts()

/** Both in the few digits of a cell. */
function agree(shown, number) {
  const text = shown.trim().replace('−', '-')
  if (typeof number === 'string') return text === { nan: 'NaN', inf: '∞', '-inf': '-∞' }[number]
  return Math.abs(Number(text) - number) <= Math.max(0.00501, Math.abs(number) * 0.006)
}

async function expectShown(page, question) {
  const [answer] = native([question])
  for (const { id, numbers } of answer.stages) {
    const shown = await cells(page, id)
    assert.equal(shown.length, numbers.length, `${id}: cells`)
    numbers.forEach((number, i) => assert.ok(agree(shown[i], number), `${id}[${i}]: ${shown[i]} for ${number}`))
  }
}

test('the model in the browser answers as it does natively, with every mistake', async () => {
  const { page, close } = await openExplorer()
  const ids = await page.locator('.mistakes input').evaluateAll((inputs) => inputs.map((input) => input.name))
  assert.ok(ids.length >= 20)
  const drawn = { tokens: ['a', 'dog', 'saw', 'a', 'cat'], D: 12, H: 3, numbers: 'random', blocking: 'future' }
  const questions = [lesson, ...ids.flatMap((id) => [{ ...lesson, mistakes: [id] }, { ...drawn, mistakes: [id] }])]
  const expected = native(questions)
  const answered = await page.evaluate((all) => all.map((one) => window.headwayExplorer.answer(one)), questions)
  answered.forEach((answer, i) => {
    const what = JSON.stringify(questions[i])
    assert.equal(answer.stoppedAt, expected[i].stopped_at, what)
    assert.deepEqual(answer.stages.map(({ id }) => id), expected[i].stages.map(({ id }) => id), what)
    answer.stages.forEach(({ id, shape, numbers }, s) => {
      assert.deepEqual(shape, expected[i].stages[s].shape)
      numbers.forEach((number, n) => {
        const should = expected[i].stages[s].numbers[n]
        const close = typeof should === 'number' ? Math.abs(number - should) <= 1e-5 : !Number.isFinite(number)
        assert.ok(close, `${what} ${id}[${n}]: ${number} for ${should}`)
      })
    })
  })
  await close()
})

test('the page shows these numbers', async () => {
  const { page, complaints, close } = await openExplorer()
  await expectShown(page, lesson)
  await page.locator('.controls').getByLabel('Mask').selectOption('future')
  await expectShown(page, { ...lesson, blocking: 'future' })
  await page.getByLabel('Tokens').fill('dogs chase the cat')
  await page.getByLabel('D, model width').selectOption('12')
  await page.getByLabel('H, heads').selectOption('4')
  await expectShown(page, {
    tokens: ['dogs', 'chase', 'the', 'cat'], D: 12, H: 4, numbers: 'random', blocking: 'future', mistakes: [],
  })
  assert.deepEqual(complaints, [])
  await close()
})

test('a mistake marks the stages that change, and no other', async () => {
  const { page, close } = await openExplorer()
  await page.locator('input[name=scale_sqrt_model_width]').check()
  for (const stage of ['x', 'q', 'k', 'v', 'q_heads', 'scores']) assert.equal(await verdict(page, stage), 'same', stage)
  for (const stage of ['scaled', 'weights', 'output', 'y']) assert.equal(await verdict(page, stage), 'changed', stage)
  await expectShown(page, { ...lesson, mistakes: ['scale_sqrt_model_width'] })
  assert.match(await page.locator('.summary').innerText(), /from scaled scores on\. Every shape is right/)
  assert.ok((await page.locator('[data-stage=weights] td.changed').count()) > 0)

  await page.locator('input[name=scale_missing]').check() // the same decision: the other goes
  assert.equal(await page.locator('input[name=scale_sqrt_model_width]').isChecked(), false)

  await page.getByRole('button', { name: 'All off' }).click()
  await page.locator('input[name=output_summed_over_heads]').check()
  assert.equal(await verdict(page, 'output'), 'same')
  assert.match(await page.locator('.summary').innerText(), /Nothing changes/)
  await close()
})

test('where shapes stop fitting, it says so', async () => {
  const { page, close } = await openExplorer()
  await page.locator('input[name=split_missing_transpose]').check()
  assert.equal(await verdict(page, 'scores'), 'other shape')
  assert.equal(await verdict(page, 'output'), 'changed')
  await page.locator('.controls').getByLabel('Mask').selectOption('future')
  assert.match(await page.locator('.summary').innerText(), /It stops at masked scores/)
  assert.equal(await verdict(page, 'weights'), 'not reached')
  await close()
})

test('bad input is answered with a sentence', async () => {
  const { page, complaints, close } = await openExplorer()
  await page.getByLabel('Tokens').fill('')
  assert.match(await page.getByRole('alert').innerText(), /Choose 1 to 10 tokens/)
  await page.getByLabel('Tokens').fill('a b c d e f g h i j k')
  assert.match(await page.getByRole('alert').innerText(), /these are 11/)
  await page.getByLabel('Tokens').fill('one')
  assert.equal((await cells(page, 'weights')).length, 2)
  assert.deepEqual(complaints, [])
  await close()
})

test('everything can be done with keys alone', async () => {
  const { page, close } = await openExplorer()
  const [answer] = native([lesson])
  const weights = answer.stages.find(({ id }) => id === 'weights').numbers

  await page.locator('input[name=mask_ignored]').focus()
  await page.keyboard.press('Space')
  assert.equal(await page.locator('input[name=mask_ignored]').isChecked(), true)
  await page.keyboard.press('Space')

  const grid = page.locator('[data-stage=weights]').getByRole('grid', { name: 'weights, head 0' })
  assert.equal(await grid.locator('[tabindex="0"]').count(), 1) // one stop of Tab a table
  await grid.locator('[tabindex="0"]').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  const reading = await page.locator('[data-stage=weights] .reading').innerText()
  assert.match(reading, /head 0, query sat, key cat/)
  assert.ok(Math.abs(Number(reading.split('= ')[1]) - weights[2 * 4 + 1]) < 1e-6, reading)
  await close()
})

for (const [name, look] of Object.entries({
  light: { viewport: wide, colorScheme: 'light' },
  dark: { viewport: wide, colorScheme: 'dark' },
  phone: { viewport: phone, colorScheme: 'dark' },
})) {
  test(`with a mistake on, in ${name}, it can be read by everyone`, async () => {
    const { page, complaints, close } = await openExplorer(look)
    await page.getByRole('button', { name: 'Inside out' }).click()
    assert.deepEqual(await accessibility(page), [])
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    assert.ok(sideways <= 0, `the page can be scrolled sideways by ${sideways} pixels`)
    await browser.screenshot(page, `explorer-mistake-${name}`, true)
    assert.deepEqual(complaints, [])
    await close()
  })
}
