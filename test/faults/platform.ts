import { type Actors, actorsOf } from '../e2e/client';
import { type Stack, startStack } from '../setup/stack';

/** A platform that the suites of one file share, one after the other: each leaves it running and in order. */
export interface Place {
  stack: Stack;
  actors: Actors;
}

/** Starts a platform before the first test of the file, and removes it after the last. What is answered is filled then. */
export function platformWith(env: NodeJS.ProcessEnv): Place {
  const place = {} as Place;
  beforeAll(async () => {
    place.stack = await startStack({ env });
    place.actors = await actorsOf(place.stack.credentials);
  }, 120_000);
  afterAll(() => place.stack?.remove(), 60_000);
  return place;
}
