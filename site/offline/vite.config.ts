// The lessons as pages that need no server: `vite build --config offline/vite.config.ts --outDir FOLDER`. Markdown,
// components and the explorer's model are the website's; what stands around them is in page.ts.
import vue from '@vitejs/plugin-vue'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { createMarkdownRenderer } from 'vitepress'

import { markdown } from '../.vitepress/markdown'
import { pages, render } from './page'

const inSite = (path: string) => fileURLToPath(new URL('../' + path, import.meta.url))
const model = inSite('explorer/model/compiled/model.mjs')

/** Every lesson as a file, and mermaid beside them, which is loaded where there is a diagram. */
const lessonPages: Plugin = {
  name: 'lesson-pages',
  async generateBundle() {
    const md = await createMarkdownRenderer(inSite('..'), markdown)
    for (const page of pages()) this.emitFile({ type: 'asset', fileName: page.file, source: render(page, md) })
    const licences = ['katex', 'mermaid', 'vitepress', 'vue'].flatMap((name) => [
      name,
      readFileSync(inSite(`node_modules/${name}/LICENSE`), 'utf8'),
    ])
    this.emitFile({ type: 'asset', fileName: 'licences.txt', source: licences.join('\n\n') })
    const mermaid = readFileSync(inSite('node_modules/mermaid/dist/mermaid.min.js'))
    this.emitFile({ type: 'asset', fileName: 'mermaid.min.js', source: mermaid })
  },
}

/** Of KaTeX's fonts the ones that every browser of today takes: what is left goes into the style sheet. */
const fontsOnce: Plugin = {
  name: 'fonts-once',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('katex.min.css')) return undefined
    return code.replaceAll(/,url\([^)]*\.(woff|ttf)\) format\("[^"]*"\)/g, '')
  },
}

export default defineConfig({
  root: inSite('.'),
  plugins: [vue(), fontsOnce, lessonPages],
  publicDir: false,
  logLevel: 'warn',
  define: {
    'process.env.NODE_ENV': '"production"',
    __VUE_OPTIONS_API__: 'false',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
  },
  resolve: {
    alias: [
      { find: /^vitepress$/, replacement: inSite('offline/vitepress.ts') },
      { find: /^mermaid\/.*/, replacement: inSite('offline/mermaid.ts') },
      // Where nothing compiles C++ for the browser, the pages are there without the explorer, which says why.
      ...(existsSync(model) ? [] : [{ find: /^\.\/model\/compiled\/model\.mjs$/, replacement: inSite('offline/no_model.ts') }]),
    ],
  },
  build: {
    emptyOutDir: true,
    chunkSizeWarningLimit: 3000,
    // One classic script: a page that was opened as a file may not load modules.
    lib: { entry: inSite('offline/main.ts'), formats: ['iife'], name: 'headway', fileName: () => 'headway.js' },
    rollupOptions: { output: { assetFileNames: 'headway.[ext]' } },
  },
})
