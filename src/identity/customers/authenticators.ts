import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { generateSecret, generateURI, verify } from 'otplib';
import type { Database } from '../../db/database';
import { DomainError } from '../../domain/errors';
import { Keyring, Mac } from '../../vault/keyring';
import { forgiveTries, takeTry } from '../tries';

const RECOVERY_CODES = 10;
/** Codes of the time step before and after count too: clocks differ (RFC 6238 section 5.2). */
const TOLERANCE_SECONDS = 30;
/** Crockford's alphabet: nothing that looks like something else. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Authenticator apps of customers (TOTP, RFC 6238), and the codes for the day they are lost. */
export class Authenticators {
  private readonly keys: Keyring;
  private readonly mac: Mac;

  /** `vaultKeys`: VAULT_KEYS; `hmacKey`: VAULT_HMAC_KEY. */
  constructor(
    private readonly database: Database,
    vaultKeys: string,
    hmacKey: string,
  ) {
    this.keys = new Keyring(vaultKeys, 'totp-secret');
    this.mac = new Mac(hmacKey, 'recovery-code');
  }

  async isConfirmed(trx: Knex.Transaction, customerId: string): Promise<boolean> {
    const row = await trx('customer_authenticators').where({ customer_id: customerId }).first('confirmed_at');
    return Boolean(row?.confirmed_at);
  }

  /** A new secret, shown this once. An authenticator in use stays so until the new one is confirmed. */
  async enrol(
    trx: Knex.Transaction,
    tenantId: string,
    customerId: string,
    label: string,
  ): Promise<{ secret: string; uri: string }> {
    const secret = generateSecret();
    await trx('customer_authenticators')
      .insert({
        customer_id: customerId,
        tenant_id: tenantId,
        pending_sealed: this.keys.seal(Buffer.from(secret), customerId),
      })
      .onConflict('customer_id')
      .merge(['pending_sealed']);
    return { secret, uri: generateURI({ issuer: 'Tillway', label, secret }) };
  }

  /** Takes the new secret into use; answers new recovery codes. Throws `invalid_state` where none waits, `code_refused`. */
  async confirm(tenantId: string, customerId: string, code: string): Promise<string[]> {
    await this.admit(customerId);
    return this.database.tenant(tenantId, async (trx) => {
      const row = await trx('customer_authenticators').where({ customer_id: customerId }).forUpdate().first();
      if (!row?.pending_sealed) throw new DomainError('invalid_state', 'No authenticator waits to be confirmed');
      const step = await this.stepOf(row.pending_sealed, customerId, code);
      if (step === undefined) throw new DomainError('code_refused', 'The code is wrong, used up or out of time');
      await trx('customer_authenticators').where({ customer_id: customerId }).update({
        secret_sealed: row.pending_sealed,
        pending_sealed: null,
        last_step: step,
        confirmed_at: trx.fn.now(),
        failures: 0,
        locked_until: null,
      });
      return this.renewRecoveryCodes(trx, tenantId, customerId);
    });
  }

  /** Ends the authenticator and its recovery codes; false when there was none. */
  async remove(trx: Knex.Transaction, customerId: string): Promise<boolean> {
    await trx('customer_recovery_codes').where({ customer_id: customerId }).delete();
    return (await trx('customer_authenticators').where({ customer_id: customerId }).delete()) > 0;
  }

  /** Ten new recovery codes in place of the old ones. */
  async renewRecoveryCodes(trx: Knex.Transaction, tenantId: string, customerId: string): Promise<string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    await trx('customer_recovery_codes').where({ customer_id: customerId }).delete();
    await trx('customer_recovery_codes').insert(
      codes.map((code) => ({ customer_id: customerId, tenant_id: tenantId, mac: this.recoveryMac(customerId, code) })),
    );
    return codes;
  }

  /**
   * Whether this is a code of the confirmed authenticator that was not used before, or an unused recovery code, which it
   * uses up. Ten wrong ones lock both for 30 minutes; counted in transactions of its own.
   */
  async check(tenantId: string, customerId: string, code: string): Promise<boolean> {
    const row = { customer_id: customerId };
    if (!(await takeTry(this.database.system, 'customer_authenticators', row))) return false;
    const right = await this.database.tenant(tenantId, (trx) =>
      /^\d{6}$/.test(code) ? this.useTotp(trx, customerId, code) : this.useRecoveryCode(trx, customerId, code),
    );
    if (right) await forgiveTries(this.database.system, 'customer_authenticators', row);
    return right;
  }

  /** Seals up to `limit` secrets anew under the current key; answers how many. Runs as the system role. */
  async reseal(system: Knex, limit = 500): Promise<number> {
    const mark = this.keys.currentMark;
    const isOld = (column: string) => `substring(${column} FOR ${mark.length}) <> ?`;
    return system.transaction(async (trx) => {
      const rows = await trx('customer_authenticators')
        .whereRaw(isOld('secret_sealed'), [mark])
        .orWhereRaw(isOld('pending_sealed'), [mark])
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .select('customer_id', 'secret_sealed', 'pending_sealed');
      const anew = (sealed: Buffer | null, id: string) => sealed && this.keys.seal(this.keys.open(sealed, id), id);
      for (const { customer_id: id, secret_sealed, pending_sealed } of rows)
        await trx('customer_authenticators')
          .where({ customer_id: id })
          .update({ secret_sealed: anew(secret_sealed, id), pending_sealed: anew(pending_sealed, id) });
      return rows.length;
    });
  }

  private async admit(customerId: string): Promise<void> {
    if (await takeTry(this.database.system, 'customer_authenticators', { customer_id: customerId })) return;
    const there = await this.database
      .system('customer_authenticators')
      .where({ customer_id: customerId })
      .first('customer_id');
    if (!there) throw new DomainError('invalid_state', 'No authenticator waits to be confirmed');
    throw new DomainError('code_refused', 'The code is wrong, used up or out of time');
  }

  private async useTotp(trx: Knex.Transaction, customerId: string, code: string): Promise<boolean> {
    const row = await trx('customer_authenticators').where({ customer_id: customerId }).forUpdate().first();
    if (!row?.secret_sealed) return false;
    const step = await this.stepOf(row.secret_sealed, customerId, code, row.last_step);
    if (step === undefined) return false;
    await trx('customer_authenticators').where({ customer_id: customerId }).update({ last_step: step });
    return true;
  }

  private async useRecoveryCode(trx: Knex.Transaction, customerId: string, code: string): Promise<boolean> {
    const used = await trx('customer_recovery_codes')
      .where({ customer_id: customerId, mac: this.recoveryMac(customerId, code) })
      .whereNull('used_at')
      .update({ used_at: trx.fn.now() });
    return used === 1;
  }

  /** The time step of a right code that comes after `lastStep`. */
  private async stepOf(
    sealed: Buffer,
    customerId: string,
    token: string,
    lastStep?: bigint | null,
  ): Promise<number | undefined> {
    const result = await verify({
      secret: this.keys.open(sealed, customerId).toString(),
      token,
      epochTolerance: TOLERANCE_SECONDS,
      ...(lastStep != null && { afterTimeStep: Number(lastStep) }),
    });
    return result.valid && 'timeStep' in result ? result.timeStep : undefined;
  }

  private recoveryMac(customerId: string, code: string): Buffer {
    return this.mac.of(`${customerId}\0${code.toLowerCase().replace(/[^0-9a-z]/g, '')}`);
  }
}

/** Fifty random bits, in two groups. */
function newRecoveryCode(): string {
  const code = [...randomBytes(10)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `${code.slice(0, 5)}-${code.slice(5)}`;
}
