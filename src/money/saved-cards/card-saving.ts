import type { CardData, Connectors } from '../../domain/connector';
import { DomainError } from '../../domain/errors';
import { newId } from '../../domain/ids';
import { RESULT } from '../../domain/result-codes';
import { isVerificationOver } from '../../domain/states/card-verification';
import type { Actor } from '../../foundation/audit-log/audit-log';
import { type Database, violates } from '../../foundation/db/database';
import { command } from '../../foundation/temporal/command';
import type { Engine } from '../../foundation/temporal/engine';
import type { FirstAnswers } from '../../foundation/temporal/first-answer';
import { startFlow } from '../../foundation/temporal/flows';
import { ofSameCard } from '../../foundation/vault/fingerprints';
import { eraseCards, type Vault } from '../../foundation/vault/vault';
import { noteCustomer } from '../../people/customers/audit-lines';
import { findCustomer, lockCustomer } from '../../people/customers/customer';
import type { AuthenticationPolicies } from '../authentication/policies';
import type { SavedCardRow } from '../payments/saved-card';
import type { ServiceOptions } from '../payments/service';
import { brandOf, shownCard } from '../payments/shown-card';
import { type CardVerificationRequest, type CardVerificationRow, findCardVerification } from './card-verification';
import { CARD_VERIFICATION_FLOW } from './flow';

export interface CardToSave {
  verificationId: string;
  card: CardData;
  /** ISO 4217, of the zero that is authorized. */
  currency: string;
  request: CardVerificationRequest;
}

/** How a card came to be saved, or how far it is. */
export type Saving =
  | { kind: 'saved'; saved: SavedCardRow; fresh: boolean }
  | { kind: 'open'; verification: CardVerificationRow }
  | { kind: 'refused'; verification: CardVerificationRow };

/** Saves cards of customers, once their issuers have verified them. */
export class CardSaving {
  constructor(
    private readonly deps: {
      database: Database;
      vault: Vault;
      engine: Engine;
      firstAnswers: FirstAnswers;
      connectors: Connectors;
      authentication: AuthenticationPolicies;
    },
    private readonly options: ServiceOptions,
  ) {}

  /**
   * Has a card verified and saves it then; answers once there is something to tell or the time is up. The card that is there
   * already, just as it is, is answered at once. Safe to repeat with the same verification id. Throws `not_found`, and
   * `unavailable` when the engine is away; nothing is kept then.
   */
  async save(tenantId: string, customerId: string, actor: Actor, order: CardToSave): Promise<Saving> {
    const { firstAnswers, engine } = this.deps;
    const answered = firstAnswers.wait(order.verificationId, this.options.firstAnswerMs);
    const begun = await this.begin(tenantId, customerId, actor, await this.authenticated(tenantId, order));
    if ('saved' in begun) return { kind: 'saved', saved: begun.saved, fresh: false };
    if (!isVerificationOver(begun.status)) {
      try {
        const { eager } = this.options;
        await command(engine, () => startFlow(engine, CARD_VERIFICATION_FLOW, begun, { eager }));
      } catch (error) {
        // The engine may have taken it all the same. Whoever is first at the row decides.
        if (await this.withdraw(begun))
          throw new DomainError('unavailable', 'The service is temporarily unavailable, try again shortly', {
            retryAfterSeconds: 1,
            cause: error,
          });
      }
      if (begun.status === 'initiated') await answered;
    }
    return this.read(tenantId, customerId, order.verificationId);
  }

  /** The order with 3-D Secure where the tenant's policy requires it: a card that is saved pays without it later. */
  private async authenticated(tenantId: string, order: CardToSave): Promise<CardToSave> {
    const found = await this.deps.authentication.apply({
      tenantId,
      asked: order.request.threeDS,
      amountMinor: 0n,
      currency: order.currency,
      storesCard: true,
      fingerprints: async () => undefined,
    });
    return found?.threeDS === 'required' ? { ...order, request: { ...order.request, threeDS: 'required' } } : order;
  }

  /** How far the saving of a card is. Throws `not_found`. */
  async read(tenantId: string, customerId: string, verificationId: string): Promise<Saving> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      await findCustomer(trx, customerId);
      const verification = await findCardVerification(trx, customerId, verificationId);
      if (!isVerificationOver(verification.status)) return { kind: 'open', verification };
      if (verification.status !== 'verified') return { kind: 'refused', verification };
      const saved: SavedCardRow = await trx('payment_methods').where({ id: verification.payment_method_id }).first();
      return { kind: 'saved', saved, fresh: verification.fresh };
    });
  }

  /** The verification itself. Throws `not_found`. */
  async verification(tenantId: string, customerId: string, verificationId: string): Promise<CardVerificationRow> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      await findCustomer(trx, customerId);
      return findCardVerification(trx, customerId, verificationId);
    });
  }

  /** Writes the verification down with its card; the one that is there on a repeat. */
  private async begin(
    tenantId: string,
    customerId: string,
    actor: Actor,
    { verificationId, card, currency, request }: CardToSave,
  ): Promise<CardVerificationRow | { saved: SavedCardRow }> {
    const { database, vault } = this.deps;
    const shown = shownCard(card, brandOf(card.number) ?? 'CARD');
    const cardId = newId('card');
    const { cvv, cvv_expires_at, ...sealed } = vault.seal(cardId, card);
    try {
      return await database.tenant(tenantId, async (trx) => {
        const { organization_id } = await lockCustomer(trx, customerId);
        const { holder, expiry_month, expiry_year } = shown;
        const known: SavedCardRow | undefined = await trx('payment_methods')
          .where({ customer_id: customerId, holder, expiry_month, expiry_year })
          .where(ofSameCard(sealed))
          .whereNull('deleted_at')
          .first();
        if (known) return { saved: known };
        await trx('vault_cards').insert({ id: cardId, tenant_id: tenantId, ...sealed });
        if (cvv)
          await trx('vault_cvvs').insert({
            card_id: cardId,
            tenant_id: tenantId,
            sealed: cvv,
            expires_at: cvv_expires_at,
          });
        const [row]: CardVerificationRow[] = await trx('card_verifications')
          .insert({
            ...shown,
            id: verificationId,
            tenant_id: tenantId,
            customer_id: customerId,
            card_id: cardId,
            processor: this.processor(),
            currency,
            request: JSON.stringify({ ...request, organizationId: organization_id ?? undefined }),
            status: 'initiated',
            result_code: RESULT.pending,
            status_detail: 'Accepted; on its way to the processor.',
            request_id: actor.requestId,
          })
          .returning('*');
        await noteCustomer(trx, tenantId, actor, 'customer.card_added', customerId, { verificationId });
        return row!;
      });
    } catch (error) {
      if (!violates(error, 'card_verifications_pkey')) throw error;
      return this.verification(tenantId, customerId, verificationId);
    }
  }

  private processor() {
    const connector = this.deps.connectors.all().find(({ capabilities }) => capabilities.verifiesCards);
    if (!connector) throw new DomainError('method_not_enabled', 'No processor verifies cards here');
    return connector.processor;
  }

  /** Takes back a verification that was never sent. False when its flow has it already. */
  private async withdraw({ id, tenant_id, card_id }: CardVerificationRow): Promise<boolean> {
    return this.deps.database.tenant(tenant_id, async (trx) => {
      const removed = await trx('card_verifications').where({ id, attempts: 0 }).delete();
      if (removed > 0) await eraseCards(trx, [card_id]);
      return removed > 0;
    });
  }
}
