import { createHmac } from 'node:crypto';
import Joi from 'joi';
import type { ProcessorId } from '../../domain/connector';
import { type Config, ConfigError } from '../../foundation/config/config';

/** What we and a processor know each other by. */
export interface ProcessorCredentials {
  /** Verifies its callbacks: a shared secret, or its public key (PEM). */
  callbackKey: string;
  /** With which we authenticate at its API. */
  apiKey: string;
}

const schema = Joi.object().pattern(
  /^[a-z]+$/,
  Joi.alternatives(
    Joi.string().min(1),
    Joi.object({ callbackKey: Joi.string().min(1).required(), apiKey: Joi.string().min(1).required() }),
  ),
);

/**
 * The credentials by processor, from PROCESSOR_SECRETS: `{callbackKey, apiKey}`, or one secret from which the API key is
 * derived, as the simulator does. Throws ConfigError when the setting is absent or malformed.
 */
export function processorCredentials(config: Config): Partial<Record<ProcessorId, ProcessorCredentials>> {
  const text = config.keys.processorSecrets;
  if (!text) throw new ConfigError('PROCESSOR_SECRETS is required');
  const { value, error } = schema.validate(parsed(text));
  // The messages of parser and validator may quote the text, which is secret.
  if (error) throw new ConfigError('PROCESSOR_SECRETS must be a JSON object of processor letter to secret');
  return Object.fromEntries(
    Object.entries(value as Record<string, string | ProcessorCredentials>).map(([processor, known]) => [
      processor,
      typeof known === 'string' ? { callbackKey: known, apiKey: apiKeyFor(known) } : known,
    ]),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
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
