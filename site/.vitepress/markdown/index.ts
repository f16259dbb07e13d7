import { katex } from '@mdit/plugin-katex'
import type { MarkdownOptions } from 'vitepress'

import { explorer } from './explorer'
import { mermaid } from './mermaid'
import { computedTables } from './tables'

/** How the lessons' Markdown becomes HTML: on the site and in the pages that need no server. */
export const markdown: MarkdownOptions = {
  theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  config(md) {
    md.use(katex, {
      throwOnError: true, // a formula that cannot be set fails the build
      strict: false,
      // What TeX means by {{ }} is not what Vue means.
      transformer: (html: string) => html.replace(/^<span/, '<span v-pre').replace(/^<p/, '<p v-pre tabindex="0"'),
    })
    md.use(mermaid)
    md.use(computedTables)
    md.use(explorer)
  },
}
