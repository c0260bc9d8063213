import type { CardUpdate } from '../../../domain/card-update';
import { ProcessorUnavailable } from '../../../domain/connector';
import type { ProcessorHttpResult } from '../http';
import { asObject, readObject } from '../reading';

/**
 * Reads `GET /v1/card-updates/{updateId}`. The number travels here, and in no callback: what arrives there is stored.
 * Undefined when the processor has no such update of that reference. Throws ProcessorUnavailable; its message holds
 * nothing of the answer.
 */
export function cardUpdate(result: ProcessorHttpResult, reference: string): CardUpdate | undefined {
  if (result.kind !== 'answer') throw new ProcessorUnavailable(`card update: ${result.detail}`);
  if (result.status === 404) return undefined;
  if (result.status !== 200) throw new ProcessorUnavailable(`card update: answered ${result.status}`);
  const fields = readObject(result.text);
  // Another card's update would replace this one.
  if (fields && fields.reference !== reference) return undefined;
  if (fields?.status === 'CLOSED') return { kind: 'closed' };
  const { number, expiryMonth, expiryYear } = asObject(fields?.card) ?? {};
  const isRenewed =
    fields?.status === 'UPDATED' &&
    matches(expiryMonth, /^(0[1-9]|1[0-2])$/) &&
    matches(expiryYear, /^\d{4}$/) &&
    (number === undefined || matches(number, /^\d{12,19}$/));
  if (!isRenewed) throw new ProcessorUnavailable('card update: cannot be read');
  return {
    kind: 'renewed',
    ...(number !== undefined && { number: number as string }),
    expiryMonth: expiryMonth as string,
    expiryYear: expiryYear as string,
  };
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}
