import type { Callback, CallbackEffect } from '../../domain/callback';
import type { Connector, ProcessorId } from '../../domain/connector';
import type { CardUpdateView } from '../../domain/flows';
import type { Database } from '../../foundation/db/database';
import type { CardFingerprints } from '../../foundation/vault/fingerprints';
import type { SavedCardDependencies } from './dependencies';
import { updateSavedCards } from './update';

export interface CardUpdating {
  database: Database;
  connectors: { get(processor: ProcessorId): Pick<Connector, 'cardUpdate'> };
  savedCards: Pick<SavedCardDependencies, 'updates'>;
}

/**
 * Asks the processor what an announced update of a card says, and applies it to everything saved of that card. Throws
 * ProcessorUnavailable while the processor cannot be asked.
 */
export async function hearCardUpdate(
  { database, connectors, savedCards }: CardUpdating,
  { processor, reference, event }: Callback,
): Promise<CallbackEffect<CardUpdateView>> {
  const card = await cardOf(database, processor, reference);
  if (!card)
    return {
      view: { cards: 0, detail: 'The card is not kept any more.' },
      end: 'ignored',
      detail: 'the card is not kept any more',
    };
  const update = await connectors.get(processor).cardUpdate?.(event.updateId ?? '', reference);
  if (!update)
    return {
      view: { cards: 0, detail: 'The processor has no such update.' },
      end: 'flagged',
      detail: 'the processor has no such update',
    };
  const cards = await database.tenant(card.tenant_id, (trx) => updateSavedCards(trx, savedCards.updates, card, update));
  const detail = `${cards} saved cards were ${update.kind === 'closed' ? 'removed' : 'renewed'}.`;
  return { view: { cards, detail }, end: 'applied', detail: `${cards} saved cards` };
}

/** The card that was used under that reference. Undefined where there is none, or its customer was erased. */
async function cardOf(
  { system }: Database,
  processor: ProcessorId,
  reference: string,
): Promise<(CardFingerprints & { tenant_id: string }) | undefined> {
  const table = reference.startsWith('cvf_') ? 'card_verifications' : 'payments';
  const used = system(table).where({ id: reference, processor }).whereNotNull('card_id').select('card_id');
  return system('vault_cards')
    .whereIn('id', used)
    .whereNot({ fingerprint: Buffer.alloc(0) })
    .first('tenant_id', 'fingerprint', 'other_fingerprints');
}
