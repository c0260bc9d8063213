import type { Knex } from 'knex';
import type { Callback, CallbackEffect, CallbackEnd } from '../../domain/callback';
import type { OutgoingTransferCapability, ProcessorEvent } from '../../domain/connector';
import { type EventAbout, isAbout } from '../../domain/event-subject';
import { growingPauseMs } from '../../domain/pauses';
import type { PayoutInput, PayoutView } from '../../domain/payout-flow';
import type { PayoutInquiry, PayoutStanding, SendPayoutAnswer } from '../../domain/processor-answers';
import { isOpenPayout } from '../../domain/states/payout';
import type { Config } from '../../foundation/config/config';
import type { Database } from '../../foundation/db/database';
import type { FirstAnswers } from '../../foundation/temporal/first-answer';
import type { Vault } from '../../foundation/vault/vault';
import type { Ledger } from '../../money/ledger/ledger';
import { type AccountRow, accountInEffect } from './account';
import { paid, released, returned } from './bookings';
import { movePayout } from './move';
import { findPayout, type PayoutRow } from './payout';

export interface PayingOut {
  database: Database;
  ledger: Ledger;
  vault: Pick<Vault, 'openIban'>;
  connectors: { get(processor: PayoutRow['processor']): { payouts?: OutgoingTransferCapability } };
  timers: Pick<Config['timers'], 'inquiryFirstMs' | 'inquiryMaxMs' | 'processorInFlightMs' | 'reviewAfterMs'>;
  firstAnswers: Pick<FirstAnswers, 'announce'>;
}

type Answer = SendPayoutAnswer | PayoutInquiry;

/**
 * Sends a payout whose time has come, or asks its processor what became of it, and books the outcome. Safe to repeat: it is
 * written down before it is sent, what was sent before is asked about first, and the key stays the same. `tries` spaces the
 * next time. Throws `not_found`.
 */
export async function proceedPayout(
  deps: PayingOut,
  input: PayoutInput,
  tries: number,
  now = new Date(),
): Promise<PayoutView> {
  const { database } = deps;
  const prepared = await database.tenant(input.tenantId, (trx) => prepare(trx, deps, input.payoutId, tries, now));
  if (!prepared.account) return viewOf(prepared.row, now);
  const answer = await askOrSend(deps, prepared.row, prepared.account);
  return database.tenant(input.tenantId, async (trx) => {
    const locked = await findPayout(trx, input.payoutId, { lock: true });
    // A callback may have ended it meanwhile.
    const row =
      locked.status === 'sent' ? await bookAnswer(trx, deps, locked, sure(deps, prepared.row, answer, now)) : locked;
    await deps.firstAnswers.announce(trx, row.id);
    return viewOf(row, now);
  });
}

/**
 * Writes down that it goes out, before it does. Answers the row as it was sent before this time, and the account it goes
 * to; without an account there is nothing to do at its processor.
 */
async function prepare(
  trx: Knex.Transaction,
  deps: PayingOut,
  payoutId: string,
  tries: number,
  now: Date,
): Promise<{ row: PayoutRow; account?: AccountRow }> {
  const row = await findPayout(trx, payoutId, { lock: true });
  if (!isOpenPayout(row.status) || (row.status === 'scheduled' && row.send_at > now)) {
    await deps.firstAnswers.announce(trx, row.id);
    return { row };
  }
  const lookAt = new Date(now.getTime() + growingPauseMs(deps.timers.inquiryFirstMs, tries, deps.timers.inquiryMaxMs));
  const sending = { sends: row.sends + 1, sent_at: now };
  if (row.status === 'sent') {
    await trx('payouts')
      .where({ id: row.id })
      .update({ ...sending, look_at: lookAt });
    return { row, account: await trx('payout_accounts').where({ id: row.account_id }).first() };
  }
  const account = await accountInEffect(trx, row.organization_id, now);
  if (!account) {
    await deps.ledger.book(trx, row.tenant_id, row.currency, [released(row)]);
    const detail = 'There is no verified account to pay to any more. The money is back in the balance.';
    const failed = await movePayout(trx, row, 'failed', { detail, review_since: now });
    await deps.firstAnswers.announce(trx, row.id);
    return { row: failed };
  }
  const detail = 'It is being sent to its processor.';
  await movePayout(trx, row, 'sent', { ...sending, account_id: account.id, detail, lookAt });
  return { row, account };
}

/** `row`: as it was before this time. */
async function askOrSend({ connectors, vault }: PayingOut, row: PayoutRow, account: AccountRow): Promise<Answer> {
  const { payouts } = connectors.get(row.processor);
  if (!payouts) return { kind: 'not_taken', detail: 'the processor takes no payouts now' };
  if (row.sends > 0) {
    const known = await payouts.inquire(row.id);
    // Not found: it never arrived, or is on its way. It is sent again under its key, which makes one of both.
    if (known.kind !== 'not_found') return known;
  }
  return payouts.send({
    idempotencyKey: `payout/${row.id}/send`,
    reference: row.id,
    money: { amountMinor: row.amount_minor, currency: row.currency },
    beneficiary: {
      iban: vault.openIban(account.id, account.iban_sealed),
      holder: account.holder,
      ...(account.bic && { bic: account.bic }),
    },
    text: `Payout ${row.number} ${row.id}`,
  });
}

/** A refusal of this request ends it only if none before it can still be on its way. */
function sure({ timers }: PayingOut, { sent_at }: PayoutRow, answer: Answer, now: Date): Answer {
  if (answer.kind !== 'not_understood' || !sent_at) return answer;
  if (now.getTime() - sent_at.getTime() >= timers.processorInFlightMs) return answer;
  return { kind: 'unknown', detail: answer.detail };
}

/** What the processor says of a payout that is `sent`, in the caller's transaction with the row locked. */
async function bookAnswer(
  trx: Knex.Transaction,
  deps: Pick<PayingOut, 'ledger' | 'timers'>,
  row: PayoutRow,
  answer: Answer,
): Promise<PayoutRow> {
  switch (answer.kind) {
    case 'accepted':
      return stay(trx, deps, row, 'Its processor has it and works on it.', answer.processorReference);
    case 'settled':
    case 'returned':
      if (!isOurs(row, answer)) return stay(trx, deps, row, 'Its processor names another amount.');
      return answer.kind === 'settled' ? bookSettled(trx, deps, row, answer) : bookReturned(trx, deps, row, answer);
    case 'declined':
    case 'not_understood':
      return bookRefused(trx, deps, row, answer.detail);
    case 'not_found':
      return stay(trx, deps, row, 'Its processor does not know it yet.');
    case 'unknown':
      return stay(trx, deps, row, `The outcome is being established: ${answer.detail}.`);
    case 'not_taken':
      return stay(trx, deps, row, `It could not be sent yet: ${answer.detail}.`);
  }
}

const isOurs = (row: PayoutRow, { money }: Extract<PayoutStanding, { money: unknown }>) =>
  money.amountMinor === row.amount_minor && money.currency === row.currency;

async function bookSettled(
  trx: Knex.Transaction,
  { ledger }: Pick<PayingOut, 'ledger'>,
  row: PayoutRow,
  { processorReference }: { processorReference: string },
): Promise<PayoutRow> {
  await ledger.book(trx, row.tenant_id, row.currency, [paid(row)]);
  const known = { processor_reference: processorReference, review_since: null };
  return movePayout(trx, row, 'settled', { ...known, detail: 'The money is on the account of the seller.' });
}

/** It went out before it came back: both are booked, as both stand in the processor's report. */
async function bookReturned(
  trx: Knex.Transaction,
  { ledger }: Pick<PayingOut, 'ledger'>,
  row: PayoutRow,
  { processorReference, detail }: { processorReference: string; detail: string },
): Promise<PayoutRow> {
  const movements = [...(row.status === 'sent' ? [paid(row)] : []), returned(row)];
  await ledger.book(trx, row.tenant_id, row.currency, movements);
  return movePayout(trx, row, 'returned', {
    processor_reference: processorReference,
    review_since: new Date(),
    detail: `It came back: ${detail}. The money is back in the balance.`,
  });
}

async function bookRefused(
  trx: Knex.Transaction,
  { ledger }: Pick<PayingOut, 'ledger'>,
  row: PayoutRow,
  why: string,
): Promise<PayoutRow> {
  await ledger.book(trx, row.tenant_id, row.currency, [released(row)]);
  const detail = `Its processor refused it: ${why}. The money is back in the balance.`;
  return movePayout(trx, row, 'failed', { detail, review_since: new Date() });
}

/** Its outcome is still open; operators see it once that has been so for long. */
async function stay(
  trx: Knex.Transaction,
  { timers }: Pick<PayingOut, 'timers'>,
  row: PayoutRow,
  detail: string,
  processorReference = row.processor_reference,
): Promise<PayoutRow> {
  const isLong = Date.now() - row.send_at.getTime() >= timers.reviewAfterMs;
  const [stayed]: PayoutRow[] = await trx('payouts')
    .where({ id: row.id })
    .update({
      status_detail: detail,
      processor_reference: processorReference,
      review_since: row.review_since ?? (isLong ? trx.raw('clock_timestamp()') : null),
    })
    .returning('*');
  return stayed!;
}

/** What a callback says of a payout, whatever its flow has come to. Throws `not_found`. */
export async function hearPayoutCallback(
  deps: PayingOut,
  { payoutId, tenantId }: PayoutInput,
  { processor, event }: Callback,
  now = new Date(),
): Promise<CallbackEffect<PayoutView>> {
  return deps.database.tenant(tenantId, async (trx) => {
    const row = await findPayout(trx, payoutId, { lock: true });
    const end = (what: CallbackEnd, detail?: string, moved = row) => ({ view: viewOf(moved, now), end: what, detail });
    if (processor !== row.processor) return end('flagged', 'another processor makes this payout');
    const said = isAbout('payout', event.type) ? SAYS[event.type](event) : undefined;
    if (!said) return end('ignored', 'it says nothing of the payout');
    if ('money' in said && !isOurs(row, said)) return end('flagged', 'it names another amount');
    if (said.kind === row.status || (said.kind === 'declined' && row.status === 'failed'))
      return end('ignored', 'this was known');
    if (said.kind === 'settled' && row.status === 'returned') return end('ignored', 'it came back since');
    if (row.status === 'settled' && said.kind === 'returned')
      return end('applied', undefined, await bookReturned(trx, deps, row, said));
    // Money that moved for a payout which we hold as never sent, or as ended otherwise: somebody has to look.
    if (row.status !== 'sent') return end('flagged', `the payout is ${row.status}`);
    const moved = await bookAnswer(trx, deps, row, said);
    await deps.firstAnswers.announce(trx, row.id);
    return end('applied', undefined, moved);
  });
}

type Said = Extract<PayoutStanding, { kind: 'settled' | 'returned' | 'declined' }>;

const SAYS: Record<EventAbout<'payout'>, (event: ProcessorEvent) => Said | undefined> = {
  payout_settled: ({ money, processorReference = '' }) => money && { kind: 'settled', money, processorReference },
  payout_returned: ({ money, processorReference = '', reason }) =>
    money && { kind: 'returned', money, processorReference, detail: reason ?? 'the bank gave no reason' },
  payout_refused: ({ reason }) => ({ kind: 'declined', detail: reason ?? 'it gave no reason' }),
};

/** The payout as its flow sees it. */
export async function readPayoutView(
  { database }: PayingOut,
  { payoutId, tenantId }: PayoutInput,
): Promise<PayoutView> {
  return viewOf(await database.tenant(tenantId, (trx) => findPayout(trx, payoutId)), new Date());
}

function viewOf(row: PayoutRow, now: Date): PayoutView {
  const isOpen = isOpenPayout(row.status);
  return {
    status: row.status,
    detail: row.status_detail,
    sinceMs: row.updated_at.getTime(),
    waitsFor: row.status === 'scheduled' ? 'time' : isOpen ? 'provider' : 'nobody',
    ...(isOpen && row.look_at && { nextInMs: Math.max(1, row.look_at.getTime() - now.getTime()) }),
    ...(isOpen && row.review_since && { review: 'a payout whose outcome is unknown for too long' }),
  };
}
