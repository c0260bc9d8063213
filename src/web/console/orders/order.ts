import type { Tone } from '../parts/status';
import type { RecordOf } from '../server/api';

export type Order = RecordOf<'/orders/1.0.0/orders'>;

/** A new status of the API does not compile before it has a tone. */
export const ORDER_TONES: Record<Order['status'], Tone> = {
  open: 'moving',
  paid: 'good',
  expired: 'plain',
  cancelled: 'plain',
};
