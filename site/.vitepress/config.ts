import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

import { countOfLessons, exercises, lessons } from './lessons'
import { markdown } from './markdown'

import type { Plugin } from 'vite'

const inSite = (path: string) => fileURLToPath(new URL('../' + path, import.meta.url))

/** Pages stand outside this folder, but what they import is installed here. */
const packagesOfTheSite: Plugin = {
  name: 'packages-of-the-site',
  enforce: 'pre',
  resolveId(id, importer, options) {
    if (!/^vue(\/|$)/.test(id) || !importer?.endsWith('.md')) return
    return this.resolve(id, inSite('package.json'), { ...options, skipSelf: true })
  },
}

// The pages are the files of the repository themselves: nothing is copied, so nothing can be out of date.
export default defineConfig({
  title: 'Headway',
  description: 'Multi-head attention, learned by building it in C++20',
  lang: 'en',
  srcDir: '..',
  srcExclude: ['*.md', '!(lessons|site)/**', '.*/**', 'site/!(pages)/**'],
  rewrites: (page) => page.replace(/^(site\/pages\/|lessons\/(?=explorer))/, ''),
  cacheDir: inSite('.vitepress/cache'),
  cleanUrls: false, // any server of files will do, also one that knows no rules
  lastUpdated: false,

  // The front page says how many lessons there are: counted, so it stays true.
  transformPageData(page) {
    if (page.relativePath === 'explorer.md')
      Object.assign(page.frontmatter, { aside: false, sidebar: false, pageClass: 'explorer-page' })
    for (const feature of page.frontmatter.features ?? [])
      feature.details = feature.details.replace('COUNT', countOfLessons())
  },

  markdown,

  vite: {
    plugins: [packagesOfTheSite],
    publicDir: inSite('public'),
    server: { fs: { allow: [inSite('..')] } },
    // mermaid and the explorer's model are large, and loaded only where they are needed.
    build: { chunkSizeWarningLimit: 3000 },
  },

  themeConfig: {
    nav: [
      { text: 'Lessons', link: '/lessons/00-what-attention-is-for', activeMatch: '/lessons/' },
      { text: 'Exercises', link: '/exercises/', activeMatch: '/exercises/' },
      { text: 'Explorer', link: '/explorer' },
    ],
    sidebar: [
      { text: 'Begin', items: [{ text: 'How it works', link: '/begin' }] },
      {
        text: 'Lessons',
        items: lessons().map(({ number, page, title }) => ({ text: `${number} · ${title}`, link: `/lessons/${page}` })),
      },
      {
        text: 'Exercises',
        items: exercises().map(({ number, exercise, topic }) => ({
          text: `${number} ${topic}`,
          link: `/exercises/${exercise}`,
        })),
      },
      {
        text: 'Labs',
        items: [
          { text: 'What heads cost', link: '/lessons/labs/cost' },
          { text: 'Heads that form', link: '/lessons/labs/train' },
          { text: 'Heads that can go', link: '/lessons/labs/prune' },
          { text: 'A real model', link: '/lessons/labs/gpt2' },
        ],
      },
      { text: 'Try', items: [{ text: 'The explorer', link: '/explorer' }] },
    ],
    outline: [2, 3],
    search: { provider: 'local' },
  },
})
