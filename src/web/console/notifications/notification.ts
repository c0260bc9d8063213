import type { Tone } from '../parts/status';
import type { RecordOf } from '../server/api';

export type Notification = RecordOf<'/ipg/1.0.0/payment/notifications'> & { body?: unknown };

export const STATE_TONES: Record<Notification['state'], Tone> = { pending: 'moving', delivered: 'good', failed: 'bad' };
