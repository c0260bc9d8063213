import { createHmac } from 'node:crypto';
import type { ProcessorId } from '../../domain/connector';
import type { Config } from '../../foundation/config/config';

/** What we and a processor know each other by. */
export interface ProcessorCredentials {
  /** Verifies its callbacks: a shared secret, or its public key (PEM). */
  callbackKey: string;
  /** With which we authenticate at its API. */
  apiKey: string;
}

/**
 * The credentials by processor, from PROCESSOR_SECRETS: `{callbackKey, apiKey}`, or one secret from which the API key is
 * derived, as the simulator does.
 */
export function processorCredentials(config: Config): Partial<Record<ProcessorId, ProcessorCredentials>> {
  const secrets: Record<string, string | ProcessorCredentials> = JSON.parse(config.keys.processorSecrets ?? '{}');
  return Object.fromEntries(
    Object.entries(secrets).map(([processor, known]) => [
      processor,
      typeof known === 'string' ? { callbackKey: known, apiKey: apiKeyFor(known) } : known,
    ]),
  );
}

/** The secrets that the simulator signs its callbacks with: everything in PROCESSOR_SECRETS that is one secret. */
export function simulatedSecrets(config: Config): Partial<Record<ProcessorId, string>> {
  const known = processorCredentials(config);
  return Object.fromEntries(Object.entries(known).map(([processor, { callbackKey }]) => [processor, callbackKey]));
}

/**
 * The key with which we authenticate at a processor. Derived from its callback secret, so that one secret per processor
 * is all that both sides have to hold; the derivation runs one way, a stolen key signs no callback.
 */
export function apiKeyFor(secret: string): string {
  return createHmac('sha256', secret).update('tillway api key').digest('hex');
}
