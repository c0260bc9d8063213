import { DomainError, type DomainErrorCode } from '../domain/errors';

/** Low-level error codes of the UK Open Banking standard 3.1.11 (Read/Write API, "Error Response Structure"). */
export const OBIE_ERROR_CODES = [
  'UK.OBIE.Field.Expected',
  'UK.OBIE.Field.Invalid',
  'UK.OBIE.Field.InvalidDate',
  'UK.OBIE.Field.Missing',
  'UK.OBIE.Field.Unexpected',
  'UK.OBIE.Header.Invalid',
  'UK.OBIE.Header.Missing',
  'UK.OBIE.Reauthenticate',
  'UK.OBIE.Resource.ConsentMismatch',
  'UK.OBIE.Resource.InvalidConsentStatus',
  'UK.OBIE.Resource.InvalidFormat',
  'UK.OBIE.Resource.NotFound',
  'UK.OBIE.Rules.AfterCutOffDateTime',
  'UK.OBIE.Rules.DuplicateReference',
  'UK.OBIE.Rules.FailsControlParameters',
  'UK.OBIE.Signature.Invalid',
  'UK.OBIE.Signature.InvalidClaim',
  'UK.OBIE.Signature.Malformed',
  'UK.OBIE.Signature.Missing',
  'UK.OBIE.Signature.MissingClaim',
  'UK.OBIE.Signature.Unexpected',
  'UK.OBIE.UnexpectedError',
  'UK.OBIE.Unsupported.AccountIdentifier',
  'UK.OBIE.Unsupported.AccountSecondaryIdentifier',
  'UK.OBIE.Unsupported.Currency',
  'UK.OBIE.Unsupported.EventType',
  'UK.OBIE.Unsupported.Frequency',
  'UK.OBIE.Unsupported.LocalInstrument',
  'UK.OBIE.Unsupported.Scheme',
] as const;

export type ObieErrorCode = (typeof OBIE_ERROR_CODES)[number];

/** One element of `Errors` (OBError1). `Path`: the member that is wrong, such as `Data.Initiation.InstructedAmount`. */
export interface ObieProblem {
  ErrorCode: ObieErrorCode;
  Message: string;
  Path?: string;
}

/**
 * The statuses that the standard gives to refusals, and what each is among our own. The standard answers 400 for nearly
 * all of them, also for an unknown resource.
 */
const DOMAIN_CODES = { 400: 'invalid_request', 401: 'unauthorized', 403: 'forbidden', 409: 'invalid_state' } as const;

/** A refusal in the words of the standard, where no DomainError says enough. Messages do not repeat what the caller sent. */
export class ObieError extends DomainError {
  constructor(
    readonly status: keyof typeof DOMAIN_CODES,
    readonly problems: readonly [ObieProblem, ...ObieProblem[]],
  ) {
    super(DOMAIN_CODES[status] satisfies DomainErrorCode, problems[0].Message);
  }
}

/** Refuses because of one problem, with 400. */
export function refuseByStandard(ErrorCode: ObieErrorCode, Message: string, Path?: string): never {
  throw new ObieError(400, [{ ErrorCode, Message, ...(Path && { Path }) }]);
}
