// Colours of a heatmap: orange above zero, blue below, and the page's own ground at zero.
type Colour = [number, number, number]

const ends: Record<'light' | 'dark', { zero: Colour; above: Colour; below: Colour }> = {
  light: { zero: [255, 255, 255], above: [230, 97, 0], below: [26, 95, 180] },
  dark: { zero: [32, 33, 39], above: [255, 163, 72], below: [98, 160, 234] },
}

function mixed(from: Colour, to: Colour, share: number): Colour {
  return from.map((value, i) => Math.round(value + (to[i] - value) * share)) as Colour
}

/** Relative luminance.   [WCAG 2.2] */
function luminance(colour: Colour): number {
  const [r, g, b] = colour.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Ground and text of a cell; `value` in units of the scale's end, from -1 to 1. */
export function cellColours(value: number, dark: boolean): { background: string; color: string } {
  const { zero, above, below } = ends[dark ? 'dark' : 'light']
  const share = Math.min(1, Math.abs(value))
  const ground = mixed(zero, value < 0 ? below : above, share)
  // Whichever of black and white stands out more: at least 4.5 to 1, whatever the ground.
  const color = luminance(ground) > 0.179 ? '#000' : '#fff'
  return { background: `rgb(${ground.join(' ')})`, color }
}
