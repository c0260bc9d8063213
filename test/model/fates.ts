import fc from 'fast-check';
import type { Fate } from './network';

/** Anything that may become of a call. */
export const anyFate: fc.Arbitrary<Fate> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...(['lost_before', 'lost_after', 'status_429', 'cannot_connect', 'status_400', 'status_500'] as const),
        'duplicated' as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('slow' as const),
      // The last is longer than any processor should take.
      arrivesMs: fc.constantFrom(0, 1_500, 4_000, 9_000),
      answersMs: fc.constantFrom(500, 10_000),
    }),
  },
);

/** The same, every other time. */
export const fate = fc.option(anyFate, { freq: 2, nil: undefined });

/** An answer that takes so long that something happens meanwhile. */
export const slowAnswer: fc.Arbitrary<Fate> = fc.record({
  kind: fc.constant('slow' as const),
  arrivesMs: fc.constantFrom(0, 1_500),
  answersMs: fc.constant(500),
});

/** The request is turned away: nothing of it was charged. */
export const turnedAway: fc.Arbitrary<Fate> = fc.record({
  kind: fc.constantFrom('status_429' as const, 'cannot_connect' as const),
});

/** The request is on its way for as long as any may be. */
export const underWay: fc.Arbitrary<Fate> = fc.record({
  kind: fc.constant('slow' as const),
  arrivesMs: fc.constant(4_000),
  answersMs: fc.constant(10_000),
});

/** What leads to the next processor: the request is turned away, or takes so long that it seems lost. */
export const unserved: fc.Arbitrary<Fate> = fc.oneof(
  turnedAway,
  fc.record({
    kind: fc.constant('slow' as const),
    arrivesMs: fc.constant(9_000),
    answersMs: fc.constant(10_000),
  }),
);
