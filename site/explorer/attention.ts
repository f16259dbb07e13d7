import { computed, onMounted, ref, shallowRef } from 'vue'

import { compare, summary, type Verdict } from './compare'
import { loadModel, type Model, type Question } from './model'
import { names } from './stages'

/** Attention as the question has it, and the same without mistakes beside it, once the model has started. */
export function useAttention(question: () => Question) {
  const model = shallowRef<Model>()
  const failure = ref('')
  onMounted(async () => {
    try {
      model.value = await loadModel()
      Object.assign(window, { headwayExplorer: model.value }) // for the console, and for tests
    } catch (error) {
      failure.value = `The explorer cannot start here. ${error instanceof Error ? error.message : error}`
    }
  })

  const right = computed(() => model.value?.answer({ ...question(), mistakes: [] }))
  const shown = computed(() => model.value?.answer(question()))
  const marked = computed(() => question().mistakes.length > 0)
  const stage = (id: string, of: 'right' | 'shown') =>
    (of === 'right' ? right.value : shown.value)?.stages.find((one) => one.id === id)
  const verdicts = computed<{ id: string; verdict: Verdict }[]>(() =>
    (right.value?.stages ?? []).map((one) => ({ id: one.id, verdict: compare(one, stage(one.id, 'shown')) })),
  )
  const sentence = computed(() => {
    if (!right.value || !shown.value || !marked.value) return ''
    return summary(right.value, shown.value, names)
  })
  return { model, failure, right, shown, marked, stage, verdicts, sentence }
}
