import type { Knex } from 'knex';
import { newId } from '../../domain/ids';
import type { Keys } from '../config/key-source';
import { Keyring } from '../vault/keyring';

export type Channel = 'email' | 'sms';

export interface Message {
  tenantId: string;
  channel: Channel;
  /** An e-mail address, or a telephone number in E.164. */
  to: string;
  /** Of an e-mail; an SMS has none. */
  subject?: string;
  text: string;
  /** Of an e-mail: the same as a page, for readers that show one. It names its pictures as `cid:<name>`. */
  html?: string;
  pictures?: Picture[];
}

/** A PNG that an e-mail shows. */
export interface Picture {
  name: string;
  /** Base64. */
  content: string;
}

/** What is sealed of a message. */
export type Letter = Omit<Message, 'tenantId' | 'channel'>;

/** Queues e-mails and SMS in the caller's transaction: what is rolled back is not sent. The workers deliver them. */
export class Messenger {
  private readonly keys: Keyring;

  /** `setting`: VAULT_KEYS. */
  constructor(setting: Keys) {
    this.keys = new Keyring(setting, 'message');
  }

  /** `trx`: of the tenant, or of the system role. Answers the id of the message. */
  async send(trx: Knex.Transaction, message: Message): Promise<string> {
    return this.insert(trx, message, 'queued');
  }

  /** The same work as `send`, and nothing is sent. */
  async decoy(trx: Knex.Transaction, message: Message): Promise<void> {
    await this.insert(trx, message, 'decoy');
  }

  open(id: string, sealed: Buffer): Letter {
    return JSON.parse(this.keys.open(sealed, id).toString());
  }

  private async insert(trx: Knex.Transaction, message: Message, state: 'queued' | 'decoy'): Promise<string> {
    const id = newId('message');
    const { tenantId, channel, ...letter } = message;
    const sealed = this.keys.seal(Buffer.from(JSON.stringify(letter satisfies Letter)), id);
    await trx('messages').insert({
      id,
      tenant_id: tenantId,
      channel,
      state,
      sealed: state === 'queued' ? sealed : null,
    });
    return id;
  }
}
