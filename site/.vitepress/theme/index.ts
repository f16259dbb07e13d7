import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'

import 'katex/dist/katex.min.css'
import './style.css'
import CourseList from './CourseList.vue'
import Diagram from './Diagram.vue'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('CourseList', CourseList)
    app.component('Diagram', Diagram)
  },
} satisfies Theme
