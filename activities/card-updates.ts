import { notFound } from '../src/domain/errors';
import type { CardExpiryView, CardUpdateInput, CardUpdateView } from '../src/domain/flows';
import { Inbox, type InboxRow } from '../src/edge/callbacks/inbox';
import { updateSavedCards } from '../src/money/saved-cards/update';
import type { Dependencies } from './dependencies';

/** What becomes of saved cards without their customers: issuers renew and close them, and time passes. */
export function cardUpdateActivities(deps: Dependencies) {
  const { database } = deps;
  const inbox = new Inbox(database.system);

  /** Asks the processor what an announced update says, and applies it. Retried for as long as it cannot be asked. */
  async function applyCardUpdate({ inboxId }: CardUpdateInput): Promise<CardUpdateView> {
    const row = await inbox.read(inboxId);
    if (!row) throw notFound('callback');
    if (row.state !== 'stored' && row.state !== 'unmatched') return { cards: 0, detail: 'It was handled before.' };
    const card = await cardOf(row);
    if (!card) {
      await inbox.mark(inboxId, 'ignored', 'the card is not kept any more');
      return { cards: 0, detail: 'The card is not kept any more.' };
    }
    const update = await deps.connectors.get(row.processor).cardUpdate?.(row.event.updateId ?? '', row.reference);
    if (!update) {
      await inbox.mark(inboxId, 'flagged', 'the processor has no such update');
      return { cards: 0, detail: 'The processor has no such update.' };
    }
    const cards = await database.tenant(card.tenant_id, (trx) =>
      updateSavedCards(trx, deps.savedCards.updates, card.fingerprint, update),
    );
    await inbox.mark(inboxId, 'applied', `${cards} saved cards`);
    return { cards, detail: `${cards} saved cards were ${update.kind === 'closed' ? 'removed' : 'renewed'}.` };
  }

  /** The card that was used under the callback's reference. Undefined where there is none, or it was erased. */
  async function cardOf({
    reference,
    processor,
  }: InboxRow): Promise<{ tenant_id: string; fingerprint: Buffer } | undefined> {
    const table = reference.startsWith('cvf_') ? 'card_verifications' : 'payments';
    const used = database.system(table).where({ id: reference, processor }).whereNotNull('card_id').select('card_id');
    return database.system('vault_cards').whereIn('id', used).whereNull('erased_at').first('tenant_id', 'fingerprint');
  }

  /** One batch of notices of cards that expire soon. */
  function tellOfExpiringCards(): Promise<CardExpiryView> {
    return deps.savedCards.expiry.round();
  }

  return { applyCardUpdate, tellOfExpiringCards };
}
