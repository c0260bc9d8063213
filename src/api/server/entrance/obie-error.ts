import { STATUS_CODES } from 'node:http';
import Joi from 'joi';
import type { DomainError, DomainErrorCode, FieldError } from '../../../domain/errors';
import { OBIE_ERROR_CODES, ObieError, type ObieErrorCode, type ObieProblem } from '../../../open-banking/obie-error';
import { HTTP_STATUS } from '../errors';

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
const BY_CODE: Partial<Record<DomainErrorCode, { status?: number; code: ObieErrorCode }>> = {
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
export function obieAnswerOf(error: DomainError, id: string): { status: number; body: ObieErrorBody } {
  const status = error instanceof ObieError ? error.status : statusOf(error);
  const problems = error instanceof ObieError ? error.problems : problemsOf(error, status);
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
