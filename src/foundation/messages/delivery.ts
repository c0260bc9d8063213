import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Channel, Messenger } from './messenger';
import { Refused, type Senders } from './senders';

export interface DeliverySchedule {
  retryFirstMs: number;
  retryMaxMs: number;
  /** After so long a message is no longer tried. */
  ttlMs: number;
}

interface Claimed {
  id: string;
  channel: Channel;
  sealed: Buffer;
  tries: number;
  is_old: boolean;
}

/** Longer than any try, so that what is on its way is sent by nobody else. */
const CLAIM_MS = 60_000;
const KEPT_DAYS = 30;

/** Delivers what Messenger has queued: at least once, with growing pauses while a carrier is away. Runs as the system role. */
export class MessageDelivery {
  constructor(
    private readonly system: Knex,
    private readonly messenger: Messenger,
    private readonly senders: Senders,
    private readonly schedule: DeliverySchedule,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** Tries up to `limit` messages that are due; answers how many there were. */
  async round(limit: number): Promise<number> {
    const claimed = await this.claim(limit);
    await Promise.all(claimed.map((message) => this.deliver(message)));
    return claimed.length;
  }

  /** Removes the traces of what was sent long ago. */
  async sweep(): Promise<void> {
    await this.system('messages')
      .whereNot({ state: 'queued' })
      .where('created_at', '<', this.system.raw("now() - ? * interval '1 day'", [KEPT_DAYS]))
      .delete();
  }

  close(): void {
    for (const sender of Object.values(this.senders)) sender.close();
  }

  /** A claim is a next try in the future: should we die before the outcome is recorded, it is sent again then. */
  private async claim(limit: number): Promise<Claimed[]> {
    const { rows } = await this.system.raw(
      `UPDATE messages SET tries = tries + 1, next_try_at = clock_timestamp() + :claimMs * interval '1 millisecond'
       WHERE id IN (SELECT id FROM messages WHERE state = 'queued' AND next_try_at <= clock_timestamp()
         ORDER BY next_try_at LIMIT :limit FOR UPDATE SKIP LOCKED)
       RETURNING id, channel, sealed, tries,
         created_at < clock_timestamp() - :ttlMs * interval '1 millisecond' AS is_old`,
      { claimMs: CLAIM_MS, limit, ttlMs: this.schedule.ttlMs },
    );
    return rows;
  }

  private async deliver({ id, channel, sealed, tries, is_old }: Claimed): Promise<void> {
    if (is_old) return this.end(id, 'expired');
    try {
      const sender = this.senders[channel];
      if (!sender) throw new Error(`no carrier is set for ${channel}`);
      await sender.send(id, this.messenger.open(id, sealed));
      await this.end(id, 'delivered');
    } catch (error) {
      // What a carrier says may quote the address: its code is all that is logged.
      const { name, code, status } = error as { name?: string; code?: unknown; status?: unknown };
      this.log.warn({ message: id, channel, tries, error: name, code, status }, 'message not delivered');
      if (error instanceof Refused) return this.end(id, 'refused');
      await this.again(
        id,
        Math.min(this.schedule.retryFirstMs * 2 ** Math.min(tries - 1, 30), this.schedule.retryMaxMs),
      );
    }
  }

  private async end(id: string, state: 'delivered' | 'refused' | 'expired'): Promise<void> {
    await this.system('messages')
      .where({ id, state: 'queued' })
      .update({ state, sealed: null, ended_at: this.system.raw('clock_timestamp()') });
  }

  private async again(id: string, pauseMs: number): Promise<void> {
    await this.system('messages')
      .where({ id, state: 'queued' })
      .update({ next_try_at: this.system.raw("clock_timestamp() + ? * interval '1 millisecond'", [pauseMs]) });
  }
}
