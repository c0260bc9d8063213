import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { generateSecret, generateURI, verify } from 'otplib';
import { DomainError } from '../../domain/errors';
import type { Keys } from '../../foundation/config/key-source';
import type { Database } from '../../foundation/db/database';
import { Keyring, Mac } from '../../foundation/vault/keyring';
import { forgiveTries, takeTry } from './tries';

const RECOVERY_CODES = 10;
/** Codes of the time step before and after count too: clocks differ (RFC 6238 section 5.2). */
const TOLERANCE_SECONDS = 30;
/** Crockford's alphabet: nothing that looks like something else. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Where the authenticators of one kind of people lie. */
export interface AuthenticatorTables {
  authenticators: string;
  recoveryCodes: string;
  /** The column that says whose they are. */
  owner: string;
}

const OF_CUSTOMERS: AuthenticatorTables = {
  authenticators: 'customer_authenticators',
  recoveryCodes: 'customer_recovery_codes',
  owner: 'customer_id',
};

/** Without a tenant: tables that no tenant reads, and the system role looks after. */
export const OF_USERS: AuthenticatorTables = {
  authenticators: 'user_authenticators',
  recoveryCodes: 'user_recovery_codes',
  owner: 'user_id',
};

/** Authenticator apps (TOTP, RFC 6238), and the codes for the day they are lost. */
export class Authenticators {
  private readonly keys: Keyring;
  private readonly mac: Mac;

  /** `vaultKeys`: VAULT_KEYS; `hmacKey`: VAULT_HMAC_KEY. */
  constructor(
    private readonly database: Database,
    vaultKeys: Keys,
    hmacKey: string,
    private readonly tables = OF_CUSTOMERS,
  ) {
    this.keys = new Keyring(vaultKeys, 'totp-secret');
    this.mac = new Mac(hmacKey, 'recovery-code');
  }

  async isConfirmed(trx: Knex.Transaction, ownerId: string): Promise<boolean> {
    const row = await trx(this.tables.authenticators).where(this.of(ownerId)).first('confirmed_at');
    return Boolean(row?.confirmed_at);
  }

  /** A new secret, shown this once. An authenticator in use stays so until the new one is confirmed. */
  async enrol(
    trx: Knex.Transaction,
    tenantId: string | undefined,
    ownerId: string,
    label: string,
  ): Promise<{ secret: string; uri: string }> {
    const secret = generateSecret();
    await trx(this.tables.authenticators)
      .insert({
        ...this.of(ownerId, tenantId),
        pending_sealed: this.keys.seal(Buffer.from(secret), ownerId),
      })
      .onConflict(this.tables.owner)
      .merge(['pending_sealed']);
    return { secret, uri: generateURI({ issuer: 'Tillway', label, secret }) };
  }

  /** Takes the new secret into use, with what `then` does; answers new recovery codes. Throws `invalid_state` where none waits, `code_refused`. */
  async confirm(
    tenantId: string | undefined,
    ownerId: string,
    code: string,
    then: (trx: Knex.Transaction) => Promise<void> = async () => {},
  ): Promise<string[]> {
    await this.admit(ownerId);
    return this.within(tenantId, async (trx) => {
      const row = await trx(this.tables.authenticators).where(this.of(ownerId)).forUpdate().first();
      if (!row?.pending_sealed) throw new DomainError('invalid_state', 'No authenticator waits to be confirmed');
      const step = await this.stepOf(row.pending_sealed, ownerId, code);
      if (step === undefined) throw new DomainError('code_refused', 'The code is wrong, used up or out of time');
      await trx(this.tables.authenticators).where(this.of(ownerId)).update({
        secret_sealed: row.pending_sealed,
        pending_sealed: null,
        last_step: step,
        confirmed_at: trx.fn.now(),
        failures: 0,
        locked_until: null,
      });
      await then(trx);
      return this.renewRecoveryCodes(trx, tenantId, ownerId);
    });
  }

  /** Ends the authenticator and its recovery codes; false when there was none. */
  async remove(trx: Knex.Transaction, ownerId: string): Promise<boolean> {
    await trx(this.tables.recoveryCodes).where(this.of(ownerId)).delete();
    return (await trx(this.tables.authenticators).where(this.of(ownerId)).delete()) > 0;
  }

  /** Ends the authenticator; the recovery codes stay, for who has another factor. */
  async retire(trx: Knex.Transaction, ownerId: string): Promise<void> {
    const none = { secret_sealed: null, pending_sealed: null, confirmed_at: null, last_step: null };
    await trx(this.tables.authenticators).where(this.of(ownerId)).update(none);
  }

  /** Where wrong tries at recovery codes are counted for who has no authenticator. */
  async keepPlace(trx: Knex.Transaction, ownerId: string): Promise<void> {
    await trx(this.tables.authenticators).insert(this.of(ownerId)).onConflict(this.tables.owner).ignore();
  }

  /** A confirmed authenticator with this secret, or with a new one where `known` is not the one in use; answers the secret. */
  async ensure(trx: Knex.Transaction, ownerId: string, known: string | undefined): Promise<string> {
    const row = await trx(this.tables.authenticators).where(this.of(ownerId)).first('secret_sealed');
    if (known && row?.secret_sealed && this.keys.open(row.secret_sealed, ownerId).toString() === known) return known;
    const secret = generateSecret();
    const confirmed = {
      secret_sealed: this.keys.seal(Buffer.from(secret), ownerId),
      confirmed_at: trx.fn.now(),
      last_step: null,
      failures: 0,
      locked_until: null,
    };
    await trx(this.tables.authenticators)
      .insert({ ...this.of(ownerId), ...confirmed })
      .onConflict(this.tables.owner)
      .merge();
    return secret;
  }

  /** Ten new recovery codes in place of the old ones. */
  async renewRecoveryCodes(trx: Knex.Transaction, tenantId: string | undefined, ownerId: string): Promise<string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    await trx(this.tables.recoveryCodes).where(this.of(ownerId)).delete();
    await trx(this.tables.recoveryCodes).insert(
      codes.map((code) => ({ ...this.of(ownerId, tenantId), mac: this.mac.of(recoveryOf(ownerId, code)) })),
    );
    return codes;
  }

  /**
   * Whether this is a code of the confirmed authenticator that was not used before, or an unused recovery code, which it
   * uses up. Ten wrong ones lock both for 30 minutes; counted in transactions of its own.
   */
  async check(tenantId: string | undefined, ownerId: string, code: string): Promise<boolean> {
    const row = this.of(ownerId);
    if (!(await takeTry(this.database.system, this.tables.authenticators, row))) return false;
    const right = await this.within(tenantId, (trx) =>
      isTotp(code) ? this.useTotp(trx, ownerId, code) : this.useRecoveryCode(trx, ownerId, code),
    );
    if (right) await forgiveTries(this.database.system, this.tables.authenticators, row);
    return right;
  }

  /** Seals up to `limit` secrets anew under the current key; answers how many. Runs as the system role. */
  async reseal(system: Knex, limit = 500): Promise<number> {
    const mark = this.keys.settledMark;
    const isOld = (column: string) => `substring(${column} FOR ${mark.length}) <> ?`;
    return system.transaction(async (trx) => {
      const rows = await trx(this.tables.authenticators)
        .whereRaw(isOld('secret_sealed'), [mark])
        .orWhereRaw(isOld('pending_sealed'), [mark])
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .select({ id: this.tables.owner }, 'secret_sealed', 'pending_sealed');
      const anew = (sealed: Buffer | null, id: string) => sealed && this.keys.seal(this.keys.open(sealed, id), id);
      for (const { id, secret_sealed, pending_sealed } of rows)
        await trx(this.tables.authenticators)
          .where(this.of(id))
          .update({ secret_sealed: anew(secret_sealed, id), pending_sealed: anew(pending_sealed, id) });
      return rows.length;
    });
  }

  private async admit(ownerId: string): Promise<void> {
    if (await takeTry(this.database.system, this.tables.authenticators, this.of(ownerId))) return;
    const there = await this.database
      .system(this.tables.authenticators)
      .where(this.of(ownerId))
      .first(this.tables.owner);
    if (!there) throw new DomainError('invalid_state', 'No authenticator waits to be confirmed');
    throw new DomainError('code_refused', 'The code is wrong, used up or out of time');
  }

  private async useTotp(trx: Knex.Transaction, ownerId: string, code: string): Promise<boolean> {
    const row = await trx(this.tables.authenticators).where(this.of(ownerId)).forUpdate().first();
    if (!row?.secret_sealed) return false;
    const step = await this.stepOf(row.secret_sealed, ownerId, code, row.last_step);
    if (step === undefined) return false;
    await trx(this.tables.authenticators).where(this.of(ownerId)).update({ last_step: step });
    return true;
  }

  private async useRecoveryCode(trx: Knex.Transaction, ownerId: string, code: string): Promise<boolean> {
    const used = await trx(this.tables.recoveryCodes)
      .where(this.of(ownerId))
      .whereIn('mac', this.mac.all(recoveryOf(ownerId, code)))
      .whereNull('used_at')
      .update({ used_at: trx.fn.now() });
    return used === 1;
  }

  /** The time step of a right code that comes after `lastStep`. */
  private async stepOf(
    sealed: Buffer,
    ownerId: string,
    token: string,
    lastStep?: bigint | null,
  ): Promise<number | undefined> {
    const result = await verify({
      secret: this.keys.open(sealed, ownerId).toString(),
      token,
      epochTolerance: TOLERANCE_SECONDS,
      ...(lastStep != null && { afterTimeStep: Number(lastStep) }),
    });
    return result.valid && 'timeStep' in result ? result.timeStep : undefined;
  }

  /** What names the owner in a row; with the tenant where a row is written. */
  private of(ownerId: string, tenantId?: string): Record<string, string> {
    return { [this.tables.owner]: ownerId, ...(tenantId !== undefined && { tenant_id: tenantId }) };
  }

  private within<T>(tenantId: string | undefined, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    return tenantId === undefined ? this.database.system.transaction(work) : this.database.tenant(tenantId, work);
  }
}

function recoveryOf(ownerId: string, code: string): string {
  return `${ownerId}\0${code.toLowerCase().replace(/[^0-9a-z]/g, '')}`;
}

/** Whether somebody means a code of the app, and no recovery code. */
export function isTotp(code: string): boolean {
  return /^\d{6}$/.test(code);
}

/** Fifty random bits, in two groups. */
function newRecoveryCode(): string {
  const code = [...randomBytes(10)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `${code.slice(0, 5)}-${code.slice(5)}`;
}
