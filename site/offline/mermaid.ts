// mermaid in a file of its own, which is read when there is a diagram to draw.
import type { Mermaid } from 'mermaid'

import { home } from './vitepress'

let loading: Promise<Mermaid> | undefined

const load = () =>
  (loading ??= new Promise<Mermaid>((resolve, reject) => {
    const script = document.createElement('script')
    script.src = new URL('mermaid.min.js', home).href
    script.onload = () => resolve((window as unknown as { mermaid: Mermaid }).mermaid)
    script.onerror = () => reject(new Error('mermaid.min.js is not beside the pages'))
    document.head.append(script)
  }))

export default {
  initialize: (config: Parameters<Mermaid['initialize']>[0]) => load().then((mermaid) => mermaid.initialize(config)),
  render: (id: string, text: string) => load().then((mermaid) => mermaid.render(id, text)),
}
