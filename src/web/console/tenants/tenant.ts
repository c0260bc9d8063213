import { useReading } from '../parts/reading';
import type { Tone } from '../parts/status';
import { type Answer, api } from '../server/api';
import { UNSCOPED } from '../session/scope';

export type Tenant = Answer<'/ops/1.0.0/tenants/{tenantId}'>;
/** One of the catalogue, as it is chosen. */
export type Method = { id: Tenant['methods'][number] };

export const STATUS_TONES: Record<Tenant['status'], Tone> = {
  proposed: 'waiting',
  active: 'good',
  suspended: 'bad',
  withdrawn: 'plain',
};

/** All methods of the catalogue, by id. Empty until they are known. */
export function useMethods(): { names: ReadonlyMap<string, string>; error: unknown } {
  const { data, error } = useReading(['methods-of-all'], (signal) =>
    api.get('/payments/methods', { headers: UNSCOPED, signal }),
  );
  return { names: new Map(data?.data.map(({ id, name }) => [`${id}`, `${id} ${name}`])), error };
}
