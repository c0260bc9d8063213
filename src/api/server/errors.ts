import { STATUS_CODES } from 'node:http';
import { DomainError, type DomainErrorCode, type FieldError, type SecondFactorSession } from '../../domain/errors';
import { isOutage } from '../../foundation/log/failures';

/** The one table from domain error to HTTP status. */
export const HTTP_STATUS: Record<DomainErrorCode, number> = {
  invalid_request: 400,
  malformed_body: 400,
  unauthorized: 401,
  invalid_signature: 401,
  malformed_callback: 400,
  forbidden: 403,
  cross_site_request: 403,
  second_factor_missing: 403,
  tenant_suspended: 403,
  sign_in_again: 403,
  not_found: 404,
  method_not_allowed: 405,
  unsupported_media_type: 415,
  payload_too_large: 413,
  duplicate_transaction: 409,
  wallet_token_used: 409,
  invalid_state: 409,
  idempotency_in_progress: 409,
  idempotency_key_reused: 422,
  method_not_enabled: 422,
  currency_not_supported: 422,
  capture_exceeds_authorized: 422,
  refund_exceeds_captured: 422,
  disputes_not_supported: 422,
  card_token_unusable: 422,
  card_not_verified: 422,
  duplicate_customer: 409,
  bulk_token_reused: 422,
  customer_blocked: 422,
  customer_in_use: 409,
  two_factor_required: 422,
  code_refused: 422,
  step_up_refused: 422,
  duplicate_user: 409,
  link_unusable: 409,
  insufficient_funds: 422,
  limit_exceeded: 422,
  fee_exceeds_amount: 422,
  alias_taken: 409,
  alias_not_verified: 422,
  not_enrolled: 422,
  p2p_suspended: 422,
  recipient_unavailable: 422,
  dispute_window_over: 422,
  duplicate_sku: 409,
  item_not_approved: 422,
  out_of_stock: 422,
  link_not_payable: 422,
  link_busy: 409,
  statement_refused: 422,
  consent_not_usable: 403,
  reauthentication_required: 403,
  rate_limited: 429,
  unavailable: 503,
  internal_error: 500,
};

/** SQLSTATE: a sum that no column holds, such as the balance of an account. */
const NUMERIC_VALUE_OUT_OF_RANGE = '22003';

/** The documented error object. */
export interface ErrorBody {
  reason: string;
  path: string;
  method: string;
  message: string;
  timestamp: string;
  status: number;
  code: DomainErrorCode;
  /** The page that explains the code. */
  docUrl: string;
  requestId: string;
  details?: FieldError[];
  /** Present for `two_factor_required`. */
  session?: SecondFactorSession;
}

/** The page that explains the codes. Each code has an anchor of its own name. */
export const CODES_PATH = '/docs/codes';

/**
 * The error object of an answer. `path` is the request's path without its query, `publicUrl` the base address of the
 * API.
 */
export function errorBody(
  error: DomainError,
  request: { method: string; path: string; requestId: string; publicUrl: string },
  now = new Date(),
): ErrorBody {
  const status = HTTP_STATUS[error.code];
  return {
    reason: STATUS_CODES[status] ?? 'Error',
    path: request.path,
    method: request.method,
    message: error.message,
    timestamp: now.toISOString(),
    status,
    code: error.code,
    docUrl: `${request.publicUrl}${CODES_PATH}#${error.code}`,
    requestId: request.requestId,
    ...(error.details && { details: error.details.map(({ field, message }) => ({ field, message })) }),
    ...(error.session && { session: error.session }),
  };
}

/** The error for the caller: a domain error as it is, 503 if the database or engine is away, 500 for the rest. */
export function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (isOutage(error))
    return new DomainError('unavailable', 'The service is temporarily unavailable. Try again shortly', {
      retryAfterSeconds: 1,
      cause: error,
    });
  if ((error as { code?: unknown } | null)?.code === NUMERIC_VALUE_OUT_OF_RANGE)
    return new DomainError('limit_exceeded', 'The amount is larger than an account can hold', { cause: error });
  return new DomainError(
    'internal_error',
    'Something went wrong on our side. Quote the requestId when you ask about it',
    {
      cause: error,
    },
  );
}
