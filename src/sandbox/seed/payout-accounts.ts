import type { Knex } from 'knex';
import { newId } from '../../domain/ids';
import type { Vault } from '../../foundation/vault/vault';
import type { SeededTenant } from './tenants';

/** An account number of the German bank's examples. Its ending makes the simulated processor settle what it gets. */
const IBAN = 'DE89370400440532013000';

/** Gives the merchant of each sandbox tenant a verified account for payouts, unless it has named one itself. */
export async function seedPayoutAccounts(
  system: Knex,
  vault: Vault,
  seeded: SeededTenant & { other: SeededTenant },
): Promise<void> {
  for (const { tenantId, organizationId } of [seeded, seeded.other])
    await seedOne(system, vault, tenantId, organizationId);
}

/** The contact is not told: nobody has changed anything. */
function seedOne(system: Knex, vault: Vault, tenantId: string, organizationId: string): Promise<void> {
  return system.transaction(async (trx) => {
    // Locked, so that two starts on one database do not seed twice.
    const { name } = await trx('organizations').where({ id: organizationId }).forUpdate().first('name');
    if (await trx('payout_accounts').where({ organization_id: organizationId }).first('id')) return;
    const id = newId('payoutAccount');
    const now = new Date();
    await trx('payout_accounts').insert({
      id,
      tenant_id: tenantId,
      organization_id: organizationId,
      iban_sealed: vault.sealIban(id, IBAN),
      iban_country: IBAN.slice(0, 2),
      iban_last4: IBAN.slice(-4),
      holder: name,
      status: 'verified',
      effective_from: now,
      verified_at: now,
      told_at: now,
      created_by: 'sandbox',
    });
  });
}
