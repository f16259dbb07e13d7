// The built site in a real browser: served from its folder, with no way to anywhere else.
import { createReadStream, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'

export const site = fileURLToPath(new URL('..', import.meta.url))
export const course = join(site, '..')
const dist = join(site, '.vitepress/dist')
const screenshots = join(site, 'screenshots')

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

function serve() {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname))
    let file = join(dist, path)
    if (existsSync(file) && statSync(file).isDirectory()) file = join(file, 'index.html')
    if (!existsSync(file)) {
      response.writeHead(404).end('no such page')
      return
    }
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
    createReadStream(file).pipe(response)
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

/** Every page that was built, as "/lessons/01-single-head.html". */
export function builtPages(folder = dist, below = '') {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${below}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'assets' ? [] : builtPages(join(folder, entry.name), path)
    return entry.name.endsWith('.html') && path !== '/404.html' ? [path] : []
  })
}

function browserProgram() {
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  const found = names.flatMap((name) => process.env.PATH.split(':').map((folder) => join(folder, name))).find(existsSync)
  if (!found) throw new Error('There is no Chromium here: install it (on Debian: apt install chromium).')
  return found
}

export const wide = { width: 1280, height: 900 }
export const phone = { width: 390, height: 844 }

export const looks = [
  { name: 'light', colorScheme: 'light', viewport: wide },
  { name: 'dark', colorScheme: 'dark', viewport: wide },
  { name: 'phone', colorScheme: 'light', viewport: phone },
]

/** How far a page can be scrolled sideways, which it should not be. */
export const sideways = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)

export async function start() {
  const server = await serve()
  const home = `http://127.0.0.1:${server.address().port}`
  const browser = await chromium.launch({ executablePath: browserProgram(), args: ['--no-sandbox'] })
  mkdirSync(screenshots, { recursive: true })

  /** Any page; what goes wrong on it is added to `complaints`. */
  async function openUrl(url, { viewport = wide, colorScheme = 'light', bypassCSP = false } = {}) {
    const context = await browser.newContext({ viewport, colorScheme, bypassCSP, reducedMotion: 'reduce' })
    context.setDefaultTimeout(120_000) // a machine that is busy is not a mistake
    const page = await context.newPage()
    const complaints = []
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
    })
    await page.route(
      (url) => url.origin !== home && url.protocol.startsWith('http'),
      (route) => {
        complaints.push(`wants the network: ${route.request().url()}`)
        return route.abort()
      },
    )
    await page.goto(url)
    return { page, complaints, close: () => context.close() }
  }

  /** A page of the site, when it is alive. */
  async function open(path, look) {
    if (!existsSync(dist)) throw new Error('The site is not built: npm run build')
    const opened = await openUrl(home + path, look)
    await opened.page.locator('#app').waitFor()
    await opened.page.waitForFunction(() => document.querySelector('#app').__vue_app__ !== undefined)
    return opened
  }

  return {
    open,
    openFile: (file, look) => openUrl(pathToFileURL(file).href, look),
    screenshot: (page, name, fullPage = false) => page.screenshot({ path: join(screenshots, `${name}.png`), fullPage }),
    async stop() {
      await browser.close()
      server.close()
    },
  }
}

/** What the checker of accessibility objects to, in words. */
export async function accessibility(page) {
  await page.addScriptTag({ path: join(site, 'node_modules/axe-core/axe.min.js') })
  return page.evaluate(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
    // The one rule left out is experimental; it trips over the keys that VitePress draws in its search button.
    const rules = { 'label-content-name-mismatch': { enabled: false } }
    // It would read style sheets once more, which the browser refuses it in a page that was opened as a file.
    const preload = location.protocol !== 'file:'
    const { violations } = await axe.run({ runOnly: { type: 'tag', values: tags }, rules, preload })
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.length} × ${nodes[0].html.slice(0, 160)} ${nodes[0].failureSummary}`,
    )
  })
}
