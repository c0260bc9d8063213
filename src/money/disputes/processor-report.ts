import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import type { Money } from '../../domain/money';
import { hasEnded } from '../../domain/states/dispute';
import type { Ledger } from '../ledger/ledger';
import type { PaymentRow } from '../payments/payment';
import type { TimelineCause } from '../payments/timeline-causes';
import type { DisputeRow, DisputeWord } from './dispute';
import { bookOpening, type Locked, noteOnly, openDispute, takeStep } from './steps';

/** Whether a word opens a dispute; the others are about one that is open. */
const OPENS: Record<DisputeWord, boolean> = {
  charged_back: true,
  returned: true,
  second_presentment: false,
  chargeback_won: false,
  chargeback_lost: false,
};

export function opensDispute(word: DisputeWord): boolean {
  return OPENS[word];
}

export interface Said {
  word: DisputeWord;
  processor: ProcessorId;
  caseId: string;
  /** Absent: the processor stated none. */
  money?: Money;
  reason?: string;
  cause: TimelineCause;
}

/** What became of a processor's word. `dispute` is absent where there is none. */
export interface Heard {
  outcome: 'applied' | 'ignored' | 'flagged';
  detail: string;
  dispute?: DisputeRow;
}

/**
 * Applies what a processor says about a dispute; payment and dispute are locked by the caller. Each word has its effect
 * once. An outcome that overtakes its chargeback opens the dispute first, so that it is booked whatever the order.
 */
export async function hear(
  trx: Knex.Transaction,
  ledger: Ledger,
  payment: PaymentRow,
  known: DisputeRow | undefined,
  said: Said,
  evidenceTtlMs: number,
): Promise<Heard> {
  if (known && known.payment_id !== payment.id)
    return { outcome: 'flagged', detail: 'the case belongs to another payment', dispute: known };
  if (!known) return open(trx, ledger, payment, said, evidenceTtlMs);
  if (hasEnded(known.status)) return tooLate(trx, known, said);
  if (differs(known, said.money)) {
    const detail = `${said.word} of another amount or currency than the dispute's`;
    await noteOnly(trx, known, 'not_applied', { cause: said.cause, detail });
    return { outcome: 'flagged', detail, dispute: known };
  }
  if (known.status === 'flagged') return hearOfFlagged(trx, ledger, payment, known, said, evidenceTtlMs);
  return hearOfOpen(trx, ledger, payment, known, said);
}

async function open(
  trx: Knex.Transaction,
  ledger: Ledger,
  payment: PaymentRow,
  said: Said,
  evidenceTtlMs: number,
): Promise<Heard> {
  const opens = opensDispute(said.word);
  // Without an amount, an outcome does not say what was charged back.
  if (!opens && !said.money) return { outcome: 'flagged', detail: 'no such dispute' };
  const money = said.money ?? { amountMinor: payment.captured_minor, currency: payment.currency };
  if (money.amountMinor <= 0n) return { outcome: 'flagged', detail: 'a chargeback of nothing' };
  const step = said.word === 'returned' ? 'returned' : 'charged_back';
  const { processor, caseId, reason, cause } = said;
  const opened = await openDispute(
    trx,
    ledger,
    payment,
    { processor, caseId, step, money, reason, evidenceTtlMs },
    { cause },
  );
  if (opened.dispute.status === 'flagged') {
    await keepWord(trx, opened.dispute, said.word);
    return { outcome: 'flagged', detail: opened.dispute.status_detail, dispute: opened.dispute };
  }
  if (opens) return { outcome: 'applied', detail: opened.dispute.status_detail, dispute: opened.dispute };
  return hearOfOpen(trx, ledger, opened.payment, opened.dispute, said);
}

/** Only the money decides: a dispute that fits now is opened first, and then the word is applied. */
async function hearOfFlagged(
  trx: Knex.Transaction,
  ledger: Ledger,
  payment: PaymentRow,
  dispute: DisputeRow,
  said: Said,
  evidenceTtlMs: number,
): Promise<Heard> {
  if (said.word === 'chargeback_won') {
    const { dispute: won } = await takeStep(trx, ledger, { payment, dispute }, 'won', { cause: said.cause });
    return { outcome: 'applied', detail: won.status_detail, dispute: won };
  }
  const opened = await openFlagged(trx, ledger, { payment, dispute }, evidenceTtlMs, said.cause);
  if (opened && hasEnded(opened.dispute.status))
    return { outcome: 'applied', detail: opened.dispute.status_detail, dispute: opened.dispute };
  if (opened) return hearOfOpen(trx, ledger, opened.payment, opened.dispute, said);
  await keepWord(trx, dispute, said.word);
  const detail = `${said.word} of a dispute that does not fit`;
  await noteOnly(trx, dispute, 'not_applied', { cause: said.cause, detail });
  return { outcome: 'flagged', detail, dispute };
}

/** Words that are kept of a dispute that does not fit yet, in the order in which they are applied. */
const KEPT = ['second_presentment', 'chargeback_lost'] as const;

async function keepWord(trx: Knex.Transaction, { id, unapplied_words }: DisputeRow, word: DisputeWord): Promise<void> {
  const words = new Set<DisputeWord>([...unapplied_words, word]);
  await trx('disputes')
    .where({ id })
    .update({ unapplied_words: KEPT.filter((kept) => words.has(kept)) });
}

/** Opens a flagged dispute once it fits, and applies what was said of it until then. Undefined while it does not fit. */
export async function openFlagged(
  trx: Knex.Transaction,
  ledger: Ledger,
  locked: Locked,
  evidenceTtlMs: number,
  cause: TimelineCause,
): Promise<Locked | undefined> {
  let current = await bookOpening(trx, ledger, locked, evidenceTtlMs, { cause });
  for (const word of KEPT)
    if (current && !hasEnded(current.dispute.status) && locked.dispute.unapplied_words.includes(word))
      current = await takeStep(trx, ledger, current, STEP[word], { cause });
  return current;
}

const STEP = { second_presentment: 'second_presentment', chargeback_won: 'won', chargeback_lost: 'lost' } as const;

async function hearOfOpen(
  trx: Knex.Transaction,
  ledger: Ledger,
  payment: PaymentRow,
  dispute: DisputeRow,
  { word, cause }: Said,
): Promise<Heard> {
  const known = { outcome: 'ignored', detail: 'known already', dispute } as const;
  if (word === 'charged_back' || word === 'returned') return known;
  if (word === 'second_presentment' && dispute.second_presentment_at) return known;
  const { dispute: moved } = await takeStep(trx, ledger, { payment, dispute }, STEP[word], { cause });
  return { outcome: 'applied', detail: moved.status_detail, dispute: moved };
}

/** After a dispute has ended, only the opposite outcome matters: money moved at the processor that did not move here. */
async function tooLate(trx: Knex.Transaction, dispute: DisputeRow, { word, cause }: Said): Promise<Heard> {
  const opposite = dispute.status === 'won' ? 'chargeback_lost' : 'chargeback_won';
  const again = dispute.status === 'lost' && word === 'second_presentment' && !dispute.second_presentment_at;
  if (word !== opposite && !again) return { outcome: 'ignored', detail: `the dispute is ${dispute.status}`, dispute };
  const detail = `${word} after the dispute was ${dispute.status}`;
  await noteOnly(trx, dispute, 'not_applied', { cause, detail });
  return { outcome: 'flagged', detail, dispute };
}

function differs(dispute: DisputeRow, money: Money | undefined): boolean {
  return money !== undefined && (money.amountMinor !== dispute.amount_minor || money.currency !== dispute.currency);
}
