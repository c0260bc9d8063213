import { OPEN_STATUSES } from '../../src/domain/states/payment';
import type { World } from './world';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Long enough to find out which flows are lost, and for one late question. */
const SOON = [12, 25];
/** Longer than anybody waits for a payer or a merchant, twice, with the questions in between. */
const PATIENCE = [60, 65, 25];

/**
 * Lets everything come to its end: nothing is lost any more, callbacks arrive, time passes. Late money cannot be returned
 * at first, which holds nothing else up. Answers what was wrong on the way.
 */
export async function quiesce(world: World): Promise<string[]> {
  const wrong: string[] = [];
  world.network.calm();
  const goOn = world.network.refuseReturns();
  await world.work.all();
  await arriveAll(world);
  await world.pass(10 * SECOND);
  wrong.push(...(await unapplied(world)));
  const isDone = async () => (await world.underWay({ returns: false })).length === 0;
  for (const minutes of SOON) if (!(await isDone())) await settle(world, minutes);
  wrong.push(...(await notCarriedOut(world)));
  for (const minutes of PATIENCE) if (!(await isDone())) await settle(world, minutes);
  const open = await world.underWay({ returns: false });
  wrong.push(...open.map((what) => `still open while late money is not returned: ${what}`));
  goOn();
  for (const minutes of [...SOON, ...PATIENCE]) {
    if ((await world.underWay({ returns: true })).length === 0) break;
    await settle(world, minutes);
  }
  // A processor that did not know a payment is asked again later: it may have charged since.
  if (await asksAgain(world)) for (const minutes of SOON) await settle(world, minutes);
  // A dispute stays open; processors are asked about it now and then.
  if (world.heard.some(({ notice }) => notice.caseId)) for (const minutes of SOON) await settle(world, minutes);
  return wrong;
}

async function asksAgain({ ground, requests }: World): Promise<boolean> {
  const asked = ground.database.ops('payment_attempts').whereIn('payment_id', requests.payments);
  return (await asked.whereNotNull('ask_again_at').first('payment_id')) !== undefined;
}

/** Payments that are open although their processor has told that it has the money. */
async function unapplied({ ground, heard, requests }: World): Promise<string[]> {
  const open = await ground.database
    .ops('payments')
    .whereIn('id', requests.payments)
    .whereIn(
      'status',
      OPEN_STATUSES.filter((status) => status !== 'authorized'),
    )
    .select('id', 'processor', 'status');
  return open.flatMap(({ id, processor, status }) =>
    heard
      .map(({ notice }) => notice)
      .filter((notice) => notice.processor === processor && notice.reference === id)
      .filter(({ event }) => event === 'captured' || event === 'authorized')
      .map(({ event }) => `${id} is ${status}, and a callback has said that it is ${event}`),
  );
}

/** Captures and cancellations that were accepted, that nothing stands in the way of, and that nobody carries out. */
async function notCarriedOut({ ground, requests }: World): Promise<string[]> {
  const pending = await ground.database
    .ops('payment_operations')
    .whereIn('payment_id', requests.payments)
    .where({ status: 'pending' })
    .select('payment_id', 'kind', 'detail');
  return pending.map(({ payment_id, kind, detail }) => `the ${kind} of ${payment_id} is not carried out: ${detail}`);
}

async function settle(world: World, minutes: number): Promise<void> {
  await arriveAll(world);
  world.stir();
  await world.pass(minutes * MINUTE);
  await arriveAll(world);
}

async function arriveAll(world: World): Promise<void> {
  for (let letter = world.letters.shift(); letter; letter = world.letters.shift()) {
    await world.arrive(letter);
    await world.work.all();
  }
}
