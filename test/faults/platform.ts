import { type Actors, actorsOf, outOfBalance } from '../e2e/client';
import { type Stack, startStack } from '../setup/stack';
import { auditOf } from './inside';

/** A platform that the suites of one file share, one after the other: each leaves it running and in order. */
export interface Place {
  stack: Stack;
  actors: Actors;
}

/**
 * Starts a platform before the first test of the file, and removes it after the last, when its books have to be in
 * order. What is answered is filled by the start.
 */
export function platformWith(env: NodeJS.ProcessEnv): Place {
  const place = {} as Place;
  beforeAll(async () => {
    place.stack = await startStack({ env });
    place.actors = await actorsOf(place.stack.credentials);
  });
  afterAll(async () => {
    const { stack, actors } = place;
    if (!actors) return stack?.remove();
    const [differences, { findings }] = await Promise.all([outOfBalance(actors), auditOf(stack)]).finally(stack.remove);
    expect([differences, findings]).toEqual([[], []]);
  });
  return place;
}
