import type MarkdownIt from 'markdown-it'

/** ```mermaid becomes <Diagram>, which draws it in the browser, in the colours of the moment. */
export function mermaid(md: MarkdownIt): void {
  const code = md.renderer.rules.fence!
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index]
    if (info.trim() !== 'mermaid') return code(tokens, index, ...rest)
    return `<Diagram source="${encodeURIComponent(content)}"></Diagram>\n`
  }
}
