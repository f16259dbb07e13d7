export default function (): never {
  throw new Error('Emscripten was missing when this page was built; ./headway doctor says how to install it.')
}
