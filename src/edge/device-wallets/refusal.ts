import { DomainError } from '../../domain/errors';

/**
 * Refuses a wallet token. `message` goes to the integrator: it may name members and checks, never anything that the
 * token contains.
 */
export function refuseToken(message: string): never {
  throw new DomainError('invalid_request', `walletToken ${message}`, { details: [{ field: 'walletToken', message }] });
}
