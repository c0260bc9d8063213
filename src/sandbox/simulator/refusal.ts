/** Why a simulated processor does not do what it is asked, in words that all of them share. */
export type RefusalCode =
  | 'invalid_request'
  | 'invalid_card'
  | 'unauthorized'
  | 'not_found'
  | 'invalid_state'
  | 'amount_exceeded'
  | 'duplicate_reference'
  | 'idempotency_conflict'
  | 'too_large';

/** Thrown before anything was changed. Its message is shown to the caller and holds nothing of the request. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly code: RefusalCode,
    message: string,
  ) {
    super(message);
  }
}

/** The HTTP statuses of refusals at most processors; the others say what differs. */
export const REFUSAL_STATUS: Record<RefusalCode, number> = {
  invalid_request: 400,
  invalid_card: 400,
  unauthorized: 401,
  not_found: 404,
  invalid_state: 409,
  amount_exceeded: 422,
  duplicate_reference: 409,
  idempotency_conflict: 409,
  too_large: 413,
};
