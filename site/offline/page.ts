import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { MarkdownRenderer } from 'vitepress'

import { lessons } from '../.vitepress/lessons'

const root = fileURLToPath(new URL('../../', import.meta.url))

interface Page {
  file: string // "labs/train.html"
  source: string // "lessons/labs/train.md"
  title: string
}

const labs: [string, string][] = [
  ['cost', 'What heads cost'],
  ['train', 'Heads that form'],
  ['prune', 'Heads that can go'],
  ['gpt2', 'A real model'],
]

export function pages(): Page[] {
  return [
    ...lessons().map(({ number, page, title }) => ({
      file: `${page}.html`,
      source: `lessons/${page}.md`,
      title: `${number} · ${title}`,
    })),
    ...labs.map(([name, title]) => ({ file: `labs/${name}.html`, source: `lessons/labs/${name}.md`, title: `Lab · ${title}` })),
    { file: 'explorer.html', source: 'lessons/explorer.md', title: 'The explorer' },
  ]
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Pictures in the page itself, so it can be moved; no buttons that only VitePress brings to life. */
function standingAlone(html: string): string {
  return html
    .replaceAll(/src="(?:\.\/)?(pictures\/[^"]+\.svg)"/g, (_, picture) => {
      const bytes = readFileSync(`${root}lessons/${picture}`).toString('base64')
      return `src="data:image/svg+xml;base64,${bytes}"`
    })
    .replaceAll(/<button title="Copy Code" class="copy"><\/button>/g, '')
}

export function render(page: Page, md: MarkdownRenderer): string {
  const all = pages()
  const at = all.indexOf(all.find(({ file }) => file === page.file)!)
  const up = page.file.includes('/') ? '../' : ''
  const text = readFileSync(root + page.source, 'utf8')
  const content = md.render(text, { path: root + page.source, relativePath: page.source, cleanUrls: false })
  const link = ({ file, title }: Page) =>
    `<a href="${up}${file}"${file === page.file ? ' aria-current="page"' : ''}>${escaped(title)}</a>`
  const neighbours = page.file === 'explorer.html' ? [] : [all[at - 1], all[at + 1]]
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)} | Headway</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}headway.css">
<script src="${up}headway.js"></script>
</head>
<body>
<header><a href="#content" class="skip">To the lesson</a><a href="${up}${all[0].file}" class="course">Headway</a><a href="#lessons" class="to-lessons">All lessons</a></header>
<main id="content" class="vp-doc"${page.file === 'explorer.html' ? ' data-wide' : ''}>
${standingAlone(content)}
<p class="neighbours">${neighbours.map((one, i) => (one ? `<span>${i === 0 ? 'Before' : 'Next'}: ${link(one)}</span>` : '')).join('\n')}</p>
</main>
<nav id="lessons" aria-label="Lessons">
<ul>
${all.map((one) => `<li>${link(one)}</li>`).join('\n')}
</ul>
</nav>
</body>
</html>
`
}
