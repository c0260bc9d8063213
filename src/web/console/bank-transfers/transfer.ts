import type { Tone } from '../parts/status';
import type { Answer, RecordOf } from '../server/api';

export type Transfer = RecordOf<'/bank-transfer/1.0.0/transfers'>;
export type WholeTransfer = Answer<'/bank-transfer/1.0.0/transfers/{paymentId}'>;
export type BankAccount = RecordOf<'/bank-transfer/1.0.0/accounts'>;
export type Statement = RecordOf<'/bank-transfer/1.0.0/statements'>;
export type Proposal = RecordOf<'/bank-transfer/1.0.0/proposals'>;
export type Return = RecordOf<'/bank-transfer/1.0.0/returns'>;

/** A new status of the API does not compile before it has a tone. */
export const TRANSFER_TONES: Record<Transfer['transactionStatus'], Tone> = {
  initiated: 'moving',
  pending: 'moving',
  requires_action: 'waiting',
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
export const RETURN_TONES: Record<Return['status'], Tone> = {
  waiting: 'waiting',
  ready: 'moving',
  sent: 'moving',
  settled: 'good',
  failed: 'bad',
};
