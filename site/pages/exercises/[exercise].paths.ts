import { exercises } from '../../.vitepress/lessons'

/** A page for each exercise, with its header and its visible tests as they are. */
export default {
  paths() {
    return exercises().map(({ number, page, exercise, topic, summary }) => {
      const content = `# ${number} · ${topic.replaceAll('_', ' ')}

${summary}

Read [lesson ${number}](/lessons/${page}.md) first. Then fill in \`exercises/${exercise}/${topic}.cpp\` and run
\`./headway grade ${number}\`.

## What is asked

<<< @/exercises/${exercise}/${topic}.hpp{cpp}

## The visible tests

\`./headway try ${number}\` runs them. They are few; the grader has more.

<<< @/exercises/${exercise}/visible_test.cpp
`
      return { params: { exercise }, content }
    })
  },
}
