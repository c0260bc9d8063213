import type { Knex } from 'knex';
import type { CardUpdate } from '../../domain/card-update';
import { newId } from '../../domain/ids';
import { type CardFingerprints, lockCardNumber, ofSameCard } from '../../foundation/vault/fingerprints';
import type { Vault } from '../../foundation/vault/vault';
import { noteCustomer } from '../../people/customers/audit-lines';
import { type CustomerRow, lockCustomer } from '../../people/customers/customer';
import { type CustomerLetters, writeTo } from '../../people/customers/letters';
import type { SavedCardRow } from '../payments/saved-card';
import { brandOf, shownCard } from '../payments/shown-card';

export interface CardUpdateDependencies {
  vault: Vault;
  letters: CustomerLetters;
}

/** The actor in the audit log when the issuer changes a saved card. */
const ACTOR = { id: 'card updater', source: '', requestId: '' };

/**
 * Applies what an issuer has done with the card of these fingerprints to everything saved of it in the tenant of the
 * transaction. A renewed card keeps its token; a closed one is removed, and its customer told. Answers how many changed;
 * again: none.
 */
export async function updateSavedCards(
  trx: Knex.Transaction,
  parts: CardUpdateDependencies,
  card: CardFingerprints,
  update: CardUpdate,
): Promise<number> {
  const saved = () => trx('payment_methods').where(ofSameCard(card)).whereNull('deleted_at');
  const owners: (string | null)[] = await saved().distinct().orderBy('customer_id').pluck('customer_id');
  const customers = new Map<string, CustomerRow>();
  for (const id of owners) if (id) customers.set(id, await lockCustomer(trx, id));
  const found: SavedCardRow[] = await saved().orderBy('id').forUpdate();
  let changed = 0;
  for (const one of found) {
    const customer = one.customer_id ? customers.get(one.customer_id) : undefined;
    const done = update.kind === 'closed' ? close(trx, parts, one, customer) : renew(trx, parts, one, update);
    if (await done) changed += 1;
  }
  return changed;
}

async function renew(
  trx: Knex.Transaction,
  { vault }: CardUpdateDependencies,
  saved: SavedCardRow,
  { number, expiryMonth, expiryYear }: Extract<CardUpdate, { kind: 'renewed' }>,
): Promise<boolean> {
  const isSame = saved.expiry_month === expiryMonth && saved.expiry_year === expiryYear;
  if (number === undefined && isSame) return false;
  const stored = await trx('vault_cards').where({ id: saved.card_id }).first('key_id', 'wrapped_key', 'sealed');
  const { cvv: _cvv, ...card } = vault.open(saved.card_id, { ...stored, cvv: null });
  const renewed = { ...card, number: number ?? card.number, expiryMonth, expiryYear };
  if (isSame && renewed.number === card.number) return false;
  const fingerprints = vault.fingerprintsOf(renewed.number);
  await lockCardNumber(trx, fingerprints);
  // The owner may have saved the new card already: that one stays, and takes over what the old one was.
  const twin: SavedCardRow | undefined = await trx('payment_methods')
    .where({ customer_id: saved.customer_id, organization_id: saved.organization_id })
    .where(ofSameCard(fingerprints))
    .whereNull('deleted_at')
    .whereNot({ id: saved.id })
    .first();
  if (twin) {
    await remove(trx, saved, 'customer.card_replaced', { by: twin.id });
    if (saved.is_default) await trx('payment_methods').where({ id: twin.id }).update({ is_default: true });
    return true;
  }
  const cardId = newId('card');
  const { cvv: _none, cvv_expires_at: _never, ...sealed } = vault.seal(cardId, renewed);
  await trx('vault_cards').insert({ id: cardId, tenant_id: saved.tenant_id, ...sealed });
  await trx('payment_methods')
    .where({ id: saved.id })
    .update({
      ...shownCard(renewed, brandOf(renewed.number) ?? saved.brand),
      card_id: cardId,
      fingerprint: fingerprints.fingerprint,
    });
  if (saved.customer_id) {
    await noteCustomer(trx, saved.tenant_id, ACTOR, 'customer.card_renewed', saved.customer_id, {
      paymentMethodId: saved.id,
    });
  }
  return true;
}

async function close(
  trx: Knex.Transaction,
  { letters }: CardUpdateDependencies,
  saved: SavedCardRow,
  customer: CustomerRow | undefined,
): Promise<boolean> {
  await remove(trx, saved, 'customer.card_closed', {});
  await writeTo(trx, letters, customer, {
    subject: `Your card ending in ${saved.last4} was closed`,
    text:
      `The bank that issued your card ${saved.brand} ending in ${saved.last4} has closed it. We have removed it from ` +
      'your saved cards.\n\nPlease save another one, should you pay or top up with it regularly.\n',
  });
  return true;
}

async function remove(trx: Knex.Transaction, saved: SavedCardRow, action: string, detail: object): Promise<void> {
  await trx('payment_methods').where({ id: saved.id }).update({ deleted_at: trx.fn.now(), is_default: false });
  if (!saved.customer_id) return;
  await noteCustomer(trx, saved.tenant_id, ACTOR, action, saved.customer_id, { paymentMethodId: saved.id, ...detail });
}
