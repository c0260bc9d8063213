import type { Knex } from 'knex';
import { parseAlias } from '../../domain/alias';
import { paged } from '../../foundation/db/page';
import type { BeneficiaryKeys, BeneficiaryRow, SavedRecipient } from '../../money/beneficiaries/beneficiary';
import type { Access, Depth, SharedAccount } from './access';
import { atMost, type CashAccount } from './present';

/** A saved recipient as the standard shows it (OBBeneficiary5). */
export interface BeneficiaryInformation {
  AccountId: string;
  BeneficiaryId: string;
  BeneficiaryType: 'Ordinary';
  CreditorAccount?: CashAccount;
}

/**
 * The recipients that the customer has saved, newest first, up to `limit + 1`. They may be paid from each account, so each
 * account shows all of them.
 */
export async function readBeneficiaries(
  trx: Knex.Transaction,
  keys: BeneficiaryKeys,
  { customerId }: Access,
  { account_id }: SharedAccount,
  { depth, limit, after }: { depth: Depth; limit: number; after?: string },
): Promise<BeneficiaryInformation[]> {
  const rows: BeneficiaryRow[] = await paged(trx('beneficiaries').where({ customer_id: customerId }), {
    limit,
    cursor: after,
  });
  return rows.map((row) => ({
    AccountId: String(account_id),
    BeneficiaryId: row.id,
    BeneficiaryType: 'Ordinary',
    ...(depth === 'detail' && { CreditorAccount: creditorOf(keys.open(row)) }),
  }));
}

/** How the customer names the recipient. Whose alias it is, is not told: the customer is not told either. */
export function creditorOf({ type, value, name }: SavedRecipient): CashAccount {
  const Name = atMost(name, 350);
  return { SchemeName: schemeOf({ type, value }), Identification: value, ...(Name !== undefined && { Name }) };
}

function schemeOf({ type, value }: Pick<SavedRecipient, 'type' | 'value'>): CashAccount['SchemeName'] {
  if (type === 'iban') return 'UK.OBIE.IBAN';
  if (type === 'customer') return 'Tillway.CustomerId';
  return parseAlias(value)?.type === 'phone' ? 'UK.OBIE.Paym' : 'Tillway.Alias';
}
