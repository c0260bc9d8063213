import * as fc from 'fast-check';
import { type Colour, contrast, READABLE, readableOn } from '../../../../src/commerce/page-themes/colour';
import { PLAIN, paletteOf, requireReadable } from '../../../../src/commerce/page-themes/theme';

const channel = fc.integer({ min: 0, max: 255 });
const colours = fc
  .tuple(channel, channel, channel)
  .map((parts): Colour => `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`);

// Figures of the WCAG's own definition.
test.each([
  ['#000000', '#ffffff', 21],
  ['#ffffff', '#ffffff', 1],
  ['#777777', '#ffffff', 4.48],
  ['#767676', '#ffffff', 4.54],
  ['#ff0000', '#ffffff', 4],
  ['#1d4ed8', '#ffffff', 6.7],
] as const)('%s on %s: %f to 1', (one, other, ratio) => {
  expect(contrast(one, other)).toBeCloseTo(ratio, 1);
  expect(contrast(other, one)).toBe(contrast(one, other));
});

test('a colour that cannot be read is refused, with its figure', () => {
  expect(() => requireReadable({ accent: '#ffcc00', ground: null })).toThrow(/^accent has a contrast of 1\.\d\d with/);
  expect(() => requireReadable({ accent: null, ground: '#1d4ed8' })).toThrow(/^ground has a contrast of 1\.00/);
  expect(() => requireReadable({ accent: '#0b5d3b', ground: '#111111' })).toThrow(/with the ground/);
  expect(() => requireReadable({ accent: '#0b5d3b', ground: '#f4f7f2' })).not.toThrow();
  expect(() => requireReadable({ accent: null, ground: null })).not.toThrow();
});

test('every theme that is taken can be read, on light and on dark screens', () => {
  fc.assert(
    fc.property(fc.option(colours), fc.option(colours), (accent, ground) => {
      try {
        requireReadable({ accent, ground });
      } catch {
        return;
      }
      const { light, dark } = paletteOf({ accent, ground });
      for (const behind of [PLAIN.light.paper, light.ground])
        expect(contrast(light.accent, behind)).toBeGreaterThanOrEqual(READABLE);
      for (const behind of [PLAIN.dark.paper, dark.ground])
        expect(contrast(dark.accent, behind)).toBeGreaterThanOrEqual(READABLE);
      expect(contrast(light.onAccent, light.accent)).toBeGreaterThanOrEqual(READABLE);
      expect(contrast(dark.onAccent, dark.accent)).toBeGreaterThanOrEqual(READABLE);
      expect(contrast(PLAIN.light.ink, light.ground)).toBeGreaterThanOrEqual(READABLE);
    }),
  );
});

test('a colour that can be read stays as it is', () => {
  fc.assert(
    fc.property(colours, colours, (colour, ground) => {
      fc.pre(contrast(colour, ground) >= READABLE);
      expect(readableOn(colour, [ground], '#ffffff')).toBe(colour);
    }),
  );
});
