import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { DomainError } from '../../../domain/errors';

/** The passwords of users must be longer than those of customers, because users can do more. */
export const MIN_USER_PASSWORD_LENGTH = 12;
/** zxcvbn's third of five steps up: more than 10^8 guesses. */
const MIN_SCORE = 3;

let estimator: ZxcvbnFactory | undefined;

/** Throws `invalid_request` for a password that is soon guessed. `known`: what somebody would try first, like the name. */
export function requireStrong(password: string, known: string[]): void {
  // Tens of thousands of common passwords: read by the first who needs them.
  estimator ??= new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  const parts = known.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]).filter((part) => part.length > 2);
  if (estimator.check(password, parts).score >= MIN_SCORE) return;
  const message = 'is too easy to guess';
  throw new DomainError('invalid_request', `password ${message}`, { details: [{ field: 'password', message }] });
}
