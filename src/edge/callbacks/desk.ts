import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { DomainError, found } from '../../domain/errors';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import type { InboxState } from './inbox';
import { withoutCardNumbers } from './without-card-numbers';

/** A callback as operators see it. */
export interface ShownCallback {
  id: string;
  processor: string;
  receiver: string;
  event_id: string;
  reference: string;
  type: string;
  state: InboxState;
  note: string | null;
  attempts: number;
  received_at: Date;
  handled_at: Date | null;
}

/** The same with what came, byte for byte, card numbers hidden. */
export interface WholeCallback extends ShownCallback {
  headers: Record<string, string> | null;
  /** Its bytes as text; those that are no UTF-8 as base64. */
  body: { text: string } | { base64: string };
  bytes: number;
  /** Of the bytes as they came, in hexadecimal. */
  sha256: string;
  hidden: number;
}

export interface CallbackFilter extends Page {
  state?: InboxState;
  reference?: string;
  processor?: string;
}

const SHOWN = [
  'id',
  'processor',
  'receiver',
  'event_id',
  'reference',
  'type',
  'state',
  'note',
  'attempts',
  'received_at',
  'handled_at',
] as const;

/** What operators do with the callbacks of processors. */
export class CallbackDesk {
  constructor(private readonly database: Database) {}

  /** One more than the page holds, newest first. */
  async list({ state, reference, processor, ...page }: CallbackFilter): Promise<ShownCallback[]> {
    const rows = paged(this.database.ops('callbacks_seen'), page).select(...SHOWN);
    if (state) rows.where({ state });
    if (reference) rows.where({ reference });
    if (processor) rows.where({ processor });
    return rows;
  }

  /** One with its bytes. Who reads them stands in the audit log. Throws `not_found`. */
  async read(id: string, by: Actor): Promise<WholeCallback> {
    const { raw, headers, ...row }: ShownCallback & { raw: Buffer; headers: WholeCallback['headers'] } = found(
      await this.database
        .ops('callbacks_seen')
        .where({ id })
        .first(...SHOWN, 'raw', 'headers'),
      'callback',
    );
    await noteDone(this.database.system, null, by, 'callbacks.read', id);
    const { text, hidden } = withoutCardNumbers(raw.toString('latin1'));
    const bytes = Buffer.from(text, 'latin1');
    const decoded = bytes.toString('utf8');
    return {
      ...row,
      headers,
      body: Buffer.from(decoded).equals(bytes) ? { text: decoded } : { base64: bytes.toString('base64') },
      bytes: raw.length,
      sha256: createHash('sha256').update(raw).digest('hex'),
      hidden,
    };
  }

  /**
   * Has it heard again as if it had just come. Throws `not_found`, and `invalid_state` (409) for one that has had its
   * effect: the processor can be asked instead.
   */
  replay(id: string, reason: string, by: Actor): Promise<ShownCallback> {
    return this.act(id, reason, by, 'replay', (trx, { state }) => {
      if (state === 'applied') throw new DomainError('invalid_state', 'The callback has had its effect');
      return { state: 'stored', attempts: 0, note: null, handled_at: null, next_attempt_at: trx.fn.now() };
    });
  }

  /** Somebody has seen it, and nothing is to become of it. Throws `not_found` and `invalid_state` (409). */
  dismiss(id: string, reason: string, by: Actor): Promise<ShownCallback> {
    return this.act(id, reason, by, 'dismiss', (trx, { state }) => {
      if (state !== 'flagged') throw new DomainError('invalid_state', `The callback is ${state}`);
      return { state: 'ignored', note: `dismissed: ${reason}`, handled_at: trx.fn.now() };
    });
  }

  private act(
    id: string,
    reason: string,
    by: Actor,
    verb: string,
    change: (trx: Knex.Transaction, row: ShownCallback) => Record<string, unknown>,
  ): Promise<ShownCallback> {
    return this.database.system.transaction(async (trx) => {
      const read = (table: string): Promise<ShownCallback | undefined> =>
        trx(table)
          .where({ id })
          .forUpdate()
          .first(...SHOWN);
      const hint = await read('callback_hints');
      const row = found(hint ?? (await read('callback_inbox')), 'callback');
      const [changed] = await trx(hint ? 'callback_hints' : 'callback_inbox')
        .where({ id })
        .update(change(trx, row))
        .returning([...SHOWN]);
      await noteDone(trx, null, by, `callbacks.${verb}`, id, { reason, was: row.state });
      return changed;
    });
  }
}
