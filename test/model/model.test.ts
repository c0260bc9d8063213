import fc from 'fast-check';
import type { PaymentFlows } from '../../src/money/payments/service';
import { type Script, scripts } from './commands';
import { contradictions } from './invariants';
import { Place } from './place';
import { quiesce } from './quiesce';
import { World } from './world';

const { MODEL_RUNS, MODEL_SEED, MODEL_PATH, MODEL_REPLAY, MODEL_SHRINK, PAYMENT_FLOWS } = process.env;
const RUNS = Number(MODEL_RUNS ?? 100);
/** A test run makes the same runs each time; `npm run model` makes new ones. */
const SEED = Number(MODEL_SEED ?? 1);
/** Both, unless one is asked for: a run that failed is repeated under the setting that it failed under. */
const FLOWS = (['all', 'waiting', 'due'] as const).filter((flows) => !PAYMENT_FLOWS || PAYMENT_FLOWS === flows);
/** Runs take as long as they take; this only ends one that hangs. */
const PATIENCE_MS = 6 * 3_600_000;

let place: Place;

beforeAll(async () => {
  place = await Place.open();
}, 60_000);
afterAll(() => place.close());

/** One run: something happens, everything comes to its end, and nothing may contradict anything. */
async function run(script: Script, flows: PaymentFlows): Promise<void> {
  const world = await World.begin(place, flows);
  await fc.asyncModelRun(() => ({ model: { payments: 0 }, real: world }), script);
  const wrong = [...(await quiesce(world)), ...(await contradictions(world))];
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}

test.each(FLOWS)(
  'payments, refunds, disputes and late money end as the processors say, whatever fails on the way, with PAYMENT_FLOWS=%s',
  async (flows) => {
    console.log(`${RUNS} runs from seed ${SEED}`);
    const property = fc.asyncProperty(scripts(MODEL_REPLAY), async (script) => {
      try {
        await run(script, flows);
      } catch (error) {
        await place.abandon();
        throw error;
      }
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED, path: MODEL_PATH, endOnFailure: MODEL_SHRINK === 'no' });
  },
  PATIENCE_MS,
);
