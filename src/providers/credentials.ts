import { createHmac } from 'node:crypto';
import { type Config, ConfigError } from '../config';
import type { ProcessorId } from './connector';

/** The callback secrets by processor, from PROCESSOR_SECRETS. Throws ConfigError when the setting is absent or malformed. */
export function processorSecrets(config: Config): Partial<Record<ProcessorId, string>> {
  const text = config.keys.processorSecrets;
  if (!text) throw new ConfigError('PROCESSOR_SECRETS is required');
  try {
    const secrets: unknown = JSON.parse(text);
    if (typeof secrets !== 'object' || secrets === null || Array.isArray(secrets)) throw new TypeError();
    if (!Object.values(secrets).every((secret) => typeof secret === 'string' && secret.length > 0))
      throw new TypeError();
    return secrets as Partial<Record<ProcessorId, string>>;
  } catch {
    // The parser's own message quotes the text, which is secret.
    throw new ConfigError('PROCESSOR_SECRETS must be a JSON object of processor letter to secret');
  }
}

/**
 * The key with which we authenticate at a processor. Derived from its callback secret, so that one secret per processor
 * is all that both sides have to hold; the derivation runs one way, a stolen key signs no callback.
 */
export function apiKeyFor(secret: string): string {
  return createHmac('sha256', secret).update('tillway api key').digest('hex');
}
