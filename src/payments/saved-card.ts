import type { Knex } from 'knex';
import { newId } from '../domain/ids';
import type { PaymentRow } from './payment';

/**
 * Keeps the card of an approved payment for later use and answers its token. One object per customer and card, else
 * per organization and card: the same card again answers the same token.
 */
export async function saveCard(trx: Knex.Transaction, payment: PaymentRow): Promise<string> {
  const card = await trx('vault_cards').where({ id: payment.card_id }).first('fingerprint');
  const scope = payment.customer_id
    ? { customer_id: payment.customer_id }
    : { organization_id: payment.organization_id };
  const target = payment.customer_id
    ? '(customer_id, fingerprint) WHERE customer_id IS NOT NULL AND deleted_at IS NULL'
    : '(organization_id, fingerprint) WHERE customer_id IS NULL AND deleted_at IS NULL';
  const [saved] = await trx('payment_methods')
    .insert({
      id: newId('paymentMethod'),
      tenant_id: payment.tenant_id,
      ...scope,
      card_id: payment.card_id,
      fingerprint: card.fingerprint,
      brand: payment.brand,
      bin: payment.card_bin,
      last4: payment.card_last4,
      holder: payment.card_holder,
      expiry_month: payment.card_expiry_month,
      expiry_year: payment.card_expiry_year,
    })
    .onConflict(trx.raw(target))
    .merge(['card_id', 'holder', 'expiry_month', 'expiry_year'])
    .returning('id');
  return saved.id;
}
