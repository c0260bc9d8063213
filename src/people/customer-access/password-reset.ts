import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import { appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import type { Messenger } from '../../foundation/messages/messenger';
import { findCustomer } from '../customers/customer';
import { tellOfSignInChange } from '../customers/sign-in-letter';
import { newSecret } from '../identity/clients';
import { endTokens } from '../identity/customer-tokens';
import type { Organizations } from '../identity/organizations';
import { hashPassword, MAX_RESET_LINKS } from '../identity/passwords';
import { tokenDigest } from '../identity/tokens';
import type { Addresses } from './addresses';
import type { Sessions } from './sessions';

export interface ResetSettings {
  /** How the API is reached from outside. */
  publicUrl: string;
  ttlMs: number;
}

export const RESET_PAGE = '/password-reset';

/** Forgotten passwords of customers: a link by e-mail, good once. The second factor stays as it is. */
export class PasswordReset {
  constructor(
    private readonly database: Database,
    private readonly organizations: Organizations,
    private readonly addresses: Addresses,
    private readonly messenger: Messenger,
    private readonly sessions: Pick<Sessions, 'admit'>,
    private readonly settings: ResetSettings,
  ) {}

  /**
   * Sends a link to a verified address; for any other the same work, and nothing is sent. Nothing at all happens where the
   * address or the source has asked too often. Tells the caller nothing. Each link stays good until one is used: who asks
   * in somebody else's name takes nothing from them.
   */
  async request(tenantId: string, email: string, source: string): Promise<void> {
    if (!(await this.organizations.tenantExists(tenantId))) return;
    if (!(await this.admits(email, source))) return;
    const token = newSecret();
    const url = `${this.settings.publicUrl}${RESET_PAGE}?token=${token}`;
    await this.database.tenant(tenantId, async (trx) => {
      const owner = await this.addresses.findOwner(trx, 'email', email);
      const found = (await hasEnoughLinks(trx, owner?.customer_id)) ? undefined : owner;
      await trx('password_resets').insert({
        digest: tokenDigest(token),
        tenant_id: tenantId,
        customer_id: found?.customer_id ?? null,
        expires_at: trx.raw("clock_timestamp() + ? * interval '1 millisecond'", [this.settings.ttlMs]),
      });
      const message = {
        tenantId,
        channel: 'email',
        to: email.trim(),
        subject: 'Set a new password',
        text:
          `Somebody asked for a new password for you. To set one, open\n\n${url}\n\n` +
          `within ${Math.round(this.settings.ttlMs / 60_000)} minutes. If it was not you, ignore this message: nothing has changed.`,
      } as const;
      if (found) await this.messenger.send(trx, message);
      else await this.messenger.decoy(trx, message);
      await note(trx, tenantId, found?.customer_id, source, 'customer.password_reset_request');
    });
  }

  /** Throws `code_refused` as `confirm` would now. The link stays valid: mail scanners open links too. */
  async check(token: string): Promise<{ tenantId: string }> {
    const { system } = this.database;
    const usable = await system('password_resets')
      .where({ digest: tokenDigest(token) })
      .whereNull('used_at')
      .whereNotNull('customer_id')
      .where('expires_at', '>', system.raw('clock_timestamp()'))
      .first('tenant_id');
    if (!usable) throw linkRefused();
    return { tenantId: usable.tenant_id };
  }

  /**
   * Sets the password, frees it of a lock and ends the customer's tokens. Throws `code_refused`, before the password is
   * hashed where the link is no good: a hash costs more than whoever guesses links may cost us.
   */
  async confirm(token: string, password: string, source: string): Promise<void> {
    const { tenantId } = await this.check(token);
    const hash = Buffer.from(await hashPassword(password));
    const digest = tokenDigest(token);
    await this.database.tenant(tenantId, async (trx) => {
      const [used] = await trx('password_resets')
        .where({ digest })
        .whereNull('used_at')
        .where('expires_at', '>', trx.raw('clock_timestamp()'))
        .update({ used_at: trx.raw('clock_timestamp()') })
        .returning('customer_id');
      const customerId = used?.customer_id;
      if (!customerId) throw linkRefused();
      await trx('customer_secrets')
        .insert({ customer_id: customerId, tenant_id: tenantId, kind: 'password', hash })
        .onConflict(['customer_id', 'kind'])
        .merge({ hash, failures: 0, locked_until: null, updated_at: trx.fn.now() });
      // Other links that were asked for lead nowhere now.
      await trx('password_resets').where({ customer_id: customerId }).whereNull('used_at').delete();
      await endTokens(trx, customerId);
      const known = this.addresses.all(await findCustomer(trx, customerId));
      await tellOfSignInChange(trx, this.messenger, tenantId, 'password', known);
      await note(trx, tenantId, customerId, source, 'customer.password_reset');
    });
  }

  private async admits(email: string, source: string): Promise<boolean> {
    try {
      await this.sessions.admit(`reset ${tokenDigest(email.trim().toLowerCase())}`, `reset ${source}`);
      return true;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'rate_limited') return false;
      throw error;
    }
  }
}

/** Whether so many links lie in the customer's mailbox, each of them good, that there is no need of another. */
async function hasEnoughLinks(trx: Knex.Transaction, customerId = ''): Promise<boolean> {
  const links = await trx('password_resets')
    .where({ customer_id: customerId })
    .whereNull('used_at')
    .where('expires_at', '>', trx.raw('clock_timestamp()'))
    .limit(MAX_RESET_LINKS)
    .select('digest');
  return links.length >= MAX_RESET_LINKS;
}

function linkRefused(): DomainError {
  return new DomainError('code_refused', 'The link is wrong, used up or out of time');
}

async function note(
  trx: Knex.Transaction,
  tenantId: string,
  customerId: string | undefined,
  source: string,
  action: string,
): Promise<void> {
  const [actor, result] = customerId ? [customerId, 'done'] : ['unknown customer', 'refused'];
  await appendAuditLine(trx, { tenantId, actor, action, target: customerId, source, result });
}
