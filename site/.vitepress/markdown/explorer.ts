import type MarkdownIt from 'markdown-it'

import { settingOf } from '../../explorer/setting'

const page = 'explorer.md#'

/**
 * A paragraph that begins with a link to the explorer, set to something, becomes the explorer itself; the link's text says
 * above it what to look at. What follows the link is for those who read the source: in a terminal, on a code host.
 */
export function explorer(md: MarkdownIt): void {
  md.core.ruler.push('explorer', ({ tokens }) => {
    tokens.forEach((token, i) => {
      const [link, ...rest] = tokens[i].children ?? []
      const href = link?.type === 'link_open' ? (link.attrGet('href') ?? '') : ''
      const at = href.indexOf(page)
      if (token.type !== 'inline' || tokens[i - 1]?.type !== 'paragraph_open' || at < 0) return
      const set = href.slice(at + page.length)
      settingOf(set) // what cannot be set fails the build
      token.children = rest.slice(0, rest.findIndex(({ type }) => type === 'link_close'))
      const [open, close] = [tokens[i - 1], tokens[i + 1]]
      open.type = close.type = 'explorer'
      open.attrSet('set', set)
      open.tag = close.tag = 'LessonExplorer'
    })
  })
  md.renderer.rules.explorer = (tokens, index, options, _, self) => self.renderToken(tokens, index, options)
}
