import type { Knex } from 'knex';
import { balancesOf } from '../../money/ledger/balances';
import type { Access, SharedAccount } from './access';
import { type AmountOf, type CreditDebit, signed } from './present';

/** A balance as the standard shows it (OBReadBalance1). */
export interface BalanceInformation {
  AccountId: string;
  CreditDebitIndicator: CreditDebit;
  Type: 'InterimAvailable' | 'InterimBooked';
  DateTime: string;
  Amount: AmountOf;
}

/**
 * What may be spent now (`InterimAvailable`), and the same with what is held and what is still to be settled
 * (`InterimBooked`): with that statements and running balances end. Both are of one moment.
 */
export async function readBalances(
  trx: Knex.Transaction,
  { customerId }: Access,
  { account_id, currency }: SharedAccount,
  at: Date,
): Promise<BalanceInformation[]> {
  const wallets = await balancesOf(trx, customerId);
  const { availableMinor, heldMinor } = wallets.find((wallet) => wallet.currency === currency)!;
  const balance = (Type: BalanceInformation['Type'], minor: bigint): BalanceInformation => ({
    AccountId: String(account_id),
    Type,
    DateTime: at.toISOString(),
    ...signed(minor, currency),
  });
  return [balance('InterimAvailable', availableMinor), balance('InterimBooked', availableMinor + heldMinor)];
}
