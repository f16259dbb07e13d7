import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { defineAsyncComponent, h } from 'vue'

import 'katex/dist/katex.min.css'
import './style.css'
import CourseList from './CourseList.vue'
import Diagram from './Diagram.vue'
import Verdict from './Verdict.vue'

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'home-features-before': () => h(Verdict) }),
  enhanceApp({ app }) {
    app.component('CourseList', CourseList)
    app.component('Diagram', Diagram)
    app.component('Explorer', defineAsyncComponent(() => import('../../explorer/Explorer.vue')))
    app.component('LessonExplorer', defineAsyncComponent(() => import('../../explorer/LessonExplorer.vue')))
  },
} satisfies Theme
