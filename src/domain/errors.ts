/**
 * All ways in which this service refuses or fails.
 * `src/api/server/errors.ts` (HTTP status) and `activities/failures.ts` (retry or not) are Records over this set,
 * so a new code compiles only after both say what it means.
 */
export const DOMAIN_ERROR_CODES = [
  'invalid_request',
  'malformed_body',
  'unauthorized',
  'invalid_signature',
  'malformed_callback',
  'forbidden',
  'cross_site_request',
  'second_factor_missing',
  'tenant_suspended',
  'sign_in_again',
  'not_found',
  'method_not_allowed',
  'unsupported_media_type',
  'payload_too_large',
  'duplicate_transaction',
  'wallet_token_used',
  'invalid_state',
  'idempotency_in_progress',
  'idempotency_key_reused',
  'method_not_enabled',
  'currency_not_supported',
  'capture_exceeds_authorized',
  'refund_exceeds_captured',
  'disputes_not_supported',
  'card_token_unusable',
  'card_not_verified',
  'duplicate_customer',
  'bulk_token_reused',
  'customer_blocked',
  'customer_in_use',
  'two_factor_required',
  'code_refused',
  'step_up_refused',
  'duplicate_user',
  'link_unusable',
  'insufficient_funds',
  'limit_exceeded',
  'fee_exceeds_amount',
  'alias_taken',
  'alias_not_verified',
  'not_enrolled',
  'p2p_suspended',
  'recipient_unavailable',
  'dispute_window_over',
  'duplicate_sku',
  'item_not_approved',
  'out_of_stock',
  'link_not_payable',
  'link_busy',
  'statement_refused',
  'consent_not_usable',
  'reauthentication_required',
  'rate_limited',
  'unavailable',
  'internal_error',
] as const;

export type DomainErrorCode = (typeof DOMAIN_ERROR_CODES)[number];

/** One invalid field of a request: `field` in dotted and indexed form (`card.number`, `[1].customerType`). */
export interface FieldError {
  field: string;
  message: string;
  /** Which rule of the schema it breaks, for error bodies that have a code for each. The documented one does not show it. */
  rule?: string;
}

/** The session of a request that needs a second factor. The client repeats the request with a code for it. */
export interface SecondFactorSession {
  sessionId: string;
  /** How the customer gets the code. */
  method: 'email' | 'sms' | 'totp';
  expiresAt: Date;
}

/** The only error that business code throws on purpose. The caller sees its message, so it has no secrets and no card data. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly details?: FieldError[];
  /** Seconds to wait before a repeat (429 and 503). */
  readonly retryAfterSeconds?: number;
  /** Present for `two_factor_required`. */
  readonly session?: SecondFactorSession;

  constructor(
    readonly code: DomainErrorCode,
    message: string,
    options: {
      details?: FieldError[];
      retryAfterSeconds?: number;
      session?: SecondFactorSession;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    if (options.details) this.details = options.details;
    if (options.session) this.session = options.session;
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The error for something that does not exist or belongs to somebody else. The two look the same on purpose. */
export function notFound(what: string): DomainError {
  return new DomainError('not_found', `${what} not found`);
}

/** What was looked for. Throws `not_found` where it is not there. */
export function found<Thing>(thing: Thing | undefined, what: string): Thing {
  if (thing === undefined) throw notFound(what);
  return thing;
}

/** Refuses a request because of one field. `message` must not repeat what the caller sent. */
export function refuse(field: string, message: string): never {
  throw new DomainError('invalid_request', `${field} ${message}`, { details: [{ field, message }] });
}
