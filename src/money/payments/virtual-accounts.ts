import type { Knex } from 'knex';
import type { PayerAction } from '../../domain/processor-answers';
import type { Database } from '../../foundation/db/database';
import type { PaymentRow } from './payment';

/**
 * Keeps which payment an account and reference were given out for, so that a transfer can be matched when it arrives.
 * An action without an account (`fields.iban`) is none to pay into.
 */
export async function holdVirtualAccount(database: Database, payment: PaymentRow, action: PayerAction): Promise<void> {
  const { iban, reference } = action.fields ?? {};
  if (!iban || !reference) return;
  await database.tenant(payment.tenant_id, (trx) =>
    trx('virtual_accounts')
      .insert({
        iban,
        reference,
        processor: payment.processor,
        tenant_id: payment.tenant_id,
        payment_id: payment.id,
      })
      .onConflict('iban')
      .ignore(),
  );
}

/** The payment that a transfer is for: by the account it arrived on, else by a reference in its text. Runs as the system role. */
export async function paymentOfTransfer(system: Knex, account: string, text: string): Promise<string | undefined> {
  const byAccount = await system('virtual_accounts').where({ iban: account }).first('payment_id');
  if (byAccount) return byAccount.payment_id;
  // Payers type references with spaces, in lower case, among other words.
  const words = text.toUpperCase().replace(/[^A-Z0-9]+/g, '');
  if (words === '') return undefined;
  const found = await system('virtual_accounts')
    .whereRaw("position(replace(reference, ' ', '') in ?) > 0", [words])
    .limit(2);
  return found.length === 1 ? found[0].payment_id : undefined;
}
