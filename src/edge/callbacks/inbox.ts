import type { Knex } from 'knex';
import type { ProcessorEvent, ProcessorId, RawCallback } from '../../domain/connector';
import { newId } from '../../domain/ids';
import { jsonOf } from '../../foundation/db/json';

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

/** Everything a processor ever told us, each event once. Runs as the system role. */
export class Inbox {
  constructor(private readonly system: Knex) {}

  /** The same, in a transaction. */
  within(trx: Knex.Transaction): Inbox {
    return new Inbox(trx);
  }

  /**
   * Stores a verified callback, due for the workers' rounds a second later: until then the receiver delivers it itself.
   * Answers the row, or undefined when this event was stored before.
   */
  async store(
    processor: ProcessorId,
    receiver: string,
    event: ProcessorEvent,
    raw: RawCallback,
    { id = newId('callback') }: { id?: string } = {},
  ): Promise<InboxRow | undefined> {
    const stored = storable(event);
    const row: InboxRow = {
      id,
      processor,
      receiver,
      event_id: event.eventId,
      reference: event.reference,
      type: event.type,
      event: stored,
      state: 'stored',
      attempts: 0,
      hint: false,
      received_at: new Date(),
    };
    const { rowCount } = await this.system.raw(
      `INSERT INTO callback_inbox (id, processor, receiver, event_id, reference, type, event, raw, headers, next_attempt_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, now() + interval '1 second') ON CONFLICT (processor, event_id) DO NOTHING`,
      [
        row.id,
        processor,
        receiver,
        event.eventId,
        event.reference,
        event.type,
        JSON.stringify(stored),
        raw.method === 'GET' ? Buffer.from(raw.query) : raw.body,
        jsonOf(shownHeaders(raw.headers)),
      ],
    );
    return rowCount === 1 ? row : undefined;
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
             * interval '1 millisecond'
       WHERE id IN (SELECT id FROM callback_inbox WHERE state IN ('stored', 'unmatched') AND next_attempt_at <= now()
         ORDER BY next_attempt_at LIMIT ? FOR UPDATE SKIP LOCKED)
       RETURNING id, processor, receiver, event_id, reference, type, event, state, attempts, hint, received_at,
         EXISTS (SELECT 1 FROM payments p WHERE p.id = reference)
           OR EXISTS (SELECT 1 FROM refunds r WHERE r.id = reference)
           OR EXISTS (SELECT 1 FROM payouts o WHERE o.id = reference)
           OR EXISTS (SELECT 1 FROM card_verifications v WHERE v.id = reference)
           OR EXISTS (SELECT 1 FROM payment_attempts a
             WHERE a.processor = callback_inbox.processor AND a.processor_reference = reference)
           OR type = 'transfer_received' AS matched`,
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
function inTodaysWords<Row extends InboxRow>(row: Row): Row {
  const { providerReference, providerStatus, ...event } = row.event as StoredEvent &
    Record<`provider${string}`, string>;
  const { processorReference = providerReference, processorStatus = providerStatus } = event;
  return { ...row, event: { ...event, processorStatus, ...(processorReference && { processorReference }) } };
}

/** The event's money in minor units, where the processor stated any. */
export function moneyOf(event: StoredEvent): { amountMinor: bigint; currency: string } | undefined {
  return event.money && { amountMinor: BigInt(event.money.amountMinor), currency: event.money.currency };
}
