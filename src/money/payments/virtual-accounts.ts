import type { Knex } from 'knex';
import { OWN_BANK } from '../../domain/connector';
import type { PayerAction } from '../../domain/processor-answers';
import type { Database } from '../../foundation/db/database';
import type { PaymentRow } from './payment';

/**
 * Keeps which payment an account and reference were given out for, so that a transfer can be matched when it arrives.
 * An action without an account (`fields.iban`) is none to pay into; an own account of the tenant is no one payment's.
 */
export async function holdVirtualAccount(database: Database, payment: PaymentRow, action: PayerAction): Promise<void> {
  const { iban, reference } = action.fields ?? {};
  if (!iban || !reference || payment.processor === OWN_BANK) return;
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

/** What tells which payment a transfer is for, and the payments that it tells. */
export interface TransferTargets {
  by: 'account' | 'text';
  payments: Pick<PaymentRow, 'id' | 'tenant_id' | 'currency' | 'status'>[];
}

/**
 * The payments that a transfer names: the one whose account it arrived on, else those whose references stand in its text, at
 * most two of them. Runs as the system role.
 */
export async function targetsOfTransfer(system: Knex, account: string, text: string): Promise<TransferTargets> {
  const payments = () =>
    system('virtual_accounts as v')
      .join('payments as p', 'p.id', 'v.payment_id')
      .select('p.id', 'p.tenant_id', 'p.currency', 'p.status');
  const byAccount = await payments().where({ 'v.iban': account });
  if (byAccount.length > 0) return { by: 'account', payments: byAccount };
  // Payers type references with spaces, in lower case, among other words.
  const words = text.toUpperCase().replace(/[^A-Z0-9]+/g, '');
  const byText =
    words === '' ? [] : await payments().whereRaw("position(replace(v.reference, ' ', '') in ?) > 0", [words]).limit(2);
  return { by: 'text', payments: byText };
}
