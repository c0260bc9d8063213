import type { Knex } from 'knex';
import type { AuthorizeRequest, CardData, ProviderAnswer } from '../src/domain/connector';
import { notFound } from '../src/domain/errors';
import type { CardVerificationInput, CardVerificationView } from '../src/domain/flows';
import { RESULT } from '../src/domain/result-codes';
import { isVerificationOver } from '../src/domain/states/card-verification';
import { Inbox } from '../src/edge/callbacks/inbox';
import {
  type CardVerificationRow,
  lockVerification,
  moveVerification,
  payerCheckMs,
  type VerificationChange,
  verificationChange,
} from '../src/money/saved-cards/verification';
import type { CustomerRow } from '../src/people/customers/customer';
import type { Dependencies } from './dependencies';

/** Timers of the engine and our clock need not agree to the last moment. */
const CLOCK_MARGIN_MS = 1_000;

/**
 * The steps of a card's verification. Each may be repeated at any point: that something was sent is marked before, and a
 * repeat asks the processor by our own reference before it sends again, under the same key.
 */
export function cardVerificationActivities(deps: Dependencies) {
  const { database, timers } = deps;
  const inbox = new Inbox(database.system);

  /** Sends a fresh verification to its processor and acts on the answer. */
  async function submitCardVerification(input: CardVerificationInput): Promise<CardVerificationView> {
    const claimed = await claim(input);
    if (!claimed) return readCardVerification(input);
    const { verification, card } = claimed;
    const connector = deps.connectors.get(verification.processor);
    let answer: ProviderAnswer | undefined;
    if (verification.attempts > 1) {
      const found = await connector.inquirePayment(verification.id);
      if (found.kind !== 'not_found') answer = found;
    }
    return settle(input, answer ?? (await connector.authorize(authorizeRequest(verification, card))));
  }

  /** Marks that it is about to be sent, and opens its card. Undefined once there is an outcome. */
  async function claim({ verificationId, tenantId }: CardVerificationInput) {
    return database.tenant(tenantId, async (trx) => {
      const row = await lockVerification(trx, verificationId);
      if (!row || (row.status !== 'initiated' && row.status !== 'pending')) return undefined;
      const [verification]: CardVerificationRow[] = await trx('card_verifications')
        .where({ id: row.id })
        .update({ attempts: row.attempts + 1, submitted_at: trx.fn.now(), updated_at: trx.fn.now() })
        .returning('*');
      const sealed = await trx('vault_cards as c')
        .leftJoin('vault_cvvs as v', (join) => join.on('v.card_id', 'c.id').andOn('v.expires_at', '>', trx.fn.now()))
        .where('c.id', row.card_id)
        .first('c.key_id', 'c.wrapped_key', 'c.sealed', 'v.sealed as cvv');
      return { verification: verification!, card: deps.vault.open(row.card_id, sealed) };
    });
  }

  function authorizeRequest(verification: CardVerificationRow, card: CardData): AuthorizeRequest {
    const { id, currency, request } = verification;
    return {
      idempotencyKey: `card-verification/${id}/authorize`,
      reference: id,
      money: { amountMinor: 0n, currency },
      capture: false,
      instrument: { kind: 'card', card },
      threeDS: request.threeDS,
      browser: request.browser,
      returnUrl: request.returnUrl,
      descriptor: 'Verification of your card',
    };
  }

  /** Asks the processor by our reference how the verification stands. */
  async function inquireCardVerification(input: CardVerificationInput, tries: number): Promise<CardVerificationView> {
    const verification = await read(input);
    if (!verification || isVerificationOver(verification.status)) return readCardVerification(input);
    return settle(input, await deps.connectors.get(verification.processor).inquirePayment(verification.id), tries);
  }

  /** The customer's time is up, or a callback may be lost: asks, and ends what nobody has answered in time. */
  async function expireCardVerification(input: CardVerificationInput, tries: number): Promise<CardVerificationView> {
    const verification = await read(input);
    if (!verification || isVerificationOver(verification.status)) return readCardVerification(input);
    const connector = deps.connectors.get(verification.processor);
    const found = await connector.inquirePayment(verification.id);
    const hasTime = (verification.waits_until?.getTime() ?? 0) > Date.now() + CLOCK_MARGIN_MS;
    if (hasTime || found.kind !== 'challenge') return settle(input, found, tries);
    const idempotencyKey = `card-verification/${verification.id}/expire`;
    const answer = await connector.void({ idempotencyKey, reference: verification.id });
    if (answer.kind !== 'voided') return settle(input, answer);
    return record(input, () => ({
      to: 'expired',
      resultCode: RESULT.authenticationAbandoned,
      detail: 'The customer did not finish 3-D Secure in time.',
    }));
  }

  /** Finishes 3-D Secure with the issuer's word; every other callback is a reason to ask. */
  async function applyCardVerificationCallback(
    input: CardVerificationInput,
    inboxId: string,
  ): Promise<CardVerificationView> {
    const [row, verification] = [await inbox.read(inboxId), await read(input)];
    if (!row) throw notFound('callback');
    const isOurs = verification && row.processor === verification.processor && !isVerificationOver(verification.status);
    if (row.state !== 'stored' || !isOurs) {
      if (row.state === 'stored') await inbox.mark(inboxId, 'ignored', 'the verification of the card has ended');
      return readCardVerification(input);
    }
    const connector = deps.connectors.get(verification.processor);
    const { cres } = row.event;
    const answer =
      cres && connector.completeAuthentication
        ? await connector.completeAuthentication({
            idempotencyKey: `card-verification/${verification.id}/authentication`,
            reference: verification.id,
            cres,
          })
        : await connector.inquirePayment(verification.id);
    const view = await settle(input, answer);
    await inbox.mark(inboxId, 'applied');
    return view;
  }

  function settle(input: CardVerificationInput, answer: ProviderAnswer, tries = 0): Promise<CardVerificationView> {
    const providerReference = 'providerReference' in answer ? answer.providerReference : undefined;
    const change = (verification: CardVerificationRow) =>
      verificationChange(verification, answer, {
        now: new Date(),
        inFlightMs: Math.max(timers.processorInFlightMs, deps.connectors.get(verification.processor).inFlightMs ?? 0),
        payerActionTtlMs: timers.payerActionTtlMs,
      });
    return record(input, change, { tries, providerReference });
  }

  /** Applies a change while the verification is open, and tells whoever waits. */
  async function record(
    { verificationId, tenantId }: CardVerificationInput,
    changeOf: (verification: CardVerificationRow) => VerificationChange,
    { tries = 0, providerReference }: { tries?: number; providerReference?: string } = {},
  ): Promise<CardVerificationView> {
    return database.tenant(tenantId, async (trx) => {
      await lockOwner(trx, verificationId);
      const verification = await lockVerification(trx, verificationId);
      if (!verification || isVerificationOver(verification.status)) return viewOf(verification, tries);
      const moved = await moveVerification(trx, verification, changeOf(verification), providerReference);
      await deps.firstAnswers.announce(trx, verificationId);
      return viewOf(moved, tries);
    });
  }

  /** Cards of one customer are saved one after the other. Undefined once the customer was erased, and all this with it. */
  async function lockOwner(trx: Knex.Transaction, verificationId: string): Promise<CustomerRow | undefined> {
    return trx('customers')
      .whereIn('id', trx('card_verifications').where({ id: verificationId }).select('customer_id'))
      .forUpdate()
      .first();
  }

  async function read({ verificationId, tenantId }: CardVerificationInput): Promise<CardVerificationRow | undefined> {
    return database.tenant(tenantId, (trx) => trx('card_verifications').where({ id: verificationId }).first());
  }

  async function readCardVerification(input: CardVerificationInput): Promise<CardVerificationView> {
    deps.firstAnswers.tell(input.verificationId);
    return viewOf(await read(input));
  }

  function viewOf(row: CardVerificationRow | undefined, tries = 0): CardVerificationView {
    if (!row) return { status: 'withdrawn', detail: 'The request was taken back.', waitsFor: 'nobody' };
    const view = { status: row.status, detail: row.status_detail, sinceMs: row.updated_at.getTime() };
    if (isVerificationOver(row.status)) return { ...view, waitsFor: 'nobody' };
    const askAgainMs = Math.min(timers.inquiryFirstMs * 2 ** Math.min(tries, 20), timers.inquiryMaxMs);
    if (row.status !== 'requires_action') return { ...view, waitsFor: 'provider', askAgainMs };
    const waitsUntilMs = row.waits_until!.getTime();
    const leftMs = Math.max(1_000, waitsUntilMs - Date.now());
    return { ...view, waitsFor: 'payer', askAgainMs: payerCheckMs(timers, tries, leftMs), waitsUntilMs };
  }

  return {
    submitCardVerification,
    inquireCardVerification,
    expireCardVerification,
    applyCardVerificationCallback,
  };
}
