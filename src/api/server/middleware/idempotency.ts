import { TypeID } from 'typeid-js';
import { DomainError } from '../../../domain/errors';
import { type Database, violates } from '../../../foundation/db/database';
import { KeyClaim } from '../../../foundation/db/key-claim';
import type { Keyring, Mac } from '../../../foundation/vault/keyring';
import { HTTP_STATUS } from '../errors';
import type { Answer } from '../route';
import { type Instance, isAlive } from './instance';

/** The owner of a row on which no process works. No process has this number. */
const NOBODY = 0n;
const STORE_RETRY_MS = 1_000;
const CLAIM_TRIES = 5;

export interface KeyOf {
  clientId: string;
  /** Decoded path, without query. */
  path: string;
  key: string;
}

interface Claim {
  seed: string;
  /** False if an earlier attempt with this key may have had an effect. */
  fresh: boolean;
  /** Whether the row of the key is still to be written: a refusal has nothing to free then. */
  isUnwritten?: () => boolean;
}

interface Row {
  request_mac: Buffer;
  resource_seed: string;
  owner: bigint;
  status: number | null;
  answer_sealed: Buffer | null;
  owner_alive: boolean;
}

/**
 * Idempotency keys (contract, section 1). We write a row before the handler runs and add the answer afterwards. The row has
 * the seed of the ids that the handler makes. If a process dies, the next repeat takes over its row and works on the same
 * ids.
 *
 * A refusal (4xx) of the first attempt frees the key, since nothing was created. Any other failure keeps the row and the
 * seed and gives up the ownership. Its outcome may be unknown, so a repeat must find what the first attempt created.
 */
export class Idempotency {
  private readonly unstored = new Map<NodeJS.Timeout, () => Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly instance: Instance,
    private readonly keyring: Keyring,
    private readonly mac: Mac,
  ) {}

  /**
   * Runs `handler` once per key, or gives the earlier answer again. Two requests are the same if `request` is equal; only
   * its HMAC is stored. Throws `idempotency_key_reused` and `idempotency_in_progress`.
   */
  async run(keyOf: KeyOf, request: string, handler: (seed: string) => Promise<Answer>): Promise<Answer> {
    await this.instance.hold();
    const claim = await this.claim(keyOf, request);
    return 'seed' in claim ? this.answer(keyOf, claim, () => handler(claim.seed)) : claim;
  }

  /**
   * The same for a handler that claims the key in the transaction of what it writes: no transaction for the key alone. A
   * refusal before that leaves nothing behind.
   */
  async runClaiming(
    keyOf: KeyOf,
    request: string,
    handler: (seed: string, claim?: KeyClaim) => Promise<Answer>,
  ): Promise<Answer> {
    await this.instance.hold();
    const mac = this.mac.of(request);
    if (await this.find(keyOf)) return this.run(keyOf, request, handler);
    const seed = new TypeID('').toUUID();
    const claim = new KeyClaim({ ...keyOf, mac: mac.toString('hex'), seed, owner: `${this.instance.number}` });
    try {
      return await this.answer(keyOf, { seed, fresh: true, isUnwritten: () => !claim.isTaken }, async () => {
        const answer = await handler(seed, claim);
        // It had nothing to write down.
        if (!claim.isTaken) await this.insert(keyOf, mac, seed);
        return answer;
      });
    } catch (error) {
      // Somebody was faster: this request is a repeat.
      if (violates(error, 'idempotency_keys_pkey')) return this.run(keyOf, request, handler);
      throw error;
    }
  }

  /** What `work` answers, stored; its failure frees the key or gives it up. */
  private async answer(keyOf: KeyOf, claim: Claim, work: () => Promise<Answer>): Promise<Answer> {
    let answer: Answer;
    let sealed: Buffer;
    try {
      answer = await work();
      sealed = this.seal(keyOf, answer);
    } catch (error) {
      if (!claim.fresh || !isRefusal(error)) await this.settle(() => this.letGo(keyOf, claim));
      else if (!claim.isUnwritten?.()) await this.settle(() => this.remove(keyOf, claim));
      throw error;
    }
    await this.settle(() => this.store(keyOf, claim, answer.status, sealed));
    return answer;
  }

  /** Removes keys older than the retention. Returns how many. */
  async sweep(retentionMs: number): Promise<number> {
    return this.database
      .system('idempotency_keys')
      .where('created_at', '<', this.database.system.raw("now() - ? * interval '1 millisecond'", [retentionMs]))
      .delete();
  }

  /** Tries once more to store the answers that could not be stored yet. */
  async close(): Promise<void> {
    const writes = [...this.unstored];
    for (const [timer] of writes) clearTimeout(timer);
    await Promise.allSettled(writes.map(([, write]) => write()));
  }

  private async claim(keyOf: KeyOf, request: string): Promise<Claim | Answer> {
    for (let attempt = 0; attempt < CLAIM_TRIES; attempt += 1) {
      const seed = new TypeID('').toUUID();
      if (await this.insert(keyOf, this.mac.of(request), seed)) return { seed, fresh: true };
      const row = await this.find(keyOf);
      // The key was freed between the two statements: try again to be the first.
      if (!row) continue;
      if (!this.mac.matches(row.request_mac, request))
        throw new DomainError('idempotency_key_reused', 'This idempotency key was used with a different request');
      if (row.status !== null) return this.open(keyOf, row);
      if (row.owner === this.instance.number || row.owner_alive) throw inProgress();
      if (await this.takeOver(keyOf, row.owner)) return { seed: row.resource_seed, fresh: false };
    }
    throw inProgress();
  }

  private async insert({ clientId, path, key }: KeyOf, requestMac: Buffer, seed: string): Promise<boolean> {
    const { rowCount } = await this.database.system.raw(
      `INSERT INTO idempotency_keys (client_id, path, key, request_mac, resource_seed, owner)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      [clientId, path, key, requestMac, seed, String(this.instance.number)],
    );
    return rowCount === 1;
  }

  private async find({ clientId, path, key }: KeyOf): Promise<Row | undefined> {
    const { rows } = await this.database.system.raw(
      `SELECT k.request_mac, k.resource_seed, k.owner, k.status, k.answer_sealed, ${isAlive('k.owner')} AS owner_alive
       FROM idempotency_keys k WHERE k.client_id = ? AND k.path = ? AND k.key = ?`,
      [clientId, path, key],
    );
    return rows[0];
  }

  private async takeOver({ clientId, path, key }: KeyOf, from: bigint): Promise<boolean> {
    const taken = await this.database
      .system('idempotency_keys')
      .where({ client_id: clientId, path, key, owner: from, status: null })
      .update({ owner: this.instance.number });
    return taken === 1;
  }

  /** The row of this very attempt. */
  private mine({ clientId, path, key }: KeyOf, { seed }: Claim) {
    return this.database
      .system('idempotency_keys')
      .where({ client_id: clientId, path, key, resource_seed: seed, owner: this.instance.number, status: null });
  }

  private async store(keyOf: KeyOf, claim: Claim, status: number, sealed: Buffer): Promise<void> {
    await this.mine(keyOf, claim).update({ status, answer_sealed: sealed });
  }

  private async remove(keyOf: KeyOf, claim: Claim): Promise<void> {
    await this.mine(keyOf, claim).delete();
  }

  private async letGo(keyOf: KeyOf, claim: Claim): Promise<void> {
    await this.mine(keyOf, claim).update({ owner: NOBODY });
  }

  /** Writes now, or keeps trying in the background. The handler has run, so a repeat must get its answer. */
  private async settle(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch {
      const timer = setTimeout(() => {
        this.unstored.delete(timer);
        this.settle(write);
      }, STORE_RETRY_MS);
      timer.unref();
      this.unstored.set(timer, write);
    }
  }

  private seal(keyOf: KeyOf, answer: Answer): Buffer {
    const { body, headers } = answer;
    return this.keyring.seal(Buffer.from(JSON.stringify({ body, headers })), contextOf(keyOf));
  }

  private open(keyOf: KeyOf, row: Row): Answer {
    const { body, headers } = JSON.parse(this.keyring.open(row.answer_sealed!, contextOf(keyOf)).toString());
    return { status: row.status!, body, headers: { ...headers, 'Idempotent-Replayed': 'true' } };
  }
}

function contextOf({ clientId, path, key }: KeyOf): string {
  return JSON.stringify([clientId, path, key]);
}

function inProgress(): DomainError {
  return new DomainError('idempotency_in_progress', 'The first request with this idempotency key is still running', {
    retryAfterSeconds: 1,
  });
}

/** Whether the handler refused on purpose. After any other failure the outcome may be unknown. */
function isRefusal(error: unknown): boolean {
  return error instanceof DomainError && HTTP_STATUS[error.code] < 500;
}
