import { LRUCache } from 'lru-cache';
import { typeidUnboxed } from 'typeid-js';
import { newId } from '../../domain/ids';
import { appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import type { CallbackSecrets } from '../../people/identity/callback-secrets';
import { newSecret } from '../../people/identity/clients';

/** A tenant's own merchant account. */
export interface HouseAccount {
  organizationId: string;
  merchantAccountId: string;
  terminalId: string;
}

/**
 * The organization that is merchant of record of what a tenant takes for its customers' wallets. There is one for each
 * tenant, made when it is first needed; nobody signs in to it.
 */
export class HouseAccounts {
  private readonly accounts = new LRUCache<string, HouseAccount>({ max: 10_000 });

  constructor(
    private readonly database: Database,
    private readonly callbackSecrets: CallbackSecrets,
  ) {}

  async of(tenantId: string): Promise<HouseAccount> {
    const known = this.accounts.get(tenantId) ?? (await this.find(tenantId)) ?? (await this.create(tenantId));
    this.accounts.set(tenantId, known);
    return known;
  }

  /** Replaces the secret that signs notifications about top-ups, and answers it; the old one signs too for `overlapMs`. */
  async rotateSecret(
    tenantId: string,
    overlapMs: number,
    by: { actor: string; source: string },
  ): Promise<{ secret: string; since: Date }> {
    const { merchantAccountId } = await this.of(tenantId);
    return this.database.system.transaction(async (trx) => {
      const secret = await this.callbackSecrets.rotate(trx, merchantAccountId, overlapMs);
      const since = await appendAuditLine(trx, {
        tenantId: tenantId,
        actor: by.actor,
        action: 'topup.rotate_notification_secret',
        target: merchantAccountId,
        source: by.source,
        result: 'done',
        detail: { overlapSeconds: overlapMs / 1_000 },
      });
      return { secret, since };
    });
  }

  private async find(tenantId: string): Promise<HouseAccount | undefined> {
    return this.database
      .system('merchant_accounts as m')
      .join('organizations as o', 'o.id', 'm.organization_id')
      .where({ 'o.tenant_id': tenantId, 'o.house': true })
      .orderBy(['m.created_at', 'm.id'])
      .first({ organizationId: 'o.id', merchantAccountId: 'm.id', terminalId: 'm.terminal_id' });
  }

  /** Somebody else may be making it as well: one of them is the house. */
  private async create(tenantId: string): Promise<HouseAccount> {
    const organizationId = newId('organization');
    await this.database.system.transaction(async (trx) => {
      const made = await trx('organizations')
        .insert({ id: organizationId, tenant_id: tenantId, name: 'House', house: true })
        .onConflict(trx.raw('(tenant_id) WHERE house'))
        .ignore()
        .returning('id');
      if (made.length === 0) return;
      const id = newId('merchantAccount');
      await trx('merchant_accounts').insert({
        id,
        tenant_id: tenantId,
        organization_id: organizationId,
        terminal_id: typeidUnboxed('trm'),
        callback_secret_sealed: this.callbackSecrets.seal(newSecret(), id),
      });
    });
    const account = await this.find(tenantId);
    if (!account) throw new Error(`tenant ${tenantId} has no house`);
    return account;
  }
}
