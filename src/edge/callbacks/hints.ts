import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Connectors, ProcessorEvent, ProcessorId, RawCallback } from '../../domain/connector';
import { DomainError } from '../../domain/errors';
import { newId } from '../../domain/ids';
import type { Delivery } from './delivery';
import { type Inbox, type InboxRow, moneyOf, type StoredEvent, storable } from './inbox';

/** The largest unsigned callback, in bytes. */
export const HINT_BYTES = 4_096;
/** Hints about which the processor is asked at a time. */
const AT_ONCE = 8;
/** A hint that the processor knows nothing of is asked about less and less often, but this often. */
const MAX_PAUSE_MS = 3_600_000;

/** One row of `callback_hints`. */
interface HintRow {
  id: string;
  processor: ProcessorId;
  receiver: string;
  event_id: string;
  event: StoredEvent;
  raw: Buffer;
}

export interface HintLimits {
  /** Hints kept at a time, of all processors. */
  most: number;
  /** How long one is kept. */
  ttlMs: number;
  /** The pause before the second question about one; each further pause is twice as long. */
  retryFirstMs: number;
}

/**
 * Callbacks that nobody signed. Anybody can send them, so they cost little: they lie apart, so many at most and for a time,
 * and the workers ask the processor about a few at once. What the processor confirms goes into the inbox, once for each
 * thing that it says. Runs as the system role.
 */
export class Hints {
  constructor(
    private readonly system: Knex,
    private readonly inbox: Inbox,
    private readonly delivery: Pick<Delivery, 'deliver'>,
    private readonly connectors: Pick<Connectors, 'get'>,
    private readonly limits: HintLimits,
    private readonly log: Logger,
  ) {}

  /**
   * Keeps a hint for the workers. Answers its id, or undefined where the same came before. Throws `unavailable` where there
   * are too many: the processor sends it again.
   */
  async store(
    processor: ProcessorId,
    receiver: string,
    event: ProcessorEvent,
    raw: RawCallback,
  ): Promise<string | undefined> {
    const { rows }: { rows: { known: boolean; waiting: string }[] } = await this.system.raw(
      `SELECT EXISTS (SELECT FROM callback_inbox WHERE processor = :processor AND event_id = :eventId)
           OR EXISTS (SELECT FROM callback_hints WHERE processor = :processor AND event_id = :eventId) AS known,
         (SELECT count(*) FROM callback_hints) AS waiting`,
      { processor, eventId: event.eventId },
    );
    if (rows[0]!.known) return undefined;
    if (Number(rows[0]!.waiting) >= this.limits.most)
      throw new DomainError('unavailable', 'Too many unsigned callbacks wait. Send it again later', {
        retryAfterSeconds: 60,
      });
    const id = newId('callback');
    const { rowCount } = await this.system.raw(
      `INSERT INTO callback_hints (id, processor, receiver, event_id, reference, type, event, raw)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (processor, event_id) DO NOTHING`,
      [
        id,
        processor,
        receiver,
        event.eventId,
        event.reference,
        event.type,
        JSON.stringify(storable(event)),
        raw.method === 'GET' ? Buffer.from(raw.query) : raw.body,
      ],
    );
    return rowCount === 1 ? id : undefined;
  }

  /** Asks the processors about up to `limit` hints that are due, a few at a time. Answers how many it took. */
  async round(limit = 50): Promise<number> {
    const { rows }: { rows: HintRow[] } = await this.system.raw(
      `UPDATE callback_hints SET attempts = attempts + 1,
         next_attempt_at = now() + least(? * power(2, least(attempts, 20)), ?) * interval '1 millisecond'
       WHERE id IN (SELECT id FROM callback_hints WHERE state IN ('stored', 'unmatched') AND next_attempt_at <= now()
         ORDER BY next_attempt_at LIMIT ? FOR UPDATE SKIP LOCKED)
       RETURNING id, processor, receiver, event_id, event, raw`,
      [this.limits.retryFirstMs, MAX_PAUSE_MS, limit],
    );
    const queue = [...rows];
    const work = async () => {
      for (let hint = queue.shift(); hint; hint = queue.shift()) await this.settle(hint);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return rows.length;
  }

  /** Forgets hints that are older than they may become. */
  async sweep(): Promise<void> {
    await this.system('callback_hints')
      .where('received_at', '<', new Date(Date.now() - this.limits.ttlMs))
      .delete();
  }

  private async settle(hint: HintRow): Promise<void> {
    try {
      const { event } = hint;
      const truth = await this.connectors.get(hint.processor).confirm?.({ ...event, money: moneyOf(event) });
      if (!truth) return await this.mark(hint, 'unmatched', 'the processor knows nothing of it yet');
      const row = await this.move(hint, truth);
      // What matches nothing or fails here is left to the rounds of the inbox.
      if (row?.state === 'stored') await this.delivery.deliver(row).catch(() => undefined);
    } catch (error) {
      this.log.debug({ callback: hint.id, error: (error as Error).name }, 'hint not confirmed yet');
    }
  }

  /** Puts what the processor said into the inbox in the hint's place, unless it has said the same before. */
  private async move(hint: HintRow, truth: ProcessorEvent): Promise<InboxRow | undefined> {
    const { eventId: _, ...said } = storable(truth);
    const known = await this.system('callback_inbox')
      .where({ processor: hint.processor, reference: truth.reference, type: truth.type })
      .whereRaw("event - 'eventId' = ?::jsonb", [JSON.stringify(said)])
      .first('id');
    if (known) {
      await this.mark(hint, 'ignored', `the processor says what it said before (${known.id})`);
      return undefined;
    }
    return this.system.transaction(async (trx) => {
      const raw = { method: 'POST' as const, path: '', query: '', headers: {}, body: hint.raw };
      const event = { ...truth, eventId: hint.event_id };
      const row = await this.inbox.within(trx).store(hint.processor, hint.receiver, event, raw, { id: hint.id });
      await trx('callback_hints').where({ id: hint.id }).delete();
      return row;
    });
  }

  private async mark({ id }: HintRow, state: 'unmatched' | 'ignored', note: string): Promise<void> {
    await this.system('callback_hints').where({ id }).update({ state, note, handled_at: this.system.fn.now() });
  }
}
