import type { Tone } from '../parts/status';
import type { Callback } from './work';

export const STATE_TONES: Record<Callback['state'], Tone> = {
  stored: 'moving',
  applied: 'good',
  ignored: 'plain',
  unmatched: 'waiting',
  flagged: 'bad',
};
