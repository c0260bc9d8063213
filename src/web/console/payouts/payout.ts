import type { Tone } from '../parts/status';
import type { RecordOf } from '../server/api';

export type Payout = RecordOf<'/payouts/1.0.0/payouts'>;
export type Run = RecordOf<'/payouts/1.0.0/runs'>;
export type Terms = RecordOf<'/payouts/1.0.0/terms'>;

/** A new status of the API does not compile before it has a tone. */
export const PAYOUT_TONES: Record<Payout['status'], Tone> = {
  scheduled: 'waiting',
  sent: 'moving',
  settled: 'good',
  returned: 'bad',
  failed: 'bad',
  cancelled: 'plain',
};
