import type { Knex } from 'knex';
import type { ProcessorEvent, ProcessorId, RawCallback } from '../../domain/connector';
import { newId } from '../../domain/ids';
import { jsonOf } from '../../foundation/db/json';
import { NamedStatements, statement } from '../../foundation/db/named-statements';

export type InboxState = 'stored' | 'applied' | 'ignored' | 'unmatched' | 'flagged';

export interface InboxRow {
  id: string;
  processor: ProcessorId;
  receiver: string;
  event_id: string;
  reference: string;
  type: ProcessorEvent['type'];
  event: StoredEvent;
  state: InboxState;
  attempts: number;
  /** Nobody signed it, and it was stored before hints were kept apart (`Hints`): the processor is asked first. */
  hint: boolean;
  received_at: Date;
}

/** An event as it lies in the inbox: money in minor units as text, since JSON has no bigint. */
export type StoredEvent = Omit<ProcessorEvent, 'money'> & { money?: { amountMinor: string; currency: string } };

/** At first, the payment of a transfer may still be on its way: looked for with pauses that do not grow beyond this. */
const TRANSFER_PAUSE_MS = 4_000;
const TRANSFER_SHORT_PAUSES = 10;

/** SQL: what it is about is looked for when it is delivered: a batch has no row before, a transfer names an account. */
const placedLater = (type: string, reference: string) =>
  `(${type} = 'settlement_batch' OR ${type} = 'transfer_received' AND NOT starts_with(${reference}, 'pay_'))`;

/** SQL: the id of ours that a reference means, by our id or, for payments, by what the processor calls them. Or NULL. */
const meant = (processor: string, reference: string) => `CASE left(${reference}, 4)
  WHEN 'pay_' THEN (SELECT p.id FROM payments p WHERE p.id = ${reference})
  WHEN 'ref_' THEN (SELECT r.id FROM refunds r WHERE r.id = ${reference})
  WHEN 'cvf_' THEN (SELECT v.id FROM card_verifications v WHERE v.id = ${reference})
  WHEN 'pot_' THEN (SELECT o.id FROM payouts o WHERE o.id = ${reference})
  WHEN 'btr_' THEN (SELECT b.id FROM bank_returns b WHERE b.id = ${reference})
  ELSE (SELECT a.payment_id FROM payment_attempts a
    WHERE a.processor = ${processor} AND a.processor_reference = ${reference} LIMIT 1) END`;

const UNMATCHED = 'nothing of ours matches it yet';

/** Stores a callback with what it is about, unless the same event was stored before. */
const STORE = statement(
  'callback_store',
  `INSERT INTO callback_inbox
     (id, processor, receiver, event_id, reference, type, event, raw, headers, next_attempt_at, state, note, handled_at)
   SELECT $1::text, $2::text, $3::text, $4::text, coalesce(about.id, $5::text), $6::text, $7::jsonb, $8::bytea, $9::jsonb,
     now() + interval '1 second', CASE WHEN about.known THEN 'stored' ELSE 'unmatched' END,
     CASE WHEN NOT about.known THEN '${UNMATCHED}' END, CASE WHEN NOT about.known THEN now() END
   FROM (SELECT id, ${placedLater('$6::text', '$5::text')} OR id IS NOT NULL AS known FROM (SELECT
     CASE WHEN NOT ${placedLater('$6::text', '$5::text')} THEN ${meant('$2::text', '$5::text')} END AS id) found) about
   ON CONFLICT (processor, event_id) DO NOTHING RETURNING reference, state`,
);

/** Everything a processor ever told us, each event once. Runs as the system role. */
export class Inbox {
  constructor(
    private readonly system: Knex,
    private readonly named = new NamedStatements(system, false),
  ) {}

  /** The same, in a transaction. */
  within(trx: Knex.Transaction): Inbox {
    return new Inbox(trx);
  }

  /**
   * Stores a verified callback together with what it is about, due for the workers' rounds a second later: until then the
   * receiver delivers it itself. One that is about nothing of ours yet is `unmatched`: nobody delivers it before it is.
   * Answers the row, or undefined when this event was stored before.
   */
  async store(
    processor: ProcessorId,
    receiver: string,
    event: ProcessorEvent,
    raw: RawCallback,
    { id = newId('callback') }: { id?: string } = {},
  ): Promise<InboxRow | undefined> {
    const { eventId: event_id, type } = event;
    const stored = storable(event);
    const [placed] = await this.named.rows<Pick<InboxRow, 'reference' | 'state'>>(STORE, [
      id,
      processor,
      receiver,
      event_id,
      event.reference,
      type,
      JSON.stringify(stored),
      raw.method === 'GET' ? Buffer.from(raw.query) : raw.body,
      jsonOf(shownHeaders(raw.headers)),
    ]);
    const row = { id, processor, receiver, event_id, type, event: stored, attempts: 0, hint: false };
    return placed && { ...row, ...placed, received_at: new Date() };
  }

  async read(id: string): Promise<InboxRow | undefined> {
    const row: InboxRow | undefined = await this.system('callback_inbox').where({ id }).first();
    return row && inTodaysWords(row);
  }

  /** What the processor said when asked about an unsigned hint takes the hint's place. */
  async confirm(row: InboxRow, truth: ProcessorEvent): Promise<InboxRow> {
    const event = { ...storable(truth), eventId: row.event_id };
    const confirmed = { ...row, type: truth.type, reference: truth.reference, event, hint: false };
    await this.system('callback_inbox')
      .where({ id: row.id })
      .update({ type: truth.type, reference: truth.reference, event: JSON.stringify(event), hint: false });
    return confirmed;
  }

  /** Notes which payment a transfer turned out to be for. */
  async rename(row: InboxRow, paymentId: string): Promise<InboxRow> {
    await this.system('callback_inbox').where({ id: row.id }).update({ reference: paymentId });
    return { ...row, reference: paymentId };
  }

  /** Has a report that was handled go to the payment which its transfer turned out to be for. Safe to repeat. */
  async redirect(id: string, paymentId: string): Promise<void> {
    await this.system('callback_inbox').where({ id }).whereNot({ reference: paymentId }).update({
      reference: paymentId,
      state: 'stored',
      attempts: 0,
      note: null,
      next_attempt_at: this.system.fn.now(),
    });
  }

  async mark(id: string, state: InboxState, note?: string): Promise<void> {
    await this.system('callback_inbox')
      .where({ id })
      .update({ state, note: note ?? null, handled_at: this.system.fn.now() });
  }

  /**
   * Takes up to `limit` callbacks that are due and puts off their next attempt, so that nobody else takes them. Answers
   * how many, and those worth delivering: an unmatched one only once there is something of ours that it matches.
   */
  async takeDue(limit: number, firstMs: number, maxMs: number): Promise<{ taken: number; rows: InboxRow[] }> {
    const { rows }: { rows: (InboxRow & { matched: boolean })[] } = await this.system.raw(
      `UPDATE callback_inbox SET attempts = attempts + 1,
         next_attempt_at = now() + least(? * power(2, least(attempts, 20)), ?,
           CASE WHEN type = 'transfer_received' AND attempts < ${TRANSFER_SHORT_PAUSES} THEN ${TRANSFER_PAUSE_MS} END)
             * interval '1 millisecond',
         reference = CASE WHEN hint OR ${placedLater('type', 'reference')} THEN reference
           ELSE coalesce(${meant('processor', 'reference')}, reference) END
       WHERE id IN (SELECT id FROM callback_inbox WHERE state IN ('stored', 'unmatched') AND next_attempt_at <= now()
         ORDER BY next_attempt_at LIMIT ? FOR UPDATE SKIP LOCKED)
       RETURNING id, processor, receiver, event_id, reference, type, event, state, attempts, hint, received_at,
         ${placedLater('type', 'reference')} OR ${meant('processor', 'reference')} IS NOT NULL AS matched`,
      [firstMs, maxMs, limit],
    );
    return { taken: rows.length, rows: rows.filter((row) => row.state === 'stored' || row.matched).map(inTodaysWords) };
  }

  /**
   * Gives up on callbacks that match no payment of ours. They stay in the inbox. Incoming money is never given up: it waits
   * until its processor says whether it is for a payment.
   */
  async ignoreUnmatched(olderThanMs: number): Promise<void> {
    await this.system('callback_inbox')
      .where({ state: 'unmatched' })
      .whereRaw("NOT (type = 'transfer_received' AND NOT starts_with(reference, 'pay_'))")
      .where('received_at', '<', new Date(Date.now() - olderThanMs))
      .update({ state: 'ignored', note: 'nothing of ours ever matched it', handled_at: this.system.fn.now() });
  }
}

/** What signs somebody in is kept by nobody. */
const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie']);

function shownHeaders(headers: RawCallback['headers']): Record<string, string> {
  const kept = Object.entries(headers).filter(
    (header): header is [string, string] => typeof header[1] === 'string' && !SECRET_HEADERS.has(header[0]),
  );
  return Object.fromEntries(kept);
}

/** An event in the form in which it is stored. */
export function storable(event: ProcessorEvent): StoredEvent {
  return {
    ...event,
    money: event.money && { amountMinor: `${event.money.amountMinor}`, currency: event.money.currency },
  };
}

/** Rows that were stored before a processor was called that name its reference and status after a provider. */
export function inTodaysWords<Row extends Pick<InboxRow, 'event'>>(row: Row): Row {
  const { providerReference, providerStatus, ...event } = row.event as StoredEvent &
    Record<`provider${string}`, string>;
  const { processorReference = providerReference, processorStatus = providerStatus } = event;
  return { ...row, event: { ...event, processorStatus, ...(processorReference && { processorReference }) } };
}

/** The event's money in minor units, where the processor stated any. */
export function moneyOf(event: StoredEvent): { amountMinor: bigint; currency: string } | undefined {
  return event.money && { amountMinor: BigInt(event.money.amountMinor), currency: event.money.currency };
}
