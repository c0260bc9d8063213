import { createHash } from 'node:crypto';
import type { CallbackReceiver, ProcessorEvent, RawCallback } from '../../../domain/connector';
import { onlyOnce, optional, optionalText, text } from '../callback';
import { eventType, refusal } from './status';
import { readTotal } from './wire';

/**
 * A form that nobody signs. The event's id is the digest of all that came: one that the form named itself could be taken
 * by somebody who comes first.
 */
function parse(raw: RawCallback): ProcessorEvent {
  const fields = onlyOnce(new URLSearchParams(raw.body.toString('utf8')));
  const state = text(fields, 'state');
  const type = eventType(state);
  const batchId = type === 'settlement_batch' ? text(fields, 'batch') : undefined;
  const reason = optionalText(fields, 'reason');
  return {
    eventId: createHash('sha256').update(raw.body).digest('hex'),
    reference: batchId ?? optionalText(fields, 'refund') ?? text(fields, 'order'),
    type,
    processorStatus: state,
    money: optional(fields.total, readTotal, 'total is not an amount and its currency'),
    processorReference: optionalText(fields, 'id'),
    code: type === 'failed' ? refusal(reason).code : undefined,
    isSoft: type === 'failed' ? refusal(reason).soft : undefined,
    caseId: optionalText(fields, 'case'),
    reason: type === 'failed' ? refusal(reason).detail : reason,
    batchId,
  };
}

export const receivers: readonly CallbackReceiver[] = [
  { name: 'processor_g', method: 'POST', unsigned: true, verify: () => true, parse },
];
