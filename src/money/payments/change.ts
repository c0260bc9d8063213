import type { ResultCode } from '../../domain/result-codes';
import type { PaymentStatus } from '../../domain/states/payment';
import type { Movement } from '../ledger/ledger';
import type { PaymentRow } from './payment';
import type { TimelineCause } from './timeline-causes';

/** One step of a payment: its new status, why, and the money it moves. */
export interface PaymentChange {
  to: PaymentStatus;
  resultCode: ResultCode;
  /** A sentence for `status.detail` and the timeline. */
  detail: string;
  cause: TimelineCause;
  columns?: Partial<Pick<PaymentRow, MovableColumn>>;
  movements?: readonly Movement[];
}

type MovableColumn =
  | 'authorized_minor'
  | 'captured_minor'
  | 'refunded_minor'
  | 'refund_reserved_minor'
  | 'charged_back_minor'
  | 'action'
  | 'waits_until'
  | 'provider_reference'
  | 'unknown_since'
  | 'review_reason'
  | 'review_since'
  | 'card_token'
  | 'processor'
  | 'submitted_at';
