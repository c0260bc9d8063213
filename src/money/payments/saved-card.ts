import type { Knex } from 'knex';
import { newId } from '../../domain/ids';
import { type CardFingerprints, lockCardNumber, ofSameCard } from '../../foundation/vault/fingerprints';
import { holdCard } from '../../foundation/vault/vault';
import type { PaymentRow } from './payment';
import type { ShownCard } from './shown-card';

/** One row of `payment_methods`: a card that is kept for later use. */
export interface SavedCardRow extends ShownCard {
  id: string;
  tenant_id: string;
  organization_id: string | null;
  customer_id: string | null;
  card_id: string;
  fingerprint: Buffer;
  is_default: boolean;
  /** The expiry (YYYYMM) that the customer was told of. */
  expiry_told: string | null;
  created_at: Date;
  deleted_at: Date | null;
}

/** The owner of the card: a customer, or else an organization. */
type CardOwner = { customer_id: string } | { organization_id: string };

/**
 * Keeps a card that is in the vault for later use. One object per customer and card, else per organization and card: the
 * same card again answers the same token, and is not `fresh`.
 */
export async function keepCard(
  trx: Knex.Transaction,
  owner: CardOwner,
  card: ShownCard & Pick<SavedCardRow, 'tenant_id' | 'card_id'>,
): Promise<{ saved: SavedCardRow; fresh: boolean }> {
  const fingerprints: CardFingerprints = await trx('vault_cards')
    .where({ id: card.card_id })
    .first('fingerprint', 'other_fingerprints');
  await lockCardNumber(trx, fingerprints);
  const { card_id, holder, expiry_month, expiry_year } = card;
  const [known]: SavedCardRow[] = await trx('payment_methods')
    .where('customer_id' in owner ? owner : { ...owner, customer_id: null })
    .where(ofSameCard(fingerprints))
    .whereNull('deleted_at')
    .update({ card_id, holder, expiry_month, expiry_year })
    .returning('*');
  if (known) return { saved: known, fresh: false };
  const [saved]: SavedCardRow[] = await trx('payment_methods')
    .insert({ ...card, ...owner, fingerprint: fingerprints.fingerprint, id: newId('paymentMethod') })
    .returning('*');
  return { saved: saved!, fresh: true };
}

/** Keeps the card of an approved payment for later use and answers its token; undefined where the card was erased. */
export async function saveCard(trx: Knex.Transaction, payment: PaymentRow): Promise<string | undefined> {
  if (!(await holdCard(trx, payment.card_id!))) return undefined;
  const owner = payment.customer_id
    ? { customer_id: payment.customer_id }
    : { organization_id: payment.organization_id };
  const { saved } = await keepCard(trx, owner, {
    tenant_id: payment.tenant_id,
    card_id: payment.card_id!,
    brand: payment.brand,
    bin: payment.card_bin!,
    last4: payment.card_last4!,
    holder: payment.card_holder!,
    expiry_month: payment.card_expiry_month!,
    expiry_year: payment.card_expiry_year!,
  });
  return saved.id;
}
