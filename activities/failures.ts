import { ApplicationFailure } from '@temporalio/common';
import { DomainError, type DomainErrorCode } from '../src/domain/errors';

/** Whether trying again can help. A Record over the closed set: a new code must decide. */
const RETRYABLE: Record<DomainErrorCode, boolean> = {
  invalid_request: false,
  malformed_body: false,
  unauthorized: false,
  invalid_signature: false,
  malformed_callback: false,
  forbidden: false,
  cross_site_request: false,
  second_factor_missing: false,
  tenant_suspended: false,
  sign_in_again: false,
  not_found: false,
  method_not_allowed: false,
  unsupported_media_type: false,
  payload_too_large: false,
  duplicate_transaction: false,
  wallet_token_used: false,
  invalid_state: false,
  idempotency_in_progress: false,
  idempotency_key_reused: false,
  method_not_enabled: false,
  currency_not_supported: false,
  capture_exceeds_authorized: false,
  refund_exceeds_captured: false,
  disputes_not_supported: false,
  card_token_unusable: false,
  card_not_verified: false,
  duplicate_customer: false,
  bulk_token_reused: false,
  customer_blocked: false,
  customer_in_use: false,
  two_factor_required: false,
  code_refused: false,
  step_up_refused: false,
  duplicate_user: false,
  link_unusable: false,
  insufficient_funds: false,
  limit_exceeded: false,
  fee_exceeds_amount: false,
  alias_taken: false,
  alias_not_verified: false,
  not_enrolled: false,
  p2p_suspended: false,
  recipient_unavailable: false,
  dispute_window_over: false,
  duplicate_sku: false,
  item_not_approved: false,
  out_of_stock: false,
  link_not_payable: false,
  link_busy: false,
  statement_refused: false,
  consent_not_usable: false,
  reauthentication_required: false,
  rate_limited: true,
  unavailable: true,
  internal_error: true,
};

/** A domain error as the engine sees it: its code is the failure type, and decides whether it is retried. */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  return ApplicationFailure.create({
    type: error.code,
    message: error.message,
    nonRetryable: !RETRYABLE[error.code],
  });
}

/** Wraps every activity so that domain errors reach the workflow with their code. */
// biome-ignore lint/suspicious/noExplicitAny: activities have any signature; the mapped type keeps each one's own
export function withFailures<T extends Record<string, (...args: any[]) => Promise<unknown>>>(activities: T): T {
  return Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [
      name,
      (...args: unknown[]) => activity(...args).catch((error: unknown) => Promise.reject(toFailure(error))),
    ]),
  ) as unknown as T;
}
