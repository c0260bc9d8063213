import type { Knex } from 'knex';
import type { Connectors } from '../../domain/connector';
import { growingPauseMs } from '../../domain/pauses';
import type { PayoutInquiry, SendPayoutAnswer } from '../../domain/processor-answers';
import type { Config } from '../../foundation/config/config';
import type { Database } from '../../foundation/db/database';
import type { Vault } from '../../foundation/vault/vault';
import type { Ledger } from '../../money/ledger/ledger';
import { returnBooked } from './bookings';
import { type BankReturnRow, moveReturn, orderReturn, type Returning } from './return';

export interface SendingReturns extends Returning {
  database: Pick<Database, 'system'>;
  ledger: Ledger;
  vault: Pick<Vault, 'openIban' | 'sealIban'>;
  connectors: Pick<Connectors, 'find'>;
  timers: Pick<Config['timers'], 'inquiryFirstMs' | 'inquiryMaxMs' | 'processorInFlightMs' | 'reviewAfterMs'>;
}

type Answer = SendPayoutAnswer | PayoutInquiry;

/**
 * Sends transfers back that are due, or asks their processor what became of them, and books the outcome. Safe to repeat and to
 * run in several processes: each is taken by one at a time, it is written down before it is sent, what was sent before is
 * asked about first, and its key stays the same. Answers how many it took. Runs as the system role.
 */
export async function sendReturns(deps: SendingReturns, limit: number): Promise<number> {
  const due = await take(deps, limit);
  await Promise.all(due.map((row) => sendOne(deps, row)));
  return due.length;
}

/** Takes what is due, and puts off when it is due next. Answers the rows as they were before. */
async function take({ database, timers }: SendingReturns, limit: number): Promise<BankReturnRow[]> {
  const due = (system: Knex) => system('bank_returns').where('look_at', '<=', system.raw('clock_timestamp()'));
  // Mostly there is nothing to do: one short statement, and no transaction, finds that out.
  if (!(await due(database.system).first('id'))) return [];
  return database.system.transaction(async (trx) => {
    const rows: BankReturnRow[] = await due(trx).orderBy('look_at').limit(limit).forUpdate().skipLocked();
    for (const row of rows) {
      const pauseMs = growingPauseMs(timers.inquiryFirstMs, row.sends, timers.inquiryMaxMs);
      await moveReturn(trx, row, {
        status: row.status === 'ready' ? 'sent' : row.status,
        sends: row.sends + 1,
        sent_at: new Date(),
        look_at: new Date(Date.now() + pauseMs),
      });
    }
    return rows;
  });
}

async function sendOne(deps: SendingReturns, row: BankReturnRow): Promise<void> {
  const answer = await askOrSend(deps, row);
  await deps.database.system.transaction(async (trx) => {
    const locked: BankReturnRow = await trx('bank_returns').where({ id: row.id }).forUpdate().first();
    if (locked.status === 'sent') await bookAnswer(trx, deps, locked, sure(deps, row, answer));
    // It had reached the payer; its processor has told of something since.
    else if (locked.status === 'settled') await hearAgain(trx, deps, locked, answer);
  });
}

async function askOrSend({ connectors, vault }: SendingReturns, row: BankReturnRow): Promise<Answer> {
  const transfers = connectors.find(row.processor)?.payouts;
  if (!transfers) return { kind: 'not_taken', detail: 'the processor takes no transfers now' };
  if (row.sends > 0) {
    const known = await transfers.inquire(row.id);
    // Not found: it never arrived, or is on its way. It is sent again under its key, which makes one of both.
    if (known.kind !== 'not_found') return known;
  }
  return transfers.send({
    idempotencyKey: `bank-return/${row.id}/send`,
    reference: row.id,
    money: { amountMinor: row.amount_minor, currency: row.currency },
    beneficiary: { iban: vault.openIban(row.id, row.iban_sealed!), holder: row.holder! },
    text: `Return ${row.id}`,
  });
}

/** A refusal of this request ends it only if none before it can still be on its way. */
function sure({ timers }: SendingReturns, { sent_at }: BankReturnRow, answer: Answer): Answer {
  if (answer.kind !== 'not_understood' || !sent_at) return answer;
  if (Date.now() - sent_at.getTime() >= timers.processorInFlightMs) return answer;
  return { kind: 'unknown', detail: answer.detail };
}

async function bookAnswer(
  trx: Knex.Transaction,
  deps: SendingReturns,
  row: BankReturnRow,
  answer: Answer,
): Promise<unknown> {
  switch (answer.kind) {
    case 'settled':
      if (!isOurs(row, answer.money)) return stay(trx, deps, row, 'Its processor names another amount.');
      await deps.ledger.book(trx, row.tenant_id, row.currency, [returnBooked(row, 'paid')]);
      return moveReturn(trx, row, {
        status: 'settled',
        status_detail: 'The money is back with the payer.',
        processor_reference: answer.processorReference,
        look_at: null,
        review_since: null,
      });
    case 'returned':
      if (!isOurs(row, answer.money)) return stay(trx, deps, row, 'Its processor names another amount.');
      // It went out before it came back: both are booked, as both stand in the processor's report.
      await deps.ledger.book(trx, row.tenant_id, row.currency, [
        returnBooked(row, 'paid'),
        returnBooked(row, 'returned'),
      ]);
      return fail(trx, deps, row, `It came back: ${answer.detail}.`, answer.processorReference);
    case 'declined':
    case 'not_understood':
      return fail(trx, deps, row, `Its processor refused it: ${answer.detail}.`);
    case 'accepted':
      return stay(trx, deps, row, 'Its processor has it and works on it.', answer.processorReference);
    case 'not_found':
      return stay(trx, deps, row, 'Its processor does not know it yet.');
    case 'unknown':
      return stay(trx, deps, row, `The outcome is being established: ${answer.detail}.`);
    case 'not_taken':
      return stay(trx, deps, row, `It could not be sent yet: ${answer.detail}.`);
  }
}

const isOurs = ({ amount_minor, currency }: BankReturnRow, money: { amountMinor: bigint; currency: string }) =>
  money.amountMinor === amount_minor && money.currency === currency;

/** It came back after all: what asked for it has ended, so that a person has to look. */
async function hearAgain(
  trx: Knex.Transaction,
  deps: SendingReturns,
  row: BankReturnRow,
  answer: Answer,
): Promise<unknown> {
  if (answer.kind !== 'returned' || !isOurs(row, answer.money)) return moveReturn(trx, row, { look_at: null });
  await deps.ledger.book(trx, row.tenant_id, row.currency, [returnBooked(row, 'returned')]);
  return fail(trx, deps, row, `It came back: ${answer.detail}.`, answer.processorReference);
}

/**
 * What was to go back is with us for good. Whoever asked for a refund, or for a return out of suspense, decides again; of the
 * rest nobody else would hear, so another return waits for a person who names the account.
 */
async function fail(
  trx: Knex.Transaction,
  deps: SendingReturns,
  row: BankReturnRow,
  detail: string,
  processorReference = row.processor_reference,
): Promise<void> {
  await moveReturn(trx, row, {
    status: 'failed',
    status_detail: detail,
    processor_reference: processorReference,
    look_at: null,
    review_since: row.review_since ?? new Date(),
  });
  if (row.kind !== 'excess' && row.kind !== 'part') return;
  const again = await orderReturn(trx, deps, {
    kind: row.kind,
    cause: `${row.id}/again`,
    ...(row.payment_id && { paymentId: row.payment_id }),
    entryId: row.entry_id!,
    money: { amountMinor: row.amount_minor, currency: row.currency },
  });
  await moveReturn(trx, again, {
    status: 'waiting',
    status_detail: `${detail} A person has to name another account of the payer.`,
    look_at: null,
    review_since: new Date(),
  });
}

/** Its outcome is still open; operators see it once that has been so for long. */
function stay(
  trx: Knex.Transaction,
  { timers }: SendingReturns,
  row: BankReturnRow,
  detail: string,
  processorReference = row.processor_reference,
): Promise<unknown> {
  const isLong = Date.now() - row.created_at.getTime() >= timers.reviewAfterMs;
  return moveReturn(trx, row, {
    status_detail: detail,
    processor_reference: processorReference,
    review_since: row.review_since ?? (isLong ? new Date() : null),
  });
}
