import type { Knex } from 'knex';
import type { ConsentRow } from './consent';

/** An account of a customer: one of the ledger's wallets. */
export interface OwnAccount {
  id: bigint;
  iban: string;
  currency: string;
}

/** What a third party has named itself, in a consent to pay or to ask for funds. */
interface Named {
  DebtorAccount?: { Identification?: string };
  InstructedAmount?: { Currency?: string };
}

/**
 * The accounts that a customer may choose from for a consent. To pay: those in the currency of the payment. Where the third
 * party has named an account: that one. `trx`: of the tenant.
 */
export function accountsToChoose(
  trx: Knex.Transaction,
  consent: Pick<ConsentRow, 'kind' | 'record'>,
  customerId: string,
): Promise<OwnAccount[]> {
  const { DebtorAccount: debtor, InstructedAmount: amount } = namedIn(consent);
  const accounts = trx('ledger_accounts')
    .where({ kind: 'customer_wallet', owner: customerId })
    .whereNotNull('iban')
    .orderBy('id')
    .select('id', 'iban', 'currency');
  if (debtor?.Identification) accounts.where({ iban: debtor.Identification });
  if (amount?.Currency) accounts.where({ currency: amount.Currency });
  return accounts;
}

function namedIn({ kind, record }: Pick<ConsentRow, 'kind' | 'record'>): Named {
  if (kind === 'account') return {};
  const data = record.Data as Named & { Initiation?: Named };
  return data.Initiation ?? data;
}
