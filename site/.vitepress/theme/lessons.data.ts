import { type Lesson, lessons } from '../lessons'

declare const data: Lesson[]
export { data }

export default { load: lessons }
