import { apiKeyFor } from '../../edge/processors/credentials';
import { Acquirer, type AcquirerTimes } from './acquirer';
import type { Books } from './books';
import type { CallbackSender } from './callbacks';
import { Calls } from './calls';
import { Charges } from './charges';
import { Disputes } from './disputes';
import type { Faults } from './faults';
import { Payers, type PayerTimes } from './payers';
import type { Desk, Personality } from './personality';
import { SentTransfers } from './sent-transfers';
import { shareOf } from './settlement';
import type { Timers } from './timers';
import { Transfers } from './transfers';

/** How long the things take that a processor does by itself, in milliseconds. */
export interface DeskTimes extends Partial<AcquirerTimes & PayerTimes> {
  /** From the capture to the chargeback of test card 4000000000000259, and to the return of a direct debit. */
  chargebackAfterMs: number;
  /** Of steps between the payer's part and the money; default: what each processor takes. */
  stepEveryMs?: number;
  /** From evidence, or from a second presentment, to the decision of a dispute. */
  disputeDecisionAfterMs?: number;
  /** From the order of an outgoing transfer to its end. */
  payoutSettleMs?: number;
}

interface Surroundings {
  books: Books;
  callbacks: CallbackSender;
  timers: Timers;
  faults: Faults;
  /** Of the processor's callbacks; its callers' key is derived from it. */
  secret: string;
  /** Of the simulator, as payers' browsers reach it. */
  address: string;
  times: DeskTimes;
}

/** One processor, ready to work. Nothing happens by itself before `resumeDesk`. */
export function openDesk(personality: Personality, { secret, address, times, faults, ...tools }: Surroundings): Desk {
  const { processor } = personality;
  const charges = new Charges({
    ...tools,
    processor,
    chargebackAfterMs: times.chargebackAfterMs,
    feeOf: (amountMinor) => shareOf(amountMinor, personality.feeThousandths),
    stepsOf: (kind) => {
      const plan = personality.stepsOf?.(kind);
      return plan && { ...plan, everyMs: times.stepEveryMs ?? plan.everyMs };
    },
  });
  const payers = new Payers({
    ...tools,
    processor,
    secret,
    charges,
    times: { challengeTtlMs: times.challengeTtlMs ?? 15 * 60_000, longestPayerTtlMs: times.longestPayerTtlMs },
    authenticatesItself: personality.authenticatesItself,
  });
  const acquirer = new Acquirer({
    ...tools,
    processor,
    charges,
    payers,
    times: { lateOutcomeMs: times.lateOutcomeMs ?? 10_000, refundDeclineMs: times.refundDeclineMs ?? 1_000 },
  });
  return {
    processor,
    charges,
    payers,
    acquirer,
    disputes: new Disputes({ ...tools, processor, charges, decisionAfterMs: times.disputeDecisionAfterMs ?? 5_000 }),
    transfers: new Transfers({ ...tools, processor, payers }),
    sentTransfers: new SentTransfers({ ...tools, processor, settleAfterMs: times.payoutSettleMs ?? 1_000 }),
    books: tools.books,
    calls: new Calls(tools.books, faults, personality.refuse),
    apiKey: apiKeyFor(secret),
    pageUrl: (id) => `${address}/${processor}/challenge/${id}`,
  };
}

/** Takes up after a restart what was to happen later. */
export function resumeDesk({ charges, acquirer, disputes, sentTransfers }: Desk): void {
  charges.resume();
  acquirer.resume();
  disputes.resume();
  sentTransfers.resume();
}
