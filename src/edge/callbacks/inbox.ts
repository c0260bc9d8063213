import type { Knex } from 'knex';
import type { ProcessorEvent, ProcessorId, RawCallback } from '../../domain/connector';
import { newId } from '../../domain/ids';
import { Gathered } from '../../foundation/db/gathered';
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

/** A callback that is about nothing of ours: when it came, and its id. */
export type Stray = Pick<InboxRow, 'id' | 'received_at'>;

/** SQL: it is about nothing of ours yet. Nobody tries to deliver it before something is. */
const STRAY = "state = 'unmatched' AND next_attempt_at IS NULL";

/** At first, the payment of a transfer may still be on its way: looked for with pauses that do not grow beyond this. */
const TRANSFER_PAUSE_MS = 4_000;
const TRANSFER_SHORT_PAUSES = 10;

/** SQL: what it is about is looked for when it is delivered: a batch has no row before, a transfer names an account. */
const placedLater = (type: string, reference: string) =>
  `(${type} = 'settlement_batch' OR ${type} = 'transfer_received' AND NOT starts_with(${reference}, 'pay_'))`;

/**
 * SQL: the id of ours that a reference means, by our id or, for payments, by what the processor calls them. Or NULL. Both are
 * named with their table: other tables have such columns too.
 */
const meant = (processor: string, reference: string) => `CASE left(${reference}, 4)
  WHEN 'pay_' THEN (SELECT p.id FROM payments p WHERE p.id = ${reference})
  WHEN 'ref_' THEN (SELECT r.id FROM refunds r WHERE r.id = ${reference})
  WHEN 'cvf_' THEN (SELECT v.id FROM card_verifications v WHERE v.id = ${reference})
  WHEN 'pot_' THEN (SELECT o.id FROM payouts o WHERE o.id = ${reference})
  WHEN 'btr_' THEN (SELECT b.id FROM bank_returns b WHERE b.id = ${reference})
  ELSE (SELECT a.payment_id FROM payment_attempts a
    WHERE a.processor = ${processor} AND a.processor_reference = ${reference} LIMIT 1) END`;

const UNMATCHED = 'nothing of ours matches it yet';
/**
 * A callback that was only just stored is due, for whoever looks, after so long: its receiver delivers it at once, and its
 * flow takes it meanwhile, under load too. Told twice, a flow may have to do its task again from the beginning.
 */
const FIRST_DUE_MS = 5_000;
/** One that its receiver could not deliver is due after so long. */
const LEFT_DUE_MS = 1_000;
/** How soon a callback is due again after whoever worked on it has died. */
const HELD = '2 seconds';

/**
 * Stores callbacks with what each is about, unless the same event was stored before. What is about nothing of ours is due
 * never: `findMatches` looks for it. OFFSET 0: what it is about is looked for once, not once for each use. Arrays in a SELECT
 * of their own: Postgres does not see how long they are, and keeps one plan. Else it plans anew each time, since a plan for
 * the few rows there are looks cheaper than one for any number.
 */
const STORE = statement(
  'callback_store',
  `INSERT INTO callback_inbox
     (id, processor, receiver, event_id, reference, type, event, raw, headers, next_attempt_at, state, note, handled_at)
   SELECT r.id, r.processor, r.receiver, r.event_id, coalesce(r.about, r.reference), r.type, r.event::jsonb, r.raw,
     r.headers::jsonb, CASE WHEN r.known THEN now() + interval '${FIRST_DUE_MS} milliseconds' END,
     CASE WHEN r.known THEN 'stored' ELSE 'unmatched' END, CASE WHEN NOT r.known THEN '${UNMATCHED}' END,
     CASE WHEN NOT r.known THEN now() END
   FROM (SELECT *, later OR about IS NOT NULL AS known FROM (
     SELECT *, CASE WHEN NOT later THEN ${meant('named.processor', 'named.reference')} END AS about FROM (
       SELECT *, ${placedLater('type', 'reference')} AS later
       FROM unnest((SELECT $1::text[]), (SELECT $2::text[]), (SELECT $3::text[]), (SELECT $4::text[]), (SELECT $5::text[]),
         (SELECT $6::text[]), (SELECT $7::text[]), (SELECT $8::bytea[]), (SELECT $9::text[]))
         AS given(id, processor, receiver, event_id, reference, type, event, raw, headers)) named OFFSET 0) found) r
   ON CONFLICT (processor, event_id) DO NOTHING RETURNING id, reference, state`,
);
/** The columns of STORE, in its order. */
type Arrived = readonly [
  id: string,
  processor: string,
  receiver: string,
  eventId: string,
  reference: string,
  type: string,
  event: string,
  raw: Buffer,
  headers: string,
];
type Placed = Pick<InboxRow, 'id' | 'reference' | 'state'>;
/** Callbacks stored by one statement, and such statements that one process has under way. */
const AT_ONCE = 100;
const STATEMENTS = 2;

/** Everything a processor ever told us, each event once. Runs as the system role. */
export class Inbox {
  private readonly arriving = new Gathered<Arrived, Placed | undefined>(
    (rows) => this.storeAll(rows),
    AT_ONCE,
    STATEMENTS,
  );

  constructor(
    private readonly system: Knex,
    private readonly named = new NamedStatements(system, false),
  ) {}

  /** The same, in a transaction. */
  within(trx: Knex.Transaction): Inbox {
    return new Inbox(trx);
  }

  /**
   * Stores a verified callback together with what it is about, due for the workers' rounds some seconds later: until then the
   * receiver delivers it itself, or leaves it to them (`leave`). One that is about nothing of ours yet is `unmatched`: nobody
   * delivers it before it is. Answers the row, or undefined when this event was stored before.
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
    const placed = await this.arriving.add([
      id,
      processor,
      receiver,
      event_id,
      event.reference,
      type,
      JSON.stringify(stored),
      raw.method === 'GET' ? Buffer.from(raw.query) : raw.body,
      JSON.stringify(shownHeaders(raw.headers)),
    ]);
    const row = { id, processor, receiver, event_id, type, event: stored, attempts: 0, hint: false };
    return placed && { ...row, ...placed, received_at: new Date() };
  }

  /** In the order of their events, so that two statements which bring the same ones do not wait for each other. */
  private async storeAll(arrived: readonly Arrived[]): Promise<(Placed | undefined)[]> {
    const sorted = arrived.length === 1 ? arrived : [...arrived].sort(byEvent);
    const rows = await this.named.rows<Placed>(STORE, columnsOf(sorted));
    const placed = new Map(rows.map((row) => [row.id, row]));
    return arrived.map(([id]) => placed.get(id));
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

  /**
   * Does `work` for a callback and keeps it from being due meanwhile, so that nobody else does the same. It is due soon after
   * the death of this process. `retryFirstMs`: the shortest pause after which it may be due again, where it was tried before.
   */
  async during<T>(id: string, retryFirstMs: number, work: () => Promise<T>): Promise<T> {
    const putOff = async () => {
      await this.system('callback_inbox')
        .where({ id, state: 'stored' })
        .update({ next_attempt_at: this.system.raw(`greatest(next_attempt_at, now() + interval '${HELD}')`) });
    };
    let under: Promise<void> | undefined;
    const timer = setInterval(() => {
      // One that fails is made up for by the next.
      under = putOff().catch(() => undefined);
    }, Math.min(LEFT_DUE_MS, retryFirstMs) / 2);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      await under;
    }
  }

  /** Whoever received it could not deliver it: it is due for the workers' rounds soon. */
  async leave(id: string): Promise<void> {
    await this.system('callback_inbox')
      .where({ id, state: 'stored' })
      .update({
        next_attempt_at: this.system.raw(`least(next_attempt_at, now() + interval '${LEFT_DUE_MS} milliseconds')`),
      });
  }

  async mark(id: string, state: InboxState, note?: string): Promise<void> {
    await this.system('callback_inbox')
      .where({ id })
      .update({ state, note: note ?? null, handled_at: this.system.fn.now() });
  }

  /**
   * Takes up to `limit` callbacks that are due and puts off their next attempt, so that nobody else takes them. Answers
   * how many, and those worth delivering. An unmatched one that is still about nothing of ours is left to `findMatches`.
   * Mostly there is none: whether there is takes a tenth of planning the statement that takes them.
   */
  async takeDue(limit: number, firstMs: number, maxMs: number): Promise<{ taken: number; rows: InboxRow[] }> {
    const due = this.system('callback_inbox')
      .whereIn('state', ['stored', 'unmatched'])
      .whereRaw('next_attempt_at <= now()');
    if (!(await due.first('id'))) return { taken: 0, rows: [] };
    const { rows }: { rows: (InboxRow & { matched: boolean })[] } = await this.system.raw(
      `UPDATE callback_inbox SET attempts = attempts + 1,
         next_attempt_at = CASE
           WHEN state = 'unmatched' AND NOT hint AND NOT ${placedLater('type', 'reference')}
             AND ${meant('callback_inbox.processor', 'callback_inbox.reference')} IS NULL THEN NULL
           ELSE now() + least(? * power(2, least(attempts, 20)), ?,
             CASE WHEN type = 'transfer_received' AND attempts < ${TRANSFER_SHORT_PAUSES} THEN ${TRANSFER_PAUSE_MS} END)
               * interval '1 millisecond' END,
         reference = CASE WHEN hint OR ${placedLater('type', 'reference')} THEN reference
           ELSE coalesce(${meant('callback_inbox.processor', 'callback_inbox.reference')}, reference) END
       WHERE id IN (SELECT id FROM callback_inbox WHERE state IN ('stored', 'unmatched') AND next_attempt_at <= now()
         ORDER BY next_attempt_at LIMIT ? FOR UPDATE SKIP LOCKED)
       RETURNING id, processor, receiver, event_id, reference, type, event, state, attempts, hint, received_at,
         ${placedLater('type', 'reference')} OR ${meant('callback_inbox.processor', 'callback_inbox.reference')} IS NOT NULL AS matched`,
      [firstMs, maxMs, limit],
    );
    return { taken: rows.length, rows: rows.filter((row) => row.state === 'stored' || row.matched).map(inTodaysWords) };
  }

  /**
   * Looks whether there is something of ours by now that unmatched callbacks are about, and has those delivered. It reads, and
   * writes only what it found, so that many which match nothing cost little. It looks at the `newest` and, in their order, at
   * the `next` after `last`. Answers the last of these, or undefined when it came to the end.
   */
  async findMatches(newest: number, next: number, last?: Stray): Promise<Stray | undefined> {
    if (!(await this.system('callback_inbox').whereRaw(STRAY).first('id'))) return undefined;
    return this.system.transaction(async (trx) => {
      // A table that has just grown seems to have few strays: Postgres would read and sort them all for the newest.
      await trx.raw('SET LOCAL enable_bitmapscan = off; SET LOCAL enable_seqscan = off');
      const { rows }: { rows: Stray[] } = await trx.raw(
        // Ordered by all columns of the index, and updated by id: else all strays are read for a few of them.
        `WITH next AS (SELECT id, received_at, processor, reference FROM callback_inbox
           WHERE ${STRAY} AND (received_at, id) > (:receivedAt, :id) ORDER BY next_attempt_at, received_at, id LIMIT :next),
         found AS (UPDATE callback_inbox SET state = 'stored', note = NULL, handled_at = NULL, next_attempt_at = now(),
             reference = coalesce(${meant('callback_inbox.processor', 'callback_inbox.reference')}, reference)
           WHERE ${STRAY} AND id = ANY (ARRAY(SELECT strays.id FROM (SELECT * FROM next UNION
               (SELECT id, received_at, processor, reference FROM callback_inbox WHERE ${STRAY}
                 ORDER BY next_attempt_at DESC, received_at DESC, id DESC LIMIT :newest)) strays
             WHERE ${meant('strays.processor', 'strays.reference')} IS NOT NULL)))
         SELECT id, received_at FROM next ORDER BY received_at, id OFFSET :last`,
        { receivedAt: last?.received_at ?? new Date(0), id: last?.id ?? '', newest, next, last: next - 1 },
      );
      return rows[0];
    });
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

function byEvent([, processorOfOne, , one]: Arrived, [, processorOfOther, , other]: Arrived): number {
  if (processorOfOne !== processorOfOther) return processorOfOne < processorOfOther ? -1 : 1;
  return one === other ? 0 : one < other ? -1 : 1;
}

/** One array for each column. */
function columnsOf(rows: readonly Arrived[]): unknown[][] {
  return rows[0]!.map((_, column) => rows.map((row) => row[column]));
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
