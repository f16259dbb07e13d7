// Brings a page to life: each component that stands in the HTML under its name gets its attributes and what is in it.
import 'katex/dist/katex.min.css'
import './style.css'

import { type Component, createApp, h } from 'vue'

import Diagram from '../.vitepress/theme/Diagram.vue'
import Explorer from '../explorer/Explorer.vue'
import LessonExplorer from '../explorer/LessonExplorer.vue'

const components: Record<string, Component> = { Diagram, Explorer, LessonExplorer }

document.addEventListener('DOMContentLoaded', () => {
  for (const [name, component] of Object.entries(components))
    for (const place of document.querySelectorAll(name)) {
      const attributes = Object.fromEntries([...place.attributes].map(({ name, value }) => [name, value]))
      const said = place.innerHTML
      createApp({ render: () => h(component, attributes, () => h('span', { innerHTML: said })) }).mount(place)
    }
})
