import type { Knex } from 'knex';
import type { Callback, CallbackEffect } from '../../domain/callback';
import type { AuthorizeRequest, CardData, Connector, ProcessorId } from '../../domain/connector';
import type { CardVerificationInput, CardVerificationView } from '../../domain/flows';
import { growingPauseMs } from '../../domain/pauses';
import type { AuthorizeAnswer } from '../../domain/processor-answers';
import { RESULT } from '../../domain/result-codes';
import { isVerificationOver } from '../../domain/states/card-verification';
import type { Config } from '../../foundation/config/config';
import type { Database } from '../../foundation/db/database';
import type { FirstAnswers } from '../../foundation/temporal/first-answer';
import type { Vault } from '../../foundation/vault/vault';
import type { CustomerRow } from '../../people/customers/customer';
import { type AttemptSubject, admitCardAttempt, noteRefusedAttempt, TOO_MANY_DECLINED } from '../limits/attempt-limits';
import {
  type CardVerificationChange,
  type CardVerificationRow,
  cardVerificationChange,
  lockCardVerification,
  moveCardVerification,
  payerCheckMs,
} from './card-verification';

/**
 * The steps of a card's verification. Each may be repeated at any point: that something was sent is marked before, and a
 * repeat asks the processor by our own reference before it sends again, under the same key.
 */
export interface Verifying {
  database: Database;
  vault: Vault;
  connectors: { get(processor: ProcessorId): Connector };
  timers: Config['timers'];
  firstAnswers: FirstAnswers;
}

/** Timers of the engine and our clock need not agree to the last moment. */
const CLOCK_MARGIN_MS = 1_000;

/** Sends a fresh verification to its processor and acts on the answer. */
export async function submitCardVerification(
  deps: Verifying,
  input: CardVerificationInput,
): Promise<CardVerificationView> {
  const claimed = await claim(deps, input);
  if (!claimed) return readCardVerificationView(deps, input);
  if ('refusedBy' in claimed) return record(deps, input, () => ({ to: 'failed', ...TOO_MANY_DECLINED }));
  const { verification, card } = claimed;
  const connector = deps.connectors.get(verification.processor);
  if (verification.attempts > 1) {
    const found = await connector.inquirePayment(verification.id);
    // Without its card nothing can be sent again.
    if (found.kind !== 'not_found' || !card) return bookAnswer(deps, input, found);
  }
  return bookAnswer(deps, input, card ? await connector.authorize(authorizationOf(verification, card)) : NEVER_SENT);
}

/** Its card had its time in the vault before the verification was sent to anybody. */
const NEVER_SENT: AuthorizeAnswer = { kind: 'not_charged', detail: 'its card was erased before' };

/**
 * Marks that it is about to be sent, and opens its card. Undefined once there is an outcome. Refused where too many card
 * attempts were declined before.
 */
async function claim({ database, vault }: Verifying, { verificationId, tenantId }: CardVerificationInput) {
  return database.tenant(tenantId, async (trx) => {
    const row = await lockCardVerification(trx, verificationId);
    if (!row || (row.status !== 'initiated' && row.status !== 'pending')) return undefined;
    const refusedBy = row.attempts === 0 ? await admitted(trx, row) : [];
    if (refusedBy.length > 0) return { refusedBy };
    const [verification]: CardVerificationRow[] = await trx('card_verifications')
      .where({ id: row.id })
      .update({ attempts: row.attempts + 1, submitted_at: trx.fn.now(), updated_at: trx.fn.now() })
      .returning('*');
    const sealed = await trx('vault_cards as c')
      .leftJoin('vault_cvvs as v', (join) => join.on('v.card_id', 'c.id').andOn('v.expires_at', '>', trx.fn.now()))
      .where('c.id', row.card_id)
      .first('c.key_id', 'c.wrapped_key', 'c.sealed', 'v.sealed as cvv');
    return { verification: verification!, card: vault.openIfKept(row.card_id, sealed) };
  });
}

/** Asks the limits on declined attempts. What they refuse is told to the tenant's people alone. */
async function admitted(trx: Knex.Transaction, row: CardVerificationRow): Promise<AttemptSubject[]> {
  const refusedBy = await admitCardAttempt(trx, {
    tenantId: row.tenant_id,
    id: row.id,
    customerId: row.customer_id,
    organizationId: row.request.organizationId,
    cardId: row.card_id,
    address: row.request.payerAddress,
  });
  if (refusedBy.length > 0) await noteRefusedAttempt(trx, row.tenant_id, row.id, refusedBy);
  return refusedBy;
}

/** An authorization of zero. */
function authorizationOf(verification: CardVerificationRow, card: CardData): AuthorizeRequest {
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

/** Asks the processor by our reference how the verification stands. `tries` spaces the next time. */
export async function inquireCardVerification(
  deps: Verifying,
  input: CardVerificationInput,
  tries: number,
): Promise<CardVerificationView> {
  const verification = await readOpen(deps, input);
  if (!verification) return readCardVerificationView(deps, input);
  const answer = await deps.connectors.get(verification.processor).inquirePayment(verification.id);
  return bookAnswer(deps, input, answer, tries);
}

/** The customer's time is up, or a callback may be lost: asks, and ends what nobody has answered in time. */
export async function expireCardVerification(
  deps: Verifying,
  input: CardVerificationInput,
  tries: number,
): Promise<CardVerificationView> {
  const verification = await readOpen(deps, input);
  if (!verification) return readCardVerificationView(deps, input);
  const connector = deps.connectors.get(verification.processor);
  const found = await connector.inquirePayment(verification.id);
  const hasTime = (verification.waits_until?.getTime() ?? 0) > Date.now() + CLOCK_MARGIN_MS;
  if (hasTime || found.kind !== 'challenge') return bookAnswer(deps, input, found, tries);
  const idempotencyKey = `card-verification/${verification.id}/expire`;
  const answer = await connector.void({ idempotencyKey, reference: verification.id });
  if (answer.kind === 'refused' && answer.standing) return bookAnswer(deps, input, answer.standing, tries);
  if (answer.kind !== 'voided') return bookAnswer(deps, input, found, tries);
  return record(deps, input, () => ({
    to: 'expired',
    resultCode: RESULT.authenticationAbandoned,
    detail: 'The customer did not finish 3-D Secure in time.',
  }));
}

/** Finishes 3-D Secure with the issuer's word; every other callback is a reason to ask. */
export async function hearCardVerificationCallback(
  deps: Verifying,
  input: CardVerificationInput,
  { processor, event }: Callback,
): Promise<CallbackEffect<CardVerificationView>> {
  const verification = await readOpen(deps, input);
  if (verification?.processor !== processor) {
    const view = await readCardVerificationView(deps, input);
    return { view, end: 'ignored', detail: 'the verification of the card has ended' };
  }
  const connector = deps.connectors.get(processor);
  const { cres } = event;
  const answer =
    cres && connector.completeAuthentication
      ? await connector.completeAuthentication({
          idempotencyKey: `card-verification/${verification.id}/authentication`,
          reference: verification.id,
          cres,
        })
      : await connector.inquirePayment(verification.id);
  return { view: await bookAnswer(deps, input, answer), end: 'applied' };
}

/** Books what an answer means while the verification is open. */
function bookAnswer(
  deps: Verifying,
  input: CardVerificationInput,
  answer: AuthorizeAnswer,
  tries = 0,
): Promise<CardVerificationView> {
  const { timers, connectors } = deps;
  const processorReference = 'processorReference' in answer ? answer.processorReference : undefined;
  const change = (verification: CardVerificationRow) =>
    cardVerificationChange(verification, answer, {
      now: new Date(),
      inFlightMs: Math.max(timers.processorInFlightMs, connectors.get(verification.processor).inFlightMs ?? 0),
      payerActionTtlMs: timers.payerActionTtlMs,
    });
  return record(deps, input, change, { tries, processorReference });
}

/** Applies a change while the verification is open, and tells whoever waits. */
async function record(
  { database, firstAnswers, timers }: Verifying,
  { verificationId, tenantId }: CardVerificationInput,
  changeOf: (verification: CardVerificationRow) => CardVerificationChange,
  { tries = 0, processorReference }: { tries?: number; processorReference?: string } = {},
): Promise<CardVerificationView> {
  return database.tenant(tenantId, async (trx) => {
    await lockOwner(trx, verificationId);
    const verification = await lockCardVerification(trx, verificationId);
    if (!verification || isVerificationOver(verification.status)) return viewOf(timers, verification, tries);
    const moved = await moveCardVerification(trx, verification, changeOf(verification), processorReference);
    await firstAnswers.announce(trx, verificationId);
    return viewOf(timers, moved, tries);
  });
}

/** Cards of one customer are saved one after the other. Undefined once the customer was erased, and all this with it. */
async function lockOwner(trx: Knex.Transaction, verificationId: string): Promise<CustomerRow | undefined> {
  return trx('customers')
    .whereIn('id', trx('card_verifications').where({ id: verificationId }).select('customer_id'))
    .forUpdate()
    .first();
}

/** Undefined once it has ended, or was erased with its customer. */
async function readOpen(deps: Verifying, input: CardVerificationInput): Promise<CardVerificationRow | undefined> {
  const row = await read(deps, input);
  return row && !isVerificationOver(row.status) ? row : undefined;
}

async function read(
  { database }: Verifying,
  { verificationId, tenantId }: CardVerificationInput,
): Promise<CardVerificationRow | undefined> {
  return database.tenant(tenantId, (trx) => trx('card_verifications').where({ id: verificationId }).first());
}

/** The view of a verification as it stands; whoever waits for it is told that there is something to read. */
export async function readCardVerificationView(
  deps: Verifying,
  input: CardVerificationInput,
): Promise<CardVerificationView> {
  deps.firstAnswers.tell(input.verificationId);
  return viewOf(deps.timers, await read(deps, input));
}

function viewOf(timers: Config['timers'], row: CardVerificationRow | undefined, tries = 0): CardVerificationView {
  if (!row) return { status: 'withdrawn', detail: 'The request was taken back.', waitsFor: 'nobody' };
  const view = { status: row.status, detail: row.status_detail, sinceMs: row.updated_at.getTime() };
  if (isVerificationOver(row.status)) return { ...view, waitsFor: 'nobody' };
  const askAgainMs = growingPauseMs(timers.inquiryFirstMs, tries, timers.inquiryMaxMs);
  if (row.status !== 'requires_action') return { ...view, waitsFor: 'provider', askAgainMs };
  const waitsUntilMs = row.waits_until!.getTime();
  const leftMs = Math.max(1_000, waitsUntilMs - Date.now());
  return { ...view, waitsFor: 'payer', askAgainMs: payerCheckMs(timers, tries, leftMs), waitsUntilMs };
}
