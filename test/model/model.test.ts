import fc from 'fast-check';
import { commands } from './commands';
import { contradictions } from './invariants';
import { Place } from './place';
import { quiesce } from './quiesce';
import { World } from './world';

const RUNS = Number(process.env.MODEL_RUNS ?? 300);
const SEED = Number(process.env.MODEL_SEED ?? Date.now() & 0x7fffffff);
const PATH = process.env.MODEL_PATH;

let place: Place;

beforeAll(async () => {
  place = await Place.open();
}, 60_000);
afterAll(() => place.close());

test('payments, refunds, disputes and late money end as the processors say, whatever fails on the way', async () => {
  console.log(`model: ${RUNS} runs, seed ${SEED}`);
  const script = fc.commands(commands(), { maxCommands: 14, size: 'max', replayPath: process.env.MODEL_REPLAY });
  const beganAt = performance.now();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      const world = await World.begin(place);
      runs += 1;
      let wrong: string[];
      try {
        await fc.asyncModelRun(() => ({ model: { payments: 0 }, real: world }), steps);
        await quiesce(world);
        wrong = await contradictions(world);
      } catch (error) {
        await place.abandon();
        throw error;
      }
      if (wrong.length === 0) return;
      await place.abandon();
      throw new Error(wrong.join('\n'));
    }),
    { numRuns: RUNS, seed: SEED, path: PATH },
  );
  console.log(`model: ${runs} runs in ${Math.round(performance.now() - beganAt)} ms`);
}, 3_600_000);
