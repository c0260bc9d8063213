/** Colours as `#rrggbb`, and how well one is read on another: WCAG 2.2, relative luminance and contrast ratio. */

export type Colour = `#${string}`;

/** WCAG 2.2, success criterion 1.4.3: of text to its background. */
export const READABLE = 4.5;

const MIX_STEP = 0.05;

/** From 1 (the same) to 21 (black on white). */
export function contrast(one: Colour, other: Colour): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The colour itself where it is readable on all of these, else the nearest to it on the way to `end` that is. */
export function readableOn(colour: Colour, grounds: readonly Colour[], end: Colour): Colour {
  for (let share = 0; share < 1; share += MIX_STEP) {
    const mixed = mix(colour, end, share);
    if (grounds.every((ground) => contrast(mixed, ground) >= READABLE)) return mixed;
  }
  return end;
}

function channels(colour: Colour): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

function luminance(colour: Colour): number {
  const [red, green, blue] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mix(colour: Colour, end: Colour, share: number): Colour {
  const ends = channels(end);
  const mixed = channels(colour).map((value, index) => Math.round(value + (ends[index]! - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
