import type { Knex } from 'knex';
import { DomainError, found, notFound } from '../../domain/errors';
import { newId } from '../../domain/ids';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import type { Messenger } from '../../foundation/messages/messenger';
import type { Vault } from '../../foundation/vault/vault';
import type { UserRow, Users } from '../../people/identity/users/user';
import { type AccountRow, accountInEffect, maskedIban, newestFirst } from './account';

export interface AccountOrder {
  /** Without spaces, upper case. */
  iban: string;
  holder: string;
  bic?: string;
}

export interface AccountDependencies {
  database: Database;
  vault: Vault;
  messenger: Messenger;
  onboarding: { users: Pick<Users, 'contactOf'> };
}

/** An organization's accounts for payouts: the one that counts now, and all that it ever named. */
export interface Accounts {
  inEffect?: AccountRow;
  /** Newest first. */
  history: AccountRow[];
}

interface Owner {
  tenantId: string;
  organizationId: string;
}

/** Where payouts go. An account counts once the tenant has verified it and the time to notice a wrong change is over. */
export class PayoutAccounts {
  /** `holdMs`: PAYOUT_ACCOUNT_HOLD_MS. */
  constructor(
    private readonly deps: AccountDependencies,
    private readonly holdMs: number,
  ) {}

  /**
   * Names the account that payouts go to from now on; one that takes the place of another, only after the time of grace.
   * The same account again, where it is the latest, changes nothing. The contact is told.
   */
  change({ tenantId, organizationId }: Owner, order: AccountOrder, by: Actor): Promise<AccountRow> {
    return this.deps.database.system.transaction(async (trx) => {
      const organization = await lockOrganization(trx, { tenantId, organizationId });
      const [latest] = await newestFirst(trx, organizationId);
      if (latest && latest.status !== 'blocked' && this.isSame(latest, order)) return latest;
      const id = newId('payoutAccount');
      const [row]: AccountRow[] = await trx('payout_accounts')
        .insert({
          id,
          tenant_id: tenantId,
          organization_id: organizationId,
          iban_sealed: this.deps.vault.sealIban(id, order.iban),
          iban_country: order.iban.slice(0, 2),
          iban_last4: order.iban.slice(-4),
          holder: order.holder,
          bic: order.bic ?? null,
          status: 'unverified',
          effective_from: new Date(Date.now() + (latest ? this.holdMs : 0)),
          created_by: by.id,
        })
        .returning('*');
      await noteDone(trx, tenantId, by, 'payouts.account', organizationId, { accountId: id, iban: maskedIban(row!) });
      const when = latest
        ? `Payouts go to ${maskedIban(latest)} until ${row!.effective_from.toISOString()}, then to ${maskedIban(row!)} once it is verified.`
        : `Payouts go to ${maskedIban(row!)} once it is verified.`;
      await this.tell(trx, row!, organization.name, 'a new account for payouts was named', when);
      return row!;
    });
  }

  /** Throws `not_found`. */
  find({ tenantId, organizationId }: Owner): Promise<Accounts> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      found(await trx('organizations').where({ id: organizationId, tenant_id: tenantId }).first('id'), 'organization');
      return {
        inEffect: await accountInEffect(trx, organizationId, new Date()),
        history: await newestFirst(trx, organizationId),
      };
    });
  }

  /**
   * The tenant has made sure whose the latest account is. A time of grace that has begun goes on. Throws `not_found`, and
   * `invalid_state` where it is verified already, or is not `accountId`: the seller may have named another meanwhile.
   */
  verify(owner: Owner, by: Actor, accountId?: string): Promise<AccountRow> {
    return this.deps.database.system.transaction(async (trx) => {
      const organization = await lockOrganization(trx, owner);
      const [latest] = await newestFirst(trx, owner.organizationId);
      if (!latest) throw notFound('account');
      if (accountId && latest.id !== accountId)
        throw new DomainError('invalid_state', 'The seller has named another account since');
      if (latest.status === 'verified') throw new DomainError('invalid_state', 'The account is verified already');
      const [row]: AccountRow[] = await trx('payout_accounts')
        .where({ id: latest.id })
        .update({ status: 'verified', verified_at: trx.raw('clock_timestamp()') })
        .returning('*');
      await noteDone(trx, owner.tenantId, by, 'payouts.account_verified', owner.organizationId, { accountId: row!.id });
      if (row!.effective_from > new Date()) {
        const from = row!.effective_from.toISOString();
        await this.tell(
          trx,
          row!,
          organization.name,
          'an account was verified',
          `${maskedIban(row!)} counts from ${from}.`,
        );
      }
      return row!;
    });
  }

  /** Nothing is paid to any account of the organization any more. Throws `not_found` where it has none. */
  block(owner: Owner, { reason }: { reason: string }, by: Actor): Promise<AccountRow> {
    return this.deps.database.system.transaction(async (trx) => {
      const organization = await lockOrganization(trx, owner);
      await trx('payout_accounts').where({ organization_id: owner.organizationId }).update({ status: 'blocked' });
      const [latest] = await newestFirst(trx, owner.organizationId);
      if (!latest) throw notFound('account');
      await noteDone(trx, owner.tenantId, by, 'payouts.account_blocked', owner.organizationId, {
        accountId: latest.id,
        reason,
      });
      await this.tell(
        trx,
        latest,
        organization.name,
        'payouts are blocked',
        `Nothing is paid to ${maskedIban(latest)} any more: ${reason}`,
      );
      return latest;
    });
  }

  /** Tells of accounts that have come into effect since. Answers how many. Runs as the system role. */
  async tellOfEffect(limit: number): Promise<number> {
    const untold = (system: Knex) =>
      system('payout_accounts as a')
        .where({ 'a.status': 'verified', 'a.told_at': null })
        .where('a.effective_from', '<=', system.raw('clock_timestamp()'));
    // Mostly there is nothing to do: one short statement, and no transaction, finds that out.
    const { system } = this.deps.database;
    if (!(await untold(system).first('a.id'))) return 0;
    return system.transaction(async (trx) => {
      const rows: (AccountRow & { name: string })[] = await untold(trx)
        .join('organizations as o', 'o.id', 'a.organization_id')
        .orderBy('a.effective_from')
        .limit(limit)
        .forUpdate('a')
        .skipLocked()
        .select('a.*', 'o.name');
      for (const row of rows) {
        const text = `From now on payouts go to ${maskedIban(row)}.`;
        await this.tell(trx, row, row.name, 'the account for payouts is in effect', text);
        await trx('payout_accounts')
          .where({ id: row.id })
          .update({ told_at: trx.raw('clock_timestamp()') });
      }
      return rows.length;
    });
  }

  /** The whole account number, for its owner. */
  ibanOf(row: AccountRow): string {
    return this.deps.vault.openIban(row.id, row.iban_sealed);
  }

  private isSame(row: AccountRow, { iban, holder, bic }: AccountOrder): boolean {
    return this.ibanOf(row) === iban && row.holder === holder && row.bic === (bic ?? null);
  }

  /** Tells the organization's technical contact, where it has one. */
  private async tell(
    trx: Knex.Transaction,
    { tenant_id, organization_id }: AccountRow,
    businessName: string,
    what: string,
    text: string,
  ): Promise<void> {
    const user: UserRow | undefined = await trx('users')
      .where({ organization_id, role: 'merchant' })
      .whereNull('disabled_at')
      .orderBy(['created_at', 'id'])
      .first();
    if (!user) return;
    const { name, email } = this.deps.onboarding.users.contactOf(user);
    await this.deps.messenger.send(trx, {
      tenantId: tenant_id,
      channel: 'email',
      to: email,
      subject: `${businessName}: ${what}`,
      text: `Hello ${name},\n\n${text}\n\nIf you did not expect this message, have the payouts blocked at once.`,
    });
  }
}

/** Locked, so that one change of its accounts is made at a time. Throws `not_found`. */
async function lockOrganization(trx: Knex.Transaction, { tenantId, organizationId }: Owner): Promise<{ name: string }> {
  const rows = trx('organizations').where({ id: organizationId, tenant_id: tenantId });
  return found(await rows.forUpdate().first('name'), 'organization');
}
