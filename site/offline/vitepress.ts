// What the components take from VitePress, for pages that stand alone.
import { ref } from 'vue'

/** The folder of the pages, wherever it lies. */
export const home = new URL('.', (document.currentScript as HTMLScriptElement).src)

export const withBase = (path: string) => new URL('.' + path, home).href

const dark = matchMedia('(prefers-color-scheme: dark)')
const isDark = ref(dark.matches)
const follow = () => {
  isDark.value = dark.matches
  document.documentElement.classList.toggle('dark', dark.matches)
}
follow()
dark.addEventListener('change', follow)

export const useData = () => ({ isDark })
