import type { Tone } from '../parts/status';
import type { RecordOf } from '../server/api';

export type Dispute = RecordOf<'/disputes/1.0.0/disputes'>;

export const STATUS_TONES: Record<Dispute['status'], Tone> = {
  flagged: 'bad',
  open: 'waiting',
  evidence_submitted: 'moving',
  won: 'good',
  lost: 'bad',
};
