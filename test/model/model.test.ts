import fc from 'fast-check';
import { commands, pay, type Script } from './commands';
import { contradictions } from './invariants';
import { Place } from './place';
import { quiesce } from './quiesce';
import { World } from './world';

const { MODEL_RUNS, MODEL_SEED, MODEL_PATH, MODEL_REPLAY, MODEL_SHRINK } = process.env;
const RUNS = Number(MODEL_RUNS ?? 300);
const SEED = Number(MODEL_SEED ?? Date.now() % 1_000_000_000);
/** Runs take as long as they take; this only ends one that hangs. */
const PATIENCE_MS = 6 * 3_600_000;

let place: Place;

beforeAll(async () => {
  place = await Place.open();
}, 60_000);
afterAll(() => place.close());

const spent = { begin: 0, act: 0, quiesce: 0, check: 0 };

/** One run: something happens, everything comes to its end, and nothing may contradict anything. */
async function run(script: Script): Promise<void> {
  const t = [performance.now()];
  const world = await World.begin(place);
  t.push(performance.now());
  await fc.asyncModelRun(() => ({ model: { payments: 0 }, real: world }), script);
  t.push(performance.now());
  const wrong = await quiesce(world);
  t.push(performance.now());
  wrong.push(...(await contradictions(world)));
  t.push(performance.now());
  spent.begin += t[1]! - t[0]!;
  spent.act += t[2]! - t[1]!;
  spent.quiesce += t[3]! - t[2]!;
  spent.check += t[4]! - t[3]!;
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}

test(
  'payments, refunds, disputes and late money end as the processors say, whatever fails on the way',
  async () => {
    console.log(`${RUNS} runs from seed ${SEED}`);
    const scripts = fc.commands(commands(), { maxCommands: 14, size: 'max', replayPath: MODEL_REPLAY });
    const property = fc.asyncProperty(pay, scripts, async (first, others) => {
      try {
        await run([first, ...others]);
      } catch (error) {
        await place.abandon();
        throw error;
      }
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED, path: MODEL_PATH, endOnFailure: MODEL_SHRINK === 'no' });
    console.log(spent);
  },
  PATIENCE_MS,
);
