import { STATUS_CODES } from 'node:http';
import Joi from 'joi';
import type { DomainError, DomainErrorCode, FieldError } from '../../../domain/errors';
import { HTTP_STATUS } from '../errors';

/** Error codes of the UK Open Banking standard 3.1.11 (Read/Write API, "Error Response Structure"). */
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

/** A refusal in the words of the standard. A handler throws it where no DomainError says enough. */
export class ObieError extends Error {
  override readonly name = 'ObieError';

  constructor(
    readonly status: 400 | 401 | 403 | 404 | 409 | 422 | 429,
    readonly problems: readonly [ObieProblem, ...ObieProblem[]],
  ) {
    super(problems[0].Message);
  }
}

/** The body of every error answer of the standard (OBErrorResponse1). */
export interface ObieErrorBody {
  Code: string;
  Id: string;
  Message: string;
  Errors: readonly ObieProblem[];
}

export const obieErrorSchema = Joi.object({
  Code: Joi.string().max(40).required().description('Status and reason phrase'),
  Id: Joi.string().max(40).description('Quote it when you ask about the request'),
  Message: Joi.string().max(500).required(),
  Errors: Joi.array()
    .min(1)
    .items(
      Joi.object({
        ErrorCode: Joi.string()
          .valid(...OBIE_ERROR_CODES)
          .required(),
        Message: Joi.string().max(500).required(),
        Path: Joi.string().max(500).description('The member that is wrong'),
        Url: Joi.string(),
      }),
    )
    .required(),
});

/** The code for each rule of a schema; see `rule` of FieldError. Any other broken rule makes a field invalid. */
const BY_RULE: Record<string, ObieErrorCode> = {
  'any.required': 'UK.OBIE.Field.Missing',
  'object.missing': 'UK.OBIE.Field.Missing',
  'object.unknown': 'UK.OBIE.Field.Unexpected',
  'any.unknown': 'UK.OBIE.Field.Unexpected',
};

/** What a refusal of our own is in the standard. All others are 400 with `UK.OBIE.Field.Invalid`, or what `codeOf` says. */
const BY_CODE: Partial<Record<DomainErrorCode, { status?: ObieError['status']; code: ObieErrorCode }>> = {
  malformed_body: { code: 'UK.OBIE.Resource.InvalidFormat' },
  invalid_signature: { status: 400, code: 'UK.OBIE.Signature.Invalid' },
  // The standard knows no 404 for a resource: an unknown id is a bad request.
  not_found: { status: 400, code: 'UK.OBIE.Resource.NotFound' },
  idempotency_key_reused: { status: 400, code: 'UK.OBIE.Header.Invalid' },
  idempotency_in_progress: { status: 400, code: 'UK.OBIE.Header.Invalid' },
  invalid_state: { status: 400, code: 'UK.OBIE.Resource.InvalidConsentStatus' },
  consent_not_usable: { code: 'UK.OBIE.Resource.InvalidConsentStatus' },
  reauthentication_required: { code: 'UK.OBIE.Reauthenticate' },
  sign_in_again: { status: 403, code: 'UK.OBIE.Reauthenticate' },
  currency_not_supported: { status: 400, code: 'UK.OBIE.Unsupported.Currency' },
  insufficient_funds: { status: 400, code: 'UK.OBIE.Rules.FailsControlParameters' },
  limit_exceeded: { status: 400, code: 'UK.OBIE.Rules.FailsControlParameters' },
  customer_blocked: { status: 403, code: 'UK.OBIE.Rules.FailsControlParameters' },
  forbidden: { code: 'UK.OBIE.Resource.InvalidConsentStatus' },
};

/** The answer in the standard's form. `id`: of the interaction. */
export function obieAnswerOf(error: DomainError | ObieError, id: string): { status: number; body: ObieErrorBody } {
  const status = error instanceof Error && 'problems' in error ? error.status : statusOf(error as DomainError);
  const problems = 'problems' in error ? error.problems : problemsOf(error, status);
  return {
    status,
    body: {
      Code: `${status} ${(STATUS_CODES[status] ?? 'Error').replaceAll(' ', '')}`,
      Id: id.slice(0, 40),
      Message: error.message.slice(0, 500) || 'Error',
      Errors: problems.map((problem) => ({ ...problem, Message: problem.Message.slice(0, 500) })),
    },
  };
}

function statusOf({ code }: DomainError): number {
  const known = BY_CODE[code]?.status;
  if (known) return known;
  // Business rules that the standard has no status for.
  return HTTP_STATUS[code] === 422 || HTTP_STATUS[code] === 409 ? 400 : HTTP_STATUS[code];
}

function problemsOf({ code, message, details }: DomainError, status: number): ObieProblem[] {
  const known = BY_CODE[code]?.code;
  if (!details?.length) return [{ ErrorCode: known ?? codeOf(status), Message: message }];
  return details.map((detail) => ({
    ErrorCode: known ?? codeOfField(detail),
    Message: `${detail.field} ${detail.message}`,
    Path: detail.field.slice(0, 500),
  }));
}

function codeOf(status: number): ObieErrorCode {
  if (status >= 500 || status === 429) return 'UK.OBIE.UnexpectedError';
  return status === 401 || status === 406 || status === 415 ? 'UK.OBIE.Header.Invalid' : 'UK.OBIE.Field.Invalid';
}

function codeOfField({ rule = '' }: FieldError): ObieErrorCode {
  const [part, kind = ''] = rule.split(' ');
  if (part === 'header') return kind === 'any.required' ? 'UK.OBIE.Header.Missing' : 'UK.OBIE.Header.Invalid';
  return BY_RULE[kind] ?? 'UK.OBIE.Field.Invalid';
}
