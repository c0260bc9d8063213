import type { ResultCode } from '../../domain/result-codes';
import type { AttemptStatus } from '../../domain/states/attempt';
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
  /** What became of the attempt that serves the payment; absent: nothing. */
  attempt?: AttemptOutcome;
  movements?: readonly Movement[];
}

export interface AttemptOutcome {
  status: AttemptStatus;
  /** The processor's own name of the payment, where it told one. */
  reference?: string;
  /** The processor only did not know it: after this many milliseconds it is asked whether it has charged late. */
  askAgainMs?: number;
}

type MovableColumn =
  | 'authorized_minor'
  | 'captured_minor'
  | 'refunded_minor'
  | 'refund_reserved_minor'
  | 'charged_back_minor'
  | 'action'
  | 'waits_until'
  | 'flow_due_at'
  | 'unknown_since'
  | 'review_reason'
  | 'review_since'
  | 'card_token'
  | 'processor';
