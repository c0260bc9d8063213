import { sleep } from '@temporalio/workflow';
import type { SettlementInput, SettlementView } from '../src/domain/flows';
import { instantIn, show, tell } from './flow';
import { remote } from './options';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Waiting times between passes over lines that we cannot match yet, in milliseconds: about a day in all. */
const PAUSES_MS = [5_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 17 * HOUR_MS];

/** One settlement batch of one processor, booked in one pass; lines for payments still open are tried again. */
export async function settlement(input: SettlementInput): Promise<SettlementView> {
  let view = await remote.bookSettlement(input, false);
  for (const pauseMs of PAUSES_MS) {
    if (view.waiting === 0) break;
    const { booked, lines, waiting } = view;
    show(
      { status: 'waiting', waitsFor: 'provider' },
      (since) =>
        `${booked} of ${lines} lines booked, ${waiting} wait since ${since} for the outcome of their payments. They are tried again at ${instantIn(pauseMs)}.`,
    );
    await sleep(pauseMs, { summary: 'until the lines that wait are tried again' });
    view = await remote.bookSettlement(input, false);
  }
  if (view.waiting > 0) view = await remote.bookSettlement(input, true);
  tell('booked', 'nobody', `${view.booked} of ${view.lines} lines booked.`);
  return view;
}
