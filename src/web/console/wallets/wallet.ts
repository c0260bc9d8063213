import type { Tone } from '../parts/status';
import type { Answer, RecordOf } from '../server/api';

export type Topup = Answer<'/wallet/1.0.0/topups/{topupId}'>;
export type Transfer = Answer<'/p2p/1.0.0/transfers/{transferId}'>;
export type MoneyRequest = RecordOf<'/p2p/1.0.0/requests'>;
export type Schedule = RecordOf<'/p2p/1.0.0/schedules'>;

/** A new status of the API does not compile before it has a tone. */
export const TOPUP_TONES: Record<Topup['status'], Tone> = {
  initiated: 'moving',
  pending: 'moving',
  awaiting_3ds: 'waiting',
  authorized: 'moving',
  captured: 'good',
  settled: 'good',
  partially_refunded: 'plain',
  refunded: 'plain',
  cancelled: 'plain',
  failed: 'bad',
  expired: 'bad',
  charged_back: 'bad',
};

export const TRANSFER_TONES: Record<Transfer['status'], Tone> = {
  held: 'waiting',
  settled: 'good',
  expired: 'plain',
  declined: 'plain',
  cancelled: 'plain',
  reversed: 'plain',
  failed: 'bad',
};

export const REQUEST_TONES: Record<MoneyRequest['status'], Tone> = {
  pending: 'waiting',
  paid: 'good',
  declined: 'plain',
  cancelled: 'plain',
  expired: 'plain',
};

export const SCHEDULE_TONES: Record<Schedule['status'], Tone> = { active: 'good', ended: 'plain', cancelled: 'plain' };

/** The statuses of a table of tones, for a filter. */
export function choicesOf(tones: Record<string, Tone>) {
  return Object.keys(tones).map((id) => ({ id, name: `status.${id}` }));
}
