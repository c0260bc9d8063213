import type { Knex } from 'knex';
import { newId } from '../../domain/ids';
import type { SeededTenant } from './tenants';

/** Account numbers of German banks' own examples. */
const ACCOUNTS = ['DE75512108001245126199', 'DE12500105170648489890'];

/** Gives each sandbox tenant an account that its buyers can transfer to, unless it has named one itself. */
export async function seedBankAccounts(
  system: Knex,
  seeded: Pick<SeededTenant, 'tenantId'> & { other: Pick<SeededTenant, 'tenantId'> },
): Promise<void> {
  for (const [at, { tenantId }] of [seeded, seeded.other].entries()) await seedOne(system, tenantId, ACCOUNTS[at]!);
}

async function seedOne(system: Knex, tenantId: string, iban: string): Promise<void> {
  if (await system('bank_accounts').where({ tenant_id: tenantId }).first('id')) return;
  const { name } = await system('tenants').where({ id: tenantId }).first('name');
  await system('bank_accounts')
    .insert({
      id: newId('bankAccount'),
      tenant_id: tenantId,
      iban,
      bic: 'SOGEDEFFXXX',
      bank_name: 'Sandbox Bank',
      holder: name,
      currency: 'EUR',
      status: 'active',
      created_by: 'sandbox',
    })
    // Two starts on one database at once.
    .onConflict(['tenant_id', 'iban', 'currency'])
    .ignore();
}
