import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { KeySource } from '../config/key-source';
import type { KeyServiceKind } from '../config/settings-keys';
import { type KeyService, unavailable, type WrappedKey } from './key-services/key-service';
import { SettingKeys } from './keyring';

/** What data keys are for: what lies in our database, and what the engine stores. */
export type Ring = 'vault' | 'codec';
const RINGS: readonly Ring[] = ['vault', 'codec'];

/** Ids of data keys are this and 16 hexadecimal digits. No setting may name a key so. */
const PREFIX = 'kms-';
const ID_LENGTH = PREFIX.length + 16;

/** A row of `data_keys`. */
interface DataKeyRow {
  id: string;
  ring: Ring;
  service: KeyServiceKind;
  service_key: string;
  wrapped: Buffer;
  created_at: Date;
  /** From here on it seals: by then every process has it. */
  starts_at: Date;
}

export interface DataKeysOptions {
  /** Who wraps new keys; `file`: nobody, the keys of settings seal. */
  seals: 'file' | KeyServiceKind;
  services: ReadonlyMap<KeyServiceKind, KeyService>;
  /** KEY_SERVICE_CACHE_MS, DATA_KEY_PERIOD_MS. */
  cacheMs: number;
  periodMs: number;
  /** How often a process looks for new keys, and how long a new one waits before it seals. */
  refreshMs?: number;
  learnMs?: number;
}

const REFRESH_MS = 30_000;
const LEARN_MS = 5 * 60_000;
/** Keys that are unwrapped at once. */
const AT_ONCE = 8;

/**
 * Envelope encryption: keys of 32 bytes that the platform makes, one for each ring and period, and that a key service wraps.
 * What is stored is wrapped; each process holds them unwrapped, so that no card waits for the service. It holds them only
 * as long as the service goes on unwrapping: after `cacheMs` without that they are forgotten, and everything that needs
 * them is `unavailable` until the service is back.
 *
 * A new key waits `learnMs` before it seals, and every process looks for new ones each `refreshMs`: none ever meets a key
 * that it cannot have.
 */
export class DataKeys {
  private readonly held = new Map<string, { row: DataKeyRow; key: Buffer }>();
  /** When a service has last unwrapped with one of its keys; by service and key. */
  private readonly confirmed = new Map<string, number>();
  private readonly rings = new Map<Ring, RingKeys>();
  private readonly refreshMs: number;
  private readonly timer: NodeJS.Timeout;
  private refreshing: Promise<void> | undefined;

  private constructor(
    private readonly system: Knex,
    private readonly options: DataKeysOptions,
    settings: Partial<Record<Ring, string>>,
    private readonly log: Pick<Logger, 'warn'>,
  ) {
    for (const ring of RINGS)
      this.rings.set(ring, new RingKeys(this, ring, settings[ring] ? new SettingKeys(settings[ring]) : undefined));
    // Often enough that a service may fail to answer twice.
    this.refreshMs = options.refreshMs ?? Math.min(REFRESH_MS, options.cacheMs / 4);
    this.timer = setInterval(() => this.tryRefresh(), this.refreshMs).unref();
  }

  /** Rejects while the service does not unwrap. `settings`: VAULT_KEYS and CODEC_KEYS, as far as there still are any. */
  static async open(
    system: Knex,
    options: DataKeysOptions,
    settings: Partial<Record<Ring, string>>,
    log: Pick<Logger, 'warn'>,
  ): Promise<DataKeys> {
    const keys = new DataKeys(system, options, settings, log);
    try {
      await keys.refresh();
      return keys;
    } catch (error) {
      keys.close();
      throw error;
    }
  }

  ring(ring: Ring): KeySource {
    return this.rings.get(ring)!;
  }

  get seals(): DataKeysOptions['seals'] {
    return this.options.seals;
  }

  /** Whether everything can be sealed. */
  isUp(): boolean {
    try {
      for (const ring of this.rings.values()) ring.key(ring.currentId);
      return true;
    } catch {
      return false;
    }
  }

  /** Looks for new keys, makes one where its time has come, and proves that the services still unwrap. */
  async refresh(): Promise<void> {
    this.refreshing ??= this.look().finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  /** Wraps every data key anew, under the newest version of the key of the service that seals; answers how many. */
  async rewrap(): Promise<number> {
    const { seals } = this.options;
    if (seals === 'file') return 0;
    const rows = await this.rows();
    for (const row of rows) {
      const wrapped = await this.wrap(seals, row, await this.unwrap(row));
      await this.system('data_keys').where({ id: row.id, wrapped: row.wrapped }).update(wrapped);
    }
    return rows.length;
  }

  /** The newest key of a ring that may seal; undefined where there is none. */
  currentOf(ring: Ring): string | undefined {
    let current: DataKeyRow | undefined;
    for (const { row } of this.held.values())
      if (row.ring === ring && row.starts_at.getTime() <= Date.now() && this.isConfirmed(row))
        if (!current || row.starts_at > current.starts_at) current = row;
    return current?.id;
  }

  /** Throws `unavailable`. */
  key(ring: Ring, id: string): Buffer {
    const found = this.held.get(id);
    if (found?.row.ring === ring && this.isConfirmed(found.row)) return found.key;
    throw unavailable(`the key ${id} has not been unwrapped`);
  }

  close(): void {
    clearInterval(this.timer);
    for (const { key } of this.held.values()) key.fill(0);
    this.held.clear();
  }

  private isConfirmed(row: DataKeyRow): boolean {
    return Date.now() - (this.confirmed.get(groupOf(row)) ?? 0) < this.options.cacheMs;
  }

  private tryRefresh(): void {
    this.refresh().catch((error: Error) =>
      this.log.warn({ error: (error.cause as Error | undefined)?.message ?? error.message }, 'keys are not unwrapped'),
    );
  }

  private async look(): Promise<void> {
    this.forget();
    let rows = await this.rows();
    if (await this.makeDue(rows)) rows = await this.rows();
    const failures: Error[] = [];
    const wanted = rows.filter((row) => this.isToBeUnwrapped(row));
    const line = async () => {
      for (let row = wanted.shift(); row; row = wanted.shift())
        await this.take(row).catch((e: Error) => failures.push(e));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, line));
    if (failures.length > 0) throw failures[0];
  }

  /** Those that are not held, were wrapped anew, or are the newest of their group, by which it is proved. */
  private isToBeUnwrapped(row: DataKeyRow): boolean {
    const known = this.held.get(row.id)?.row;
    if (!known || groupOf(known) !== groupOf(row)) return true;
    const sinceMs = Date.now() - (this.confirmed.get(groupOf(row)) ?? 0);
    const isNewest = ![...this.held.values()].some(
      (other) => groupOf(other.row) === groupOf(row) && other.row.created_at > row.created_at,
    );
    return isNewest && sinceMs > Math.min(this.options.cacheMs / 4, this.refreshMs) / 2;
  }

  private async take(row: DataKeyRow): Promise<void> {
    const asked = Date.now();
    const key = await this.unwrap(row);
    this.confirmed.set(groupOf(row), asked);
    // The object stays the same: keys are derived from it once.
    this.held.set(row.id, { row, key: this.held.get(row.id)?.key ?? key });
  }

  /** What no service has confirmed in time leaves the memory. */
  private forget(): void {
    for (const [id, { row, key }] of this.held) {
      if (this.isConfirmed(row)) continue;
      key.fill(0);
      this.held.delete(id);
    }
  }

  private rows(): Promise<DataKeyRow[]> {
    return this.system('data_keys').orderBy('created_at').select();
  }

  private unwrap(row: DataKeyRow): Promise<Buffer> {
    const service = this.options.services.get(row.service);
    if (!service)
      throw new Error(`data keys are wrapped by ${row.service}: name it in KEY_SERVICE_ALSO until they are moved`);
    return service.unwrap({ bytes: row.wrapped, key: row.service_key }, { ring: row.ring, id: row.id });
  }

  /** Wraps, and makes sure that what was wrapped comes back: nothing is sealed with a key that might be lost. */
  private async wrap(
    kind: KeyServiceKind,
    { ring, id }: Pick<DataKeyRow, 'ring' | 'id'>,
    key: Buffer,
  ): Promise<Pick<DataKeyRow, 'service' | 'service_key' | 'wrapped'>> {
    const service = this.options.services.get(kind)!;
    const wrapped: WrappedKey = await service.wrap(key, { ring, id });
    if (!key.equals(await service.unwrap(wrapped, { ring, id })))
      throw new Error(`the key service ${kind} does not unwrap what it has wrapped`);
    return { service: kind, service_key: wrapped.key, wrapped: wrapped.bytes };
  }

  /** Makes the keys whose time has come; answers whether there were any. */
  private async makeDue(rows: readonly DataKeyRow[]): Promise<boolean> {
    const { seals, periodMs, learnMs = LEARN_MS } = this.options;
    if (seals === 'file') return false;
    const due = RINGS.filter(
      (ring) => !rows.some((row) => row.ring === ring && Date.now() - row.created_at.getTime() < periodMs),
    );
    for (const ring of due) {
      const id = PREFIX + randomBytes((ID_LENGTH - PREFIX.length) / 2).toString('hex');
      const key = { id, ring, ...(await this.wrap(seals, { ring, id }, randomBytes(32))) };
      await this.system.transaction(async (trx) => {
        // Several processes find out at once: one makes it, and the others take that.
        await trx.raw("SELECT pg_advisory_xact_lock(hashtext('data_keys'))");
        const known = await trx('data_keys').where({ ring }).orderBy('created_at', 'desc').first('created_at');
        if (known && Date.now() - known.created_at.getTime() < periodMs) return;
        const waits = known || this.rings.get(ring)!.hasSetting;
        await trx('data_keys').insert({
          ...key,
          starts_at: trx.raw("clock_timestamp() + ? * interval '1 millisecond'", [waits ? learnMs : 0]),
        });
      });
    }
    return due.length > 0;
  }
}

const groupOf = ({ service, service_key }: DataKeyRow) => `${service} ${service_key}`;

/** The keys of one ring: those of the settings, and data keys. */
class RingKeys implements KeySource {
  constructor(
    private readonly keys: DataKeys,
    private readonly name: Ring,
    private readonly setting: SettingKeys | undefined,
  ) {}

  get hasSetting(): boolean {
    return this.setting !== undefined;
  }

  get currentId(): string {
    const current = this.keys.seals === 'file' ? undefined : this.keys.currentOf(this.name);
    const id = current ?? this.setting?.currentId;
    if (!id) throw unavailable(`no key of the ${this.name} has been unwrapped`);
    return id;
  }

  get settled() {
    const id = this.currentId;
    return id === this.setting?.currentId ? this.setting.settled : { idLength: ID_LENGTH, prefix: PREFIX };
  }

  key(id: string): Buffer {
    if (id.startsWith(PREFIX)) return this.keys.key(this.name, id);
    if (!this.setting) throw new Error(`no key named ${id}`);
    return this.setting.key(id);
  }
}
