import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { newId } from '../../../../src/domain/ids';
import type { Database } from '../../../../src/foundation/db/database';
import type { Ledger } from '../../../../src/money/ledger/ledger';
import * as bookings from '../../../../src/money/payments/bookings';
import type { PaymentRow } from '../../../../src/money/payments/payment';
import { applyChange } from '../../../../src/money/payments/transition';
import type { SeededTenant } from '../../../../src/sandbox/seed/tenants';

/** The payment as it stands once it is about to be sent. */
export async function claimed(
  trx: Knex.Transaction,
  { id, tenant_id }: Pick<PaymentRow, 'id' | 'tenant_id'>,
): Promise<PaymentRow> {
  const { rows } = await trx.raw('SELECT (c.payment).* FROM payment_claim_2(?, ?) AS c', [tenant_id, id]);
  return rows[0];
}

/** A captured payment at processor A, 10.00 EUR unless overridden, booked as its flow books it. Answers its id. */
export async function capturedPayment(
  database: Database,
  ledger: Ledger,
  tenant: SeededTenant,
  { amountMinor = 1_000n, currency = 'EUR' }: { amountMinor?: bigint; currency?: string } = {},
): Promise<string> {
  const id = newId('payment');
  const { tenantId } = tenant;
  await database.tenant(tenantId, async (trx) => {
    await trx('payments').insert({
      id,
      tenant_id: tenantId,
      organization_id: tenant.organizationId,
      terminal_id: tenant.terminalId,
      merchant_transaction_id: randomUUID(),
      method_id: 1,
      kind: 'card',
      brand: 'VISA',
      processor: 'a',
      currency,
      amount_minor: amountMinor,
      capture_mode: 'automatic',
      status: 'initiated',
      result_code: 100,
      status_detail: '',
      request: '{}',
    });
    const payment = await claimed(trx, { id, tenant_id: tenantId });
    await applyChange(trx, ledger, payment, {
      to: 'captured',
      resultCode: 0,
      detail: 'captured',
      cause: 'inquiry',
      columns: { authorized_minor: amountMinor, captured_minor: amountMinor },
      movements: bookings.capture(payment, amountMinor),
    });
  });
  return id;
}
