import type { Connectors, ProcessorId } from '../../domain/connector';
import { DomainError } from '../../domain/errors';

/** Who carries payouts: the first processor that can. Throws `invalid_state` where none does. */
export function payingProcessor(connectors: Pick<Connectors, 'all'>): ProcessorId {
  const able = connectors.all().find(({ payouts }) => payouts);
  if (!able) throw new DomainError('invalid_state', 'No processor that is switched on sends payouts');
  return able.processor;
}
