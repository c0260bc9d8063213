import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { DomainError, found } from '../../domain/errors';
import { growingPauseMs } from '../../domain/pauses';
import type { AuthorizeAnswer, PayerAction } from '../../domain/processor-answers';
import { RESULT, type ResultCode } from '../../domain/result-codes';
import {
  type CardVerificationStatus,
  canVerificationBecome,
  isVerificationOver,
} from '../../domain/states/card-verification';
import { forgetCard, holdCard } from '../../foundation/vault/vault';
import { forgetCardAttempt, isDecline } from '../limits/attempt-limits';
import { keepCard, type SavedCardRow } from '../payments/saved-card';
import type { ShownCard } from '../payments/shown-card';

/** What a verification goes to the processor with, the card apart. */
export interface CardVerificationRequest {
  threeDS: 'auto' | 'required';
  browser?: Record<string, unknown>;
  returnUrl?: string;
  /** The payer's address, IPv4 or IPv6. */
  payerAddress?: string;
  /** The customer's: its limits count the check. Absent where the customer has none. */
  organizationId?: string;
}

/** One row of `card_verifications`: a card on its way to being saved. */
export interface CardVerificationRow extends ShownCard {
  id: string;
  tenant_id: string;
  customer_id: string;
  card_id: string;
  processor: ProcessorId;
  /** The currency of the zero that is authorized. */
  currency: string;
  request: CardVerificationRequest;
  status: CardVerificationStatus;
  result_code: ResultCode;
  status_detail: string;
  action: PayerAction | null;
  waits_until: Date | null;
  provider_reference: string | null;
  payment_method_id: string | null;
  fresh: boolean;
  attempts: number;
  submitted_at: Date | null;
  request_id: string;
  created_at: Date;
  updated_at: Date;
}

/** What an answer makes of a verification. */
export interface CardVerificationChange {
  to: CardVerificationStatus;
  resultCode: ResultCode;
  detail: string;
  action?: PayerAction;
}

export interface CardVerificationContext {
  now: Date;
  /** How long after the last send "not found" is not yet an answer, in milliseconds. */
  inFlightMs: number;
  /** How long the customer has for 3-D Secure, in milliseconds, unless the processor gives less. */
  payerActionTtlMs: number;
}

/** What a processor's answer to an authorization of zero means. An answer that is not definite ends nothing. */
export function cardVerificationChange(
  verification: CardVerificationRow,
  answer: AuthorizeAnswer,
  { now, inFlightMs, payerActionTtlMs }: CardVerificationContext,
): CardVerificationChange {
  const waiting = { to: 'pending', resultCode: RESULT.outcomeUnknown } as const;
  switch (answer.kind) {
    case 'authorized':
    case 'captured':
      return { to: 'verified', resultCode: RESULT.approved, detail: 'The issuer has verified the card.' };
    case 'challenge': {
      const ours = verification.waits_until?.getTime() ?? now.getTime() + payerActionTtlMs;
      const expiresAt = new Date(Math.min(ours, Date.parse(answer.action.expiresAt))).toISOString();
      return {
        to: 'requires_action',
        resultCode: RESULT.authenticationRequired,
        detail: 'The customer has to authenticate with 3-D Secure.',
        action: { ...answer.action, expiresAt },
      };
    }
    case 'declined':
      return { to: 'failed', resultCode: answer.code, detail: answer.detail };
    case 'soft_declined':
    case 'authentication_failed':
      return { to: 'failed', resultCode: RESULT.authenticationFailed, detail: answer.detail };
    case 'voided':
      return { to: 'failed', resultCode: RESULT.cancelled, detail: 'The verification was cancelled at the processor.' };
    case 'not_charged':
      return {
        to: 'failed',
        resultCode: RESULT.nothingCharged,
        detail: `The processor was not asked: ${answer.detail}.`,
      };
    case 'not_found':
      return now.getTime() - (verification.submitted_at ?? verification.created_at).getTime() >= inFlightMs
        ? { to: 'failed', resultCode: RESULT.nothingCharged, detail: 'The processor has no such verification.' }
        : { ...waiting, detail: 'The processor does not know the verification yet.' };
    case 'pending':
      return { ...waiting, resultCode: RESULT.pending, detail: answer.detail };
    case 'unknown':
      return { ...waiting, detail: `The outcome is not known yet: ${answer.detail}.` };
    case 'payer_action':
      return { ...waiting, detail: `The outcome is not known yet: the processor answered ${answer.kind}.` };
  }
}

/** The verification, locked until the transaction ends; undefined once its customer was erased. */
export async function lockCardVerification(
  trx: Knex.Transaction,
  id: string,
): Promise<CardVerificationRow | undefined> {
  return trx('card_verifications').where({ id }).forUpdate().first();
}

/** Throws `not_found`, also for another customer's. */
export async function findCardVerification(
  trx: Knex.Transaction,
  customerId: string,
  id: string,
): Promise<CardVerificationRow> {
  return found(await trx('card_verifications').where({ id, customer_id: customerId }).first(), 'card verification');
}

/**
 * Moves a locked verification. Verified, the card is saved; ended otherwise, it is erased; in both cases the CVV has done
 * its work. The customer has to be locked first.
 */
export async function moveCardVerification(
  trx: Knex.Transaction,
  verification: CardVerificationRow,
  change: CardVerificationChange,
  processorReference?: string,
): Promise<CardVerificationRow> {
  const { id, status, card_id } = verification;
  const isTooLate = change.to === 'verified' && !(await holdCard(trx, card_id));
  const { to, resultCode, detail, action } = isTooLate ? TOO_LATE : change;
  if (to !== status && !canVerificationBecome(status, to))
    throw new DomainError('invalid_state', `a card verification that is ${status} cannot become ${to}`);
  const kept = to === 'verified' ? await keepVerified(trx, verification) : undefined;
  const [moved]: CardVerificationRow[] = await trx('card_verifications')
    .where({ id })
    .update({
      status: to,
      result_code: resultCode,
      status_detail: detail,
      action: action ? JSON.stringify(action) : null,
      waits_until: action ? new Date(action.expiresAt) : null,
      updated_at: trx.raw('clock_timestamp()'),
      ...(processorReference && { provider_reference: processorReference }),
      ...(kept && { payment_method_id: kept.saved.id, fresh: kept.fresh }),
    })
    .returning('*');
  if (isVerificationOver(to)) {
    if (to !== 'failed' || !isDecline(resultCode)) await forgetCardAttempt(trx, id);
    await trx('vault_cvvs').where({ card_id: verification.card_id }).delete();
    await forgetCard(trx, verification.card_id);
  }
  return moved!;
}

/** The issuer took longer than the card may lie in the vault without an answer. */
const TOO_LATE: CardVerificationChange = {
  to: 'failed',
  resultCode: RESULT.expiredUnanswered,
  detail: 'The issuer answered after the card had been erased: it has to be entered again.',
};

async function keepVerified(
  trx: Knex.Transaction,
  verification: CardVerificationRow,
): Promise<{ saved: SavedCardRow; fresh: boolean }> {
  const { tenant_id, customer_id, card_id, brand, bin, last4, holder, expiry_month, expiry_year } = verification;
  const shown = { brand, bin, last4, holder, expiry_month, expiry_year };
  return keepCard(trx, { customer_id }, { ...shown, tenant_id, card_id });
}

/**
 * When the processor is asked about a card whose customer has `leftMs` for 3-D Secure, because a callback may have been
 * lost: after pauses that double, or not before the time is up where PAYER_INQUIRY_FIRST_MS is 0. All milliseconds.
 */
export function payerCheckMs(
  timers: { payerInquiryFirstMs: number; inquiryFirstMs: number },
  tries: number,
  leftMs: number,
): number {
  if (timers.payerInquiryFirstMs === 0) return leftMs;
  return growingPauseMs(Math.max(timers.payerInquiryFirstMs, timers.inquiryFirstMs), tries, leftMs);
}
