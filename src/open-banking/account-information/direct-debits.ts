import type { Knex } from 'knex';
import type { Vault } from '../../foundation/vault/vault';
import type { SharedAccount } from './access';
import { atMost } from './present';

/** A mandate as the standard shows it (OBReadDirectDebit2). */
export interface DirectDebitInformation {
  AccountId: string;
  DirectDebitId: string;
  MandateIdentification: string;
  DirectDebitStatusCode: 'Active' | 'Inactive';
  Name: string;
}

interface Candidate {
  id: string;
  iban_sealed: Buffer;
  state: 'active' | 'cancelled';
  organization: string;
}

/** Mandates that are opened at a time. */
const BATCH = 500;

/**
 * The mandates under which sellers of the tenant may debit this account, newest first, up to `limit + 1`. Their account
 * numbers are sealed: the last four digits, which are not, leave few to open.
 */
export async function readDirectDebits(
  trx: Knex.Transaction,
  vault: Pick<Vault, 'openIban'>,
  { account_id, iban }: SharedAccount,
  { limit, after }: { limit: number; after?: string },
): Promise<DirectDebitInformation[]> {
  const found: Candidate[] = [];
  let cursor = after;
  while (found.length <= limit) {
    const query = trx('mandates as m')
      .join('organizations as o', 'o.id', 'm.organization_id')
      .where({ 'm.iban_last4': iban.slice(-4) })
      .select('m.id', 'm.iban_sealed', 'm.state', 'o.name as organization')
      .orderBy('m.id', 'desc')
      .limit(BATCH);
    if (cursor) query.where('m.id', '<', cursor);
    const batch: Candidate[] = await query;
    found.push(...batch.filter(({ id, iban_sealed }) => vault.openIban(id, iban_sealed) === iban));
    if (batch.length < BATCH) break;
    cursor = batch.at(-1)!.id;
  }
  return found.slice(0, limit + 1).map(({ id, state, organization }) => ({
    AccountId: String(account_id),
    DirectDebitId: id,
    MandateIdentification: id,
    DirectDebitStatusCode: state === 'active' ? 'Active' : 'Inactive',
    Name: atMost(organization, 70)!,
  }));
}
