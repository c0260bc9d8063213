import { sleep } from '@temporalio/workflow';
import type { SettlementInput, SettlementView } from '../src/domain/flows';
import { show } from './flow';
import { remote } from './options';

/** Waiting times between passes over lines that we cannot match yet: about a day in all. */
const PAUSES = ['5 seconds', '30 seconds', '2 minutes', '10 minutes', '1 hour', '6 hours', '17 hours'] as const;

/** One settlement batch of one provider, booked in one pass; lines for payments still open are tried again. */
export async function settlement(input: SettlementInput): Promise<SettlementView> {
  let view = await remote.bookSettlement(input, false);
  for (const pause of PAUSES) {
    if (view.waiting === 0) break;
    show(
      'waiting',
      'provider',
      `${view.booked} of ${view.lines} lines booked, ${view.waiting} wait; again in ${pause}.`,
    );
    await sleep(pause);
    view = await remote.bookSettlement(input, false);
  }
  if (view.waiting > 0) view = await remote.bookSettlement(input, true);
  show('booked', 'nobody', `${view.booked} of ${view.lines} lines booked.`);
  return view;
}
