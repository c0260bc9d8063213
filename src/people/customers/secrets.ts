import { availableParallelism } from 'node:os';
import type { Knex } from 'knex';
import { Mac } from '../../foundation/vault/keyring';
import { endTokens } from '../identity/customer-tokens';
import { hashPassword } from '../identity/passwords';
import type { CustomerSecrets } from './profile';

/** A row of `customer_secrets`, as far as it is made from what the customer knows. */
export interface HashedSecret {
  kind: string;
  hash: Buffer;
}

/** What is to become of a customer's stored secrets. */
export interface SecretChange {
  store: HashedSecret[];
  /** Kinds that go. */
  remove: string[];
  /** Kinds of answers that stay or come; any other answer goes. Absent: nothing was said about answers. */
  answers?: string[];
}

/** Each takes 19 MiB and a core. */
const HASHES_AT_ONCE = Math.max(1, availableParallelism());

/** Turns what only a customer knows into what may be stored: Argon2id for passwords, a keyed hash for PINs and answers. */
export class SecretHashing {
  private readonly mac: Mac;

  /** `setting`: VAULT_HMAC_KEY. */
  constructor(setting: string) {
    this.mac = new Mac(setting, 'customer-secret');
  }

  /** Slow on purpose: to be called outside transactions. */
  async change(customerId: string, { password, pinCode, answers }: CustomerSecrets): Promise<SecretChange> {
    const store: HashedSecret[] = [];
    if (password) store.push({ kind: 'password', hash: Buffer.from(await hashPassword(password)) });
    if (pinCode) store.push({ kind: 'pin', hash: this.of(customerId, 'pin', pinCode) });
    for (const { question, answer } of answers ?? [])
      if (answer)
        store.push({
          kind: this.kindOf(question),
          hash: this.of(customerId, this.kindOf(question), canonical(answer)),
        });
    return {
      store,
      remove: [
        ...(password === null ? ['password'] : []),
        ...(pinCode === null ? ['pin'] : []),
        // A new answer takes the place of the one that an earlier key has stored.
        ...(answers ?? []).flatMap(({ question, answer }) => (answer ? this.kindsOf(question).slice(1) : [])),
      ],
      ...(answers && { answers: answers.flatMap(({ question }) => this.kindsOf(question)) }),
    };
  }

  /** The same for many customers, as many at once as there are cores. */
  async changes(all: readonly { customerId: string; secrets: CustomerSecrets }[]): Promise<SecretChange[]> {
    const done = new Array<SecretChange>(all.length);
    let next = 0;
    const work = async () => {
      for (let at = next++; at < all.length; at = next++) {
        const { customerId, secrets } = all[at]!;
        done[at] = isEmpty(secrets) ? { store: [], remove: [] } : await this.change(customerId, secrets);
      }
    };
    await Promise.all(Array.from({ length: HASHES_AT_ONCE }, work));
    return done;
  }

  /** The keyed hash of a PIN or an answer: bound to its customer, so that equal ones do not look equal. */
  of(customerId: string, kind: string, value: string): Buffer {
    return this.mac.of(`${customerId}\0${kind}\0${value}`);
  }

  /** Under which kind the answer to a question is stored: the question may be personal, so it is hashed too. */
  kindOf(question: string): string {
    return this.kindsOf(question)[0]!;
  }

  /** Under which kinds it may be stored: of each key, the newest first. */
  private kindsOf(question: string): string[] {
    return this.mac.all(`question\0${canonical(question)}`).map((mac) => `answer:${mac.toString('base64url')}`);
  }
}

/** Whether nothing is said about secrets. */
function isEmpty(secrets: CustomerSecrets): boolean {
  return Object.values(secrets).every((secret) => secret === undefined);
}

/** Upper case, lower case and spaces make no difference in an answer. */
function canonical(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Whether a password comes, changes or goes. */
export function changesPassword({ store, remove }: Pick<SecretChange, 'store' | 'remove'>): boolean {
  return remove.includes('password') || store.some(({ kind }) => kind === 'password');
}

/** Brings the stored secrets of a customer up to date. A new one starts without wrong tries; a new password ends tokens. */
export async function storeSecrets(
  trx: Knex.Transaction,
  tenantId: string,
  customerId: string,
  { store, remove, answers }: SecretChange,
): Promise<void> {
  if (changesPassword({ store, remove })) await endTokens(trx, customerId);
  const stored = trx('customer_secrets').where({ customer_id: customerId });
  if (remove.length > 0) await stored.clone().whereIn('kind', remove).delete();
  if (answers) await stored.clone().where('kind', 'like', 'answer:%').whereNotIn('kind', answers).delete();
  if (store.length > 0)
    await trx('customer_secrets')
      .insert(
        store.map((secret) => ({
          ...secret,
          customer_id: customerId,
          tenant_id: tenantId,
          failures: 0,
          locked_until: null,
          updated_at: trx.fn.now(),
        })),
      )
      .onConflict(['customer_id', 'kind'])
      .merge();
}
