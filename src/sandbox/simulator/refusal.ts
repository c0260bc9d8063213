/** Why a simulated processor does not do what it is asked, in the words that all personalities share. */
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
